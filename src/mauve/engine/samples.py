"""The samples of a comparison out of core: their sizes, and a part of them in memory."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from mauve.comparison.comparison import Comparison
from mauve.embed.load import Samples
from mauve.embed.protocol import Embedded
from mauve.embed.reading import SampleReadings
from mauve.errors import MauveError
from mauve.inference.resampling import LabelledPair
from mauve.text.form import FormReport


@dataclass(frozen=True, eq=False)
class StreamedSamples(Samples):
    """Samples that are in files; form and language are checked on the texts that were drawn.

    Attributes
    ----------
    totals : dict from name to int
        Number of texts of every sample.
    digests : dict from name to str
        Checksum of every sample.
    drawn : Samples or None
        The texts that were drawn; None for features.
    n_cut : dict from name to int
        Texts that are longer than the embedder reads.
    """

    totals: dict[str, int] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    drawn: Samples | None = None
    n_cut: dict[str, int] = field(default_factory=dict)

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Number of texts of every sample."""
        return self.totals

    def digest(self, name: str) -> str:
        """Return a checksum of a sample's texts, in any order."""
        return self.digests[name]

    @property
    def origin(self) -> str:
        """Where the features come from, for the signature: embedder and normalisation."""
        return self.recipe if self.drawn is None else self.drawn.origin

    @cached_property
    def embedded(self) -> Embedded | None:
        """None: features are not kept."""
        return None

    @cached_property
    def features(self) -> dict[str, NDArray[Any]]:
        """Raise: features are not kept."""
        raise not_in_memory()

    @cached_property
    def forms(self) -> dict[str, FormReport]:
        """Differences of form of the texts that were drawn."""
        return {} if self.drawn is None else self.drawn.forms

    @cached_property
    def readings(self) -> SampleReadings:
        """What the embedder can read of the texts that were drawn."""
        return SampleReadings.of({}, None) if self.drawn is None else self.drawn.readings

    @cached_property
    def reading_warnings(self) -> dict[str, tuple[str, ...]]:
        """Warnings of texts that the embedder cannot read, of those that were drawn."""
        none: dict[str, tuple[str, ...]] = dict.fromkeys(self.totals, ())
        return none if self.drawn is None else self.drawn.reading_warnings

    def n_truncated(self, name: str) -> int:
        """Return how many texts of a sample are longer than the embedder reads."""
        return self.n_cut.get(name, 0)


class NoPairs(dict[str, LabelledPair]):
    """Buckets of single texts, which are in files."""

    def __missing__(self, system: str) -> LabelledPair:
        raise not_in_memory()


class StreamedComparison(Comparison):
    """Scores of samples of any size; see :func:`mauve.compare_files`.

    A :class:`mauve.Comparison` whose texts and buckets are in files: what needs them in memory
    (``save``, ``to_html``, ``ladder``, :func:`mauve.explain`) raises an error that says so.
    """

    @property
    def n_tested(self) -> dict[str, int]:
        """Number of texts of every sample whose features the test of P = Q looks at."""
        return dict(self._n_tested)

    _n_tested: Mapping[str, int] = {}

    @property
    def drawn(self) -> Samples | None:
        """The texts that were drawn, on which form is checked; None for features."""
        samples = self.compared.samples
        return samples.drawn if isinstance(samples, StreamedSamples) else None

    @property
    def notes(self) -> tuple[str, ...]:
        """What is computed from a part of the texts."""
        sizes = self.compared.samples.sizes
        parts = [
            f"{n:,} of {sizes[name]:,} texts of '{name}'"
            for name, n in self._n_tested.items()
            if n < sizes[name]
        ]
        return (
            ()
            if not parts
            else (
                f"the test of P = Q and the checks of form are made on a random part: "
                f"{', '.join(parts)}",
            )
        )

    def to_dict(self) -> dict[str, Any]:
        """Return results and differences as plain Python objects for JSON."""
        return {**super().to_dict(), "n_tested": self.n_tested}

    def save(self, path: Any, **options: Any) -> None:
        """Raise: the texts are in files."""
        raise not_in_memory()

    def to_html(self, path: Any, **options: Any) -> None:
        """Raise: the texts are in files."""
        raise not_in_memory()

    def ladder(self, *steps: Any, **options: Any) -> Any:
        """Raise: the texts are in files."""
        raise not_in_memory()


def not_in_memory() -> MauveError:
    """Return the error of what needs all texts in memory."""
    return MauveError(
        "This needs the texts of a comparison in memory, and they are in files: draw a random "
        "part of them with mauve.engine.limiting.draw_files for mauve.compare, or with mauve "
        "compare --limit 100000."
    )
