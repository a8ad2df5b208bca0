"""Select measures by name among those that can be computed from the samples."""

from collections.abc import Collection, Mapping, Sequence

from mauve.calls import option, parameter
from mauve.embed.load import Samples
from mauve.errors import InvalidParameterError, bad_parameter, check_choice
from mauve.escape import listed
from mauve.measures.material import UnderTest
from mauve.measures.protocol import VARIANT_NAMES, Measure, Need, Variant
from mauve.measures.registry import GROUPS, VARIANTS, check_extras, get_measures, variant_of


def select_measures(
    samples: Samples,
    measures: str | Measure | Sequence[str | Measure],
    tested: Mapping[str, UnderTest],
    training: Samples | None,
    variant: Variant = None,
) -> tuple[Measure, ...]:
    """Return the measures of some names, or raise if they cannot be computed from the samples.

    With a variant, measures that have it are replaced by it.

    Examples
    --------
    >>> from mauve.embed.load import load_samples
    >>> samples = load_samples({"human": ["It rained."] * 12, "model": ["It is."] * 12})
    >>> [measure.name for measure in select_measures(samples, "zipf,distinct-4", {}, None)]
    ['zipf', 'distinct-4']
    """
    requested = [measures] if isinstance(measures, Measure) else measures
    selected = get_measures(requested, _available(samples, tested, training))
    selected = by_variant(selected, variant)
    check_extras(selected)
    needs = {need for measure in selected for need in measure.needs}
    _check_used(needs, tested, training, samples.human_name)
    return selected


def by_variant(measures: Sequence[Measure], variant: Variant) -> tuple[Measure, ...]:
    """Return measures by the definitions of a variant, those without one unchanged.

    Examples
    --------
    >>> measures = get_measures("zipf,distinct-4", {"tokens"})
    >>> [measure.name for measure in by_variant(measures, "authors")]
    ['zipf-authors', 'distinct-4']
    """
    if variant is None:
        return (*measures,)
    check_choice("variant", variant, VARIANT_NAMES)
    replaced = {measure.name: variant_of(measure, variant) for measure in measures}
    if not any(replaced.values()) and not any(measure.name in VARIANTS for measure in measures):
        known = [name.removesuffix(f"-{variant}") for name in VARIANTS]
        raise InvalidParameterError(
            f"{parameter('variant')} must be left out where no measure has it. "
            f"Ask for one of {listed(known)} in {option('measures')}."
        )
    made = [replaced[measure.name] or measure for measure in measures]
    return (*{measure.name: measure for measure in made}.values(),)


def unchanged_note(measures: Sequence[Measure], variant: Variant) -> str | None:
    """Return which measures do not have the variant that the others are computed by.

    Examples
    --------
    >>> measures = by_variant(get_measures("zipf,distinct-4", {"tokens"}), "authors")
    >>> unchanged_note(measures, "authors")
    "without a variant 'authors', computed as always: distinct-4"
    """
    names = [each.name for each in measures if not each.name.endswith(f"-{variant}")]
    if variant is None or not names:
        return None
    return f"without a variant '{variant}', computed as always: {listed(names)}"


def _check_used(
    needs: Collection[Need],
    tested: Mapping[str, UnderTest],
    training: Samples | None,
    human_name: str,
) -> None:
    """Raise if models or training texts are passed that no selected measure uses."""
    if human_name in tested:
        rule = f"a mapping without '{human_name}', the human texts"
        raise bad_parameter("models", rule, [*tested])
    for is_passed, need in ((bool(tested), "model"), (training is not None, "training")):
        if is_passed and need not in needs:
            name = "models" if need == "model" else need
            raise InvalidParameterError(
                f"{parameter(name)} must be left out where no measure needs it. "
                f"Ask for one of {listed(GROUPS[need])}, or for '{need}', in {option('measures')}."
            )


def _available(
    samples: Samples, tested: Mapping[str, UnderTest], training: Samples | None
) -> set[Need]:
    """Return the parts that measures can be computed from."""
    available: set[Need] = {"features"}
    if samples.texts is not None:
        available |= {"texts", "tokens", "log_probabilities", "bare_log_probabilities"}
        if samples.prompts is not None:
            available.add("prompted_log_probabilities")
        if tested:
            available.add("model")
    if training is not None:
        available.add("training")
    return available
