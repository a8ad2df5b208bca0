"""List all measures, and find them by name."""

import re
from collections.abc import Callable, Collection, Sequence
from functools import cache

from mauve.calls import by_world, option, parameter
from mauve.errors import InvalidParameterError, bad_parameter, need_packages
from mauve.measures.authenticity import AUTHENTICITY
from mauve.measures.coherence import COHERENCE
from mauve.measures.compression import COMPRESSION
from mauve.measures.copying import copying_measure
from mauve.measures.density_coverage import COVERAGE, DENSITY
from mauve.measures.discriminator import DISCRIMINATOR
from mauve.measures.distinct import distinct_measure
from mauve.measures.entropy import entropy_measure
from mauve.measures.epsilon_perplexity import EPSILON_PERPLEXITY, epsilon_perplexity_measure
from mauve.measures.frechet import FRECHET, FRECHET_UNBIASED
from mauve.measures.frontier_neighbours import MAUVE_NEIGHBOURS
from mauve.measures.lexical import MTLD, hdd_measure, mattr_measure
from mauve.measures.mmd import MMD
from mauve.measures.model_perplexity import MODEL_PERPLEXITY
from mauve.measures.overlap import VOCABULARY
from mauve.measures.perplexity import PERPLEXITY, PERPLEXITY_AUTHORS
from mauve.measures.precision_recall import PRECISION, RECALL
from mauve.measures.precision_recall_curve import PRD_PRECISION, PRD_RECALL
from mauve.measures.protocol import Measure, Need, Variant
from mauve.measures.repeated_ngrams import (
    diversity_measure,
    repeated_measure,
    sequence_repeated_measure,
)
from mauve.measures.repetition import REPETITION, REPETITION_AUTHORS
from mauve.measures.self_bleu import self_bleu_measure
from mauve.measures.self_repetition import self_repetition_measure
from mauve.measures.sparsemax import SPARSEMAX
from mauve.measures.token_entropy import TOKEN_ENTROPY
from mauve.measures.token_js import TOKEN_JS
from mauve.measures.vendi import VENDI
from mauve.measures.zipf import ZIPF, ZIPF_AUTHORS
from mauve.plugins import PluginError, Plugins

#: MAUVE itself, which :func:`mauve.compare` computes; it has no estimate here.
MAUVE = Measure(
    name="mauve",
    title="MAUVE",
    summary="area under the divergence curve, as mauve compare computes it",
    direction="higher",
    needs=frozenset({"features"}),
    estimate=None,
    is_statistic=False,
    low=0.0,
    high=1.0,
)

#: The same in the buckets of a classifier.
MAUVE_CLASSIFIER = Measure(
    name="mauve-classifier",
    title="MAUVE (classifier)",
    summary="the same in buckets of a classifier, which show more of the difference",
    direction="higher",
    needs=frozenset({"features"}),
    estimate=None,
    is_statistic=False,
    low=0.0,
    high=1.0,
)

#: All measures, in the order of the tables.
MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        PERPLEXITY,
        COHERENCE,
        ZIPF,
        REPETITION,
        distinct_measure(4),
        self_bleu_measure(),
        entropy_measure(2),
        TOKEN_ENTROPY,
        repeated_measure(4),
        sequence_repeated_measure(4),
        diversity_measure(),
        self_repetition_measure(4),
        MTLD,
        mattr_measure(),
        hdd_measure(),
        COMPRESSION,
        VOCABULARY,
        SPARSEMAX,
        TOKEN_JS,
        MODEL_PERPLEXITY,
        EPSILON_PERPLEXITY,
        FRECHET,
        FRECHET_UNBIASED,
        MMD,
        PRECISION,
        RECALL,
        DENSITY,
        COVERAGE,
        PRD_PRECISION,
        PRD_RECALL,
        VENDI,
        DISCRIMINATOR,
        AUTHENTICITY,
        copying_measure(8),
        MAUVE_NEIGHBOURS,
        MAUVE_CLASSIFIER,
        MAUVE,
    )
}

#: Measures as the code of their papers computes them, where it differs from the papers.
VARIANTS: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        PERPLEXITY_AUTHORS,
        ZIPF_AUTHORS,
        REPETITION_AUTHORS,
        *(repeated_measure(n, "authors") for n in (2, 3, 4)),
        diversity_measure("authors"),
    )
}

#: Measures with a number in their name, such as ``distinct-3``.
FAMILIES: dict[str, Callable[[int], Measure]] = {
    "distinct": distinct_measure,
    "self-bleu": self_bleu_measure,
    "entropy": entropy_measure,
    "rep": repeated_measure,
    "seq-rep": sequence_repeated_measure,
    "self-repetition": self_repetition_measure,
    "mattr": mattr_measure,
    "hdd": hdd_measure,
    "copying": copying_measure,
}

#: Measures selected by default: the columns of the paper's tables.
DEFAULT = (
    "perplexity", "zipf", "repetition", "distinct-4", "self-bleu", "sparsemax", "token-js",
    "epsilon-perplexity", "frechet", "authenticity", "copying-8", "mauve",
)  # fmt: skip

#: Groups of measures by name.
GROUPS: dict[str, tuple[str, ...]] = {
    "default": DEFAULT,
    "text": tuple(n for n, m in MEASURES.items() if m.needs <= {"texts", "tokens"}),
    "features": tuple(n for n, m in MEASURES.items() if m.needs == {"features"}),
    "model": tuple(n for n, m in MEASURES.items() if "model" in m.needs),
    "training": tuple(n for n, m in MEASURES.items() if "training" in m.needs),
    "authors": tuple(VARIANTS),
    "all": tuple(MEASURES),
}


def variant_of(measure: Measure, variant: Variant) -> Measure | None:
    """Return a measure by another definition; None if it has but one.

    Parameters
    ----------
    measure : Measure
    variant : {None, "authors"}

    Examples
    --------
    >>> variant_of(ZIPF, "authors").name, variant_of(MMD, "authors")
    ('zipf-authors', None)
    """
    if variant is None:
        return None
    name = f"{measure.name}-{variant}"
    return VARIANTS.get(name) or _family_member(name)


def _is_built_in(name: str) -> bool:
    return name in {*MEASURES, *VARIANTS, *GROUPS} or _family_member(name) is not None


def _problem(thing: object) -> str:
    return "" if isinstance(thing, Measure) else f"it is no Measure but {type(thing).__name__}"


#: Measures of users and of other distributions.
OWN_MEASURES: Plugins[Measure] = Plugins("measure", _is_built_in, _problem)

#: Packages of each extra, by the names under which they are imported.
_PACKAGES = {"classifier": ["sklearn"]}

#: What to pass for a measure that lacks a part of its samples; see also :func:`_remedy`.
_REMEDIES: dict[Need, str] = {
    "texts": "texts in place of features",
    "tokens": "texts in place of features",
    "log_probabilities": "texts in place of features",
    "bare_log_probabilities": "texts in place of features",
    "features": "systems with texts or features of their own",
}


def get_measures(
    names: str | Sequence[str | Measure], available: Collection[Need]
) -> tuple[Measure, ...]:
    """Return the measures with some names, without duplicates.

    Parameters
    ----------
    names : str, or sequence of str and Measure
        Names of measures or of groups; a string has commas between them. Measures of a group
        whose needs are not available are left out, and so are names after a minus.
    available : collection of str
        Parts of a sample that measures can be computed from.

    Examples
    --------
    >>> [measure.name for measure in get_measures("zipf, distinct-3,zipf", {"tokens"})]
    ['zipf', 'distinct-3']
    >>> [measure.name for measure in get_measures("default", {"features"})]
    ['frechet', 'mauve']
    >>> [measure.name for measure in get_measures("features,-mauve,-mmd", {"features"})][:3]
    ['frechet', 'frechet-unbiased', 'precision']
    """
    if not isinstance(names, str | Sequence):
        rule = "names with commas between them, or a list of names and of Measure objects"
        raise bad_parameter("measures", rule, names)
    items = names.split(",") if isinstance(names, str) else [*names]
    for item in items:
        if not isinstance(item, str | Measure):
            rule = "names with commas between them, or a list of names and of Measure objects"
            raise bad_parameter("measures", rule, item)
    left_out = _left_out(items)
    selected: dict[str, Measure] = {}
    for item in items:
        if not isinstance(item, Measure) and _name(item).startswith("-"):
            continue
        name, members = _members(item)
        members = [measure for measure in members if measure.name not in left_out]
        if not members:
            continue
        computable = [measure for measure in members if measure.needs.issubset(available)]
        if not computable:
            lacking = sorted(members[0].needs.difference(available))
            raise InvalidParameterError(
                f"{parameter('measures')} must be measures that can be computed. '{name}' needs "
                f"{_remedy(lacking[0])}: give that, or leave '{name}' out."
            )
        selected |= {measure.name: measure for measure in computable}
    if not selected:
        raise bad_parameter("measures", "at least one name", names)
    return tuple(selected.values())


def _remedy(need: Need) -> str:
    if need == "model":
        flag = f"{option('models')} NAME=MODEL@DECODER"
        how = by_world(python="models={NAME: 'MODEL@DECODER'}", command=flag)
        return f"the model behind each system, {how}"
    if need == "prompted_log_probabilities":
        how = by_world(python="prompts=PROMPTS", command="--prompts or --by-prompt")
        return f"texts and the prompts that they answer, {how}"
    if need == "training":
        how = by_world(python="training=SAMPLE", command=f"{option('training')} FILE")
        return f"what the systems were trained on, {how}"
    return _REMEDIES[need]


def check_names(names: str) -> None:
    """Raise if a name, of several with commas between them, is unknown.

    Examples
    --------
    >>> check_names("zipf,features,-mmd")
    """
    items = names.split(",")
    _left_out(items)
    for item in items:
        _members(item)


def check_extras(measures: Sequence[Measure]) -> None:
    """Raise if a measure needs an extra that is not installed.

    Examples
    --------
    >>> check_extras([MAUVE])
    """
    for measure in measures:
        if measure.extra:
            what, packages = f"The measure '{measure.name}'", _PACKAGES[measure.extra]
            need_packages(what, packages, measure.extra, f"leave '{measure.name}' out")


def _name(item: object) -> str:
    return str(item).strip().lower()


def _members(item: str | Measure) -> tuple[str, list[Measure]]:
    """Return the name of a measure or a group, without a minus, and its measures."""
    if isinstance(item, Measure):
        return item.name, [item]
    name = _name(item).removeprefix("-")
    return name, [*map(_measure, GROUPS.get(name, (name,)))]


def _left_out(items: Sequence[str | Measure]) -> set[str]:
    """Return the measures whose names, or those of their groups, have a minus before them."""
    is_minus = [not isinstance(item, Measure) and _name(item).startswith("-") for item in items]
    asked = {
        measure.name
        for item, minus in zip(items, is_minus, strict=True)
        if not minus
        for measure in _members(item)[1]
    }
    left_out: set[str] = set()
    for item in (item for item, minus in zip(items, is_minus, strict=True) if minus):
        members = {measure.name for measure in _members(item)[1]}
        if not members & asked:
            rule = "names with a minus only for measures that the other names select"
            raise bad_parameter("measures", rule, str(item).strip())
        left_out |= members
    if items and asked and asked <= left_out:
        rule = "names of which at least one is left"
        raise bad_parameter("measures", rule, ",".join(map(str, items)))
    return left_out


def _measure(name: str) -> Measure:
    built_in = MEASURES.get(name) or VARIANTS.get(name) or _family_member(name)
    if built_in is not None:
        return built_in
    measure = OWN_MEASURES.get(name)
    if measure is not None:
        if measure.name != name:  # it could take the place of another one
            raise PluginError(
                f"The measure '{name}' of an installed distribution cannot be used: it names "
                f"itself '{measure.name}'. Update or uninstall it."
            )
        return measure
    families = [f"{family}-N" for family in FAMILIES]
    known = [
        *MEASURES,
        *families,
        "epsilon-perplexity-ε",
        *VARIANTS,
        *GROUPS,
        *OWN_MEASURES.names(),
    ]
    raise bad_parameter("measures", f"among {', '.join(known)}", name)


@cache  # one object for one name: results with equal measures are equal
def _family_member(name: str) -> Measure | None:
    epsilon = re.fullmatch(r"epsilon-perplexity-(\d*\.?\d+(?:e-?\d{1,3})?)", name)
    if epsilon:
        return epsilon_perplexity_measure(float(epsilon[1]))
    repeated = re.fullmatch(r"rep-(\d{1,6})-authors", name)
    if repeated:
        return repeated_measure(int(repeated[1]), "authors")
    parts = re.fullmatch(r"(.+)-(\d{1,6})", name)
    return FAMILIES[parts[1]](int(parts[2])) if parts and parts[1] in FAMILIES else None
