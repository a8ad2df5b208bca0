"""Select measures by name among those that can be computed from the samples."""

from collections.abc import Collection, Mapping, Sequence

from mauve.calls import option, parameter
from mauve.embed.load import Samples
from mauve.errors import InvalidParameterError, bad_parameter
from mauve.escape import listed
from mauve.measures.material import UnderTest
from mauve.measures.protocol import Measure, Need
from mauve.measures.registry import GROUPS, check_extras, get_measures


def select_measures(
    samples: Samples,
    measures: str | Measure | Sequence[str | Measure],
    tested: Mapping[str, UnderTest],
    training: Samples | None,
) -> tuple[Measure, ...]:
    """Return the measures of some names, or raise if they cannot be computed from the samples.

    Examples
    --------
    >>> from mauve.embed.load import load_samples
    >>> samples = load_samples({"human": ["It rained."] * 12, "model": ["It is."] * 12})
    >>> [measure.name for measure in select_measures(samples, "zipf,distinct-4", {}, None)]
    ['zipf', 'distinct-4']
    """
    requested = [measures] if isinstance(measures, Measure) else measures
    selected = get_measures(requested, _available(samples, tested, training))
    check_extras(selected)
    needs = {need for measure in selected for need in measure.needs}
    _check_used(needs, tested, training, samples.human_name)
    return selected


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
