"""The ladder: scores as given and after each step that removes a difference of form."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from mauve.escape import escaped
from mauve.formatting import format_level, format_list, format_score
from mauve.tables import as_html, as_latex, as_markdown, as_text, titles_and_cells
from mauve.text.steps import RUNGS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

AS_GIVEN = "as given"

#: Shares of the gap that steps of form close: above is "most", below is "little".
MOST, LITTLE = 0.5, 0.2


@dataclass(frozen=True)
class Rung:
    """One score of a ladder.

    Attributes
    ----------
    step : str or None
        The step that this rung adds; None for the texts as given.
    steps : tuple of str
        All steps so far, in the order in which they are applied.
    mauve : float
        The score.
    interval : tuple of float
        Its confidence interval.
    n_human_changed, n_model_changed : int
        Human texts, and texts of the system, that the step changed.
    signature : str
        That of the score.
    """

    step: str | None
    steps: tuple[str, ...]
    mauve: float
    interval: tuple[float, float]
    n_human_changed: int
    n_model_changed: int
    signature: str

    @property
    def title(self) -> str:
        """What the score is without, in a few words."""
        return AS_GIVEN if self.step is None else RUNGS[self.step]


@dataclass(frozen=True)
class SystemLadder(Sequence[Rung]):
    """The rungs of one system, the first for its texts as given. Not hashable, like a list.

    Attributes
    ----------
    name : str
        The system's name.
    rungs : tuple of Rung
    left_out : dict from str to str
        Steps without a rung, and why: ``no difference of form found``, for instance.
    ceiling : float or None
        Score of human text against itself with as many texts; None without permutations.
    confidence : float
        Level of the intervals.
    n_human, n_model : int
        Number of texts of each sample.
    """

    name: str
    rungs: tuple[Rung, ...]
    left_out: dict[str, str]
    ceiling: float | None
    confidence: float
    n_human: int
    n_model: int

    __hash__ = None  # type: ignore[assignment]

    def __getitem__(self, place: Any) -> Any:
        return self.rungs[place]

    def __len__(self) -> int:
        return len(self.rungs)

    def __repr__(self) -> str:
        scores = (f"{rung.step or AS_GIVEN}={rung.mauve:.3f}" for rung in self.rungs)
        return f"SystemLadder({escaped(self.name)}: {', '.join(scores)})"

    def __str__(self) -> str:
        return str(Ladder([self]))

    def _repr_html_(self) -> str:
        return Ladder([self])._repr_html_()

    @property
    def mauve(self) -> float:
        """The score as given."""
        return self.rungs[0].mauve

    @property
    def has_gap(self) -> bool:
        """Whether the score as given is below what human text would have."""
        return self.rungs[0].interval[1] < self._top

    @property
    def closed(self) -> float:
        """Share of the gap between the score as given and the ceiling that the steps close."""
        first, last = self.rungs[0].mauve, self.rungs[-1].mauve
        return (last - first) / (self._top - first) if self._top > first else 0.0

    @property
    def _top(self) -> float:
        return 1.0 if self.ceiling is None else self.ceiling

    @property
    def verdict(self) -> str:
        """How much of the gap is form, in a few words that hold by the numbers."""
        if self.rungs[-1].interval[1] < self.rungs[0].interval[0]:
            return "without these differences of form the gap is larger"
        if not self.has_gap:
            top = "1" if self.ceiling is None else f"the ceiling, {format_score(self.ceiling)}"
            return f"no gap is shown, as the interval as given reaches {top}"
        if len(self.rungs) == 1:
            return "no difference of form was found that a step removes"
        if self.closed < LITTLE:
            return "little of this gap is form"
        is_clear = self.rungs[-1].interval[0] > self.rungs[0].interval[1]
        if self.closed > MOST and is_clear:
            return "most of this gap is form"
        return f"part of this gap {'is' if is_clear else 'may be'} form"

    @property
    def sentence(self) -> str:
        """The scores of all rungs, and how much of the gap is form."""
        scores = ", ".join(f"{format_score(rung.mauve)} {rung.title}" for rung in self.rungs)
        return f"{scores}: {self.verdict}."

    def rows(self) -> list[dict[str, str]]:
        """Return the rows of the table by column title, without the system."""
        return [
            {
                "step": rung.step or AS_GIVEN,
                "MAUVE": format_score(rung.mauve),
                f"{format_level(self.confidence)} interval": " - ".join(
                    map(format_score, rung.interval)
                ),
                "human changed": "" if rung.step is None else str(rung.n_human_changed),
                "system changed": "" if rung.step is None else str(rung.n_model_changed),
            }
            for rung in self.rungs
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the rungs as plain Python objects for JSON."""
        return {
            "name": self.name,
            "rungs": [
                asdict(rung) | {"steps": [*rung.steps], "interval": [*rung.interval]}
                for rung in self.rungs
            ],
            "left_out": self.left_out,
            "ceiling": self.ceiling,
            "closed": self.closed,
            "sentence": self.sentence,
        }


class Ladder(Mapping[str, SystemLadder]):
    """Scores of systems as given, and after each step that removes a difference of form.

    A mapping from name to :class:`SystemLadder`; see :meth:`mauve.Comparison.ladder`.

    Parameters
    ----------
    systems : sequence of SystemLadder
        In the order of the comparison.
    """

    def __init__(self, systems: Sequence[SystemLadder]) -> None:
        self._systems = {system.name: system for system in systems}

    def __getitem__(self, name: str) -> SystemLadder:
        return self._systems[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._systems)

    def __len__(self) -> int:
        return len(self._systems)

    def __repr__(self) -> str:
        rungs = (f"{escaped(n)}={'/'.join(s or AS_GIVEN for s in self.steps(n))}" for n in self)
        return f"Ladder({', '.join(rungs)})"

    def __str__(self) -> str:
        return "\n".join([self.table(), *self.sentences])

    def steps(self, name: str) -> list[str | None]:
        """Return the steps of a system's rungs; the first is None."""
        return [rung.step for rung in self[name].rungs]

    @property
    def sentences(self) -> list[str]:
        """How much of the gap of each system is form."""
        return [f"{escaped(name)}: {system.sentence}" for name, system in self.items()]

    @property
    def left_out(self) -> str:
        """Which steps have no rung in any system, and why, in one sentence; empty if none."""
        steps_by_reason: dict[str, list[str]] = {}
        for step in RUNGS:
            reasons = {system.left_out.get(step) for system in self.values()}
            if len(reasons) == 1 and (reason := reasons.pop()) is not None:
                steps_by_reason.setdefault(reason, []).append(step)
        parts = [f"{format_list(steps)} ({why})" for why, steps in steps_by_reason.items()]
        return f"Left out: {'; '.join(parts)}." if parts else ""

    def rows(self) -> list[dict[str, str]]:
        """Return the rows of the table by column title."""
        return [{"system": name} | row for name, system in self.items() for row in system.rows()]

    def table(self) -> str:
        """Return a table of plain text with a row for each rung."""
        return as_text(*titles_and_cells(self.rows()), left=2)

    def to_markdown(self) -> str:
        """Return the table in Markdown."""
        return as_markdown(*titles_and_cells(self.rows()), left=2)

    def to_latex(self) -> str:
        """Return the table in LaTeX; it needs the package booktabs."""
        return as_latex(*titles_and_cells(self.rows()), left=2)

    def to_dict(self) -> dict[str, Any]:
        """Return the ladders of all systems as plain Python objects for JSON."""
        return {"systems": [system.to_dict() for system in self.values()]}

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Plot the scores with their intervals, rung by rung; needs the ``plot`` extra."""
        from mauve.plots import plot_ladder

        return plot_ladder(self, ax)

    def _repr_html_(self) -> str:
        from html import escape

        said = "".join(f"<p>{escape(sentence)}</p>" for sentence in self.sentences)
        return as_html(*titles_and_cells(self.rows())) + said
