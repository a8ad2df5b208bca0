"""Measures by name."""

import re
from collections.abc import Callable, Collection, Sequence
from importlib.util import find_spec

from mauve.errors import InvalidParameterError, MissingExtraError, bad_parameter
from mauve.measures.authenticity import AUTHENTICITY
from mauve.measures.compression import COMPRESSION
from mauve.measures.copying import copying
from mauve.measures.density_coverage import COVERAGE, DENSITY
from mauve.measures.discriminator import DISCRIMINATOR
from mauve.measures.distinct import distinct
from mauve.measures.entropy import entropy
from mauve.measures.epsilon_perplexity import EPSILON_PERPLEXITY
from mauve.measures.frechet import FRECHET, FRECHET_UNBIASED
from mauve.measures.frontier_classifier import MAUVE_CLASSIFIER
from mauve.measures.frontier_neighbours import MAUVE_NEIGHBOURS
from mauve.measures.mmd import MMD
from mauve.measures.model_perplexity import MODEL_PERPLEXITY
from mauve.measures.overlap import VOCABULARY
from mauve.measures.perplexity import PERPLEXITY
from mauve.measures.precision_recall import PRECISION, RECALL
from mauve.measures.protocol import Measure, Need
from mauve.measures.repetition import REPETITION
from mauve.measures.self_bleu import self_bleu
from mauve.measures.sparsemax import SPARSEMAX
from mauve.measures.token_js import TOKEN_JS
from mauve.measures.vendi import VENDI
from mauve.measures.zipf import ZIPF

#: MAUVE itself. All systems are clustered together, so it has no estimate for one alone.
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

#: All measures, in the order of the tables.
MEASURES: dict[str, Measure] = {
    measure.name: measure
    for measure in (
        PERPLEXITY,
        ZIPF,
        REPETITION,
        distinct(4),
        self_bleu(None),
        entropy(2),
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
        VENDI,
        DISCRIMINATOR,
        AUTHENTICITY,
        copying(8),
        MAUVE_NEIGHBOURS,
        MAUVE_CLASSIFIER,
        MAUVE,
    )
}

#: Measures with a number of their own, such as ``distinct-3``.
FAMILIES: dict[str, Callable[[int], Measure]] = {
    "distinct": distinct,
    "self-bleu": self_bleu,
    "entropy": entropy,
    "copying": copying,
}

#: What is measured unless something else is asked for: the columns of the paper's tables, as
#: far as there is what they need.
DEFAULT = (
    "perplexity", "zipf", "repetition", "distinct-4", "self-bleu", "sparsemax", "token-js",
    "epsilon-perplexity", "frechet", "authenticity", "copying-8", "mauve",
)  # fmt: skip
#: A package of each extra, by which to tell whether it is installed.
_MODULES = {"classifier": "sklearn"}


#: Several measures under one name.
GROUPS: dict[str, tuple[str, ...]] = {
    "default": DEFAULT,
    "text": tuple(n for n, m in MEASURES.items() if m.needs <= {"texts", "tokens"}),
    "features": tuple(n for n, m in MEASURES.items() if m.needs == {"features"}),
    "model": tuple(n for n, m in MEASURES.items() if "model" in m.needs),
    "training": tuple(n for n, m in MEASURES.items() if "training" in m.needs),
    "all": tuple(MEASURES),
}


_REMEDIES: dict[Need, str] = {
    "texts": "texts in place of features",
    "tokens": "texts in place of features",
    "log_probabilities": "texts in place of features",
    "features": "systems with texts or features of their own",
    "model": "the model behind each system: models={NAME: 'MODEL@DECODER'} (--model)",
    "training": "what the systems were trained on: training=SAMPLE (--training)",
}


def get_measures(
    names: str | Sequence[str | Measure], available: Collection[Need]
) -> tuple[Measure, ...]:
    """Return the measures that names stand for, each once.

    Parameters
    ----------
    names : str, or sequence of str and Measure
        Names of measures or of groups, with commas between them in a string. Of a group those
        measures are taken that have what they need.
    available : collection of str
        What there is to compute measures from.

    Examples
    --------
    >>> [measure.name for measure in get_measures("zipf, distinct-3,zipf", {"tokens"})]
    ['zipf', 'distinct-3']
    >>> [measure.name for measure in get_measures("default", {"features"})]
    ['frechet', 'mauve']
    """
    asked = names.split(",") if isinstance(names, str) else [*names]
    found: dict[str, Measure] = {}
    for one in asked:
        name = one.name if isinstance(one, Measure) else str(one).strip().lower()
        members = [one] if isinstance(one, Measure) else [*map(_measure, GROUPS.get(name, (name,)))]
        able = [measure for measure in members if measure.needs.issubset(available)]
        if not able:
            lacking = sorted(members[0].needs.difference(available))
            raise InvalidParameterError(
                f"'{name}' in the 'measures' parameter of measure needs {_REMEDIES[lacking[0]]}. "
                f"Pass that, or leave '{name}' out."
            )
        found |= {measure.name: measure for measure in able}
    if not found:
        raise bad_parameter("measure", "measures", "at least one name", names)
    return tuple(found.values())


def check_names(names: str) -> None:
    """Raise if one of several names, with commas between them, is that of no measure.

    Examples
    --------
    >>> check_names("zipf,features")
    """
    for name in names.split(","):
        for member in GROUPS.get(name.strip().lower(), (name.strip().lower(),)):
            _measure(member)


def check_extras(measures: Sequence[Measure]) -> None:
    """Raise if a measure needs an extra that is not installed; before the work begins.

    Examples
    --------
    >>> check_extras([MAUVE])
    """
    missing = [m for m in measures if m.extra and find_spec(_MODULES[m.extra]) is None]
    if missing:
        extras = ",".join(sorted({measure.extra for measure in missing}))
        names = ", ".join(measure.name for measure in missing)
        raise MissingExtraError(
            f"The measures {names} need an extra that is not installed: "
            f'pip install "mauve-eval[{extras}]", or leave them out.'
        )


def _measure(name: str) -> Measure:
    if name in MEASURES:
        return MEASURES[name]
    parts = re.fullmatch(r"(.+)-(\d{1,6})", name)
    if parts and parts[1] in FAMILIES:
        return FAMILIES[parts[1]](int(parts[2]))
    known = [*MEASURES, *(f"{family}-N" for family in FAMILIES), *GROUPS]
    raise bad_parameter("measure", "measures", f"among {', '.join(known)}", name)
