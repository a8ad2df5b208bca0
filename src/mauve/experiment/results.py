"""The results of an experiment: every score and measured value of its grid, and of human text."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from mauve.atomic import atomic_write
from mauve.errors import InvalidParameterError, bad_parameter
from mauve.measures.intervals import Measured
from mauve.measures.saved import measured_from_dict

FORMAT = 1
RESULTS = "results.json"

#: Fields of a setting, in the order in which cells are named and tables are sorted.
DIMENSIONS = (
    "task", "model", "decoder", "seed", "length", "embedder", "quantizer", "num_buckets",
    "scaling", "n",
)  # fmt: skip
#: Those that say how texts are scored, and not which texts there are.
SCORING = ("embedder", "quantizer", "num_buckets", "scaling", "n")


@dataclass(frozen=True)
class GridSetting:
    """Which texts a row is about, and how they were scored.

    Attributes
    ----------
    task, model, decoder : str
        Their names in the config; a sample from a file has an empty decoder.
    seed : int
        Random seed of the texts; 0 for a decoder that draws nothing.
    length : int or None
        Tokens that texts were cut to; None for texts that were not cut.
    embedder, quantizer : str
        Their names in the config.
    num_buckets : int or str
        k as the config has it: a number, "auto" or "n/10".
    scaling : float
        The constant c.
    n : int
        Texts of each sample.

    Examples
    --------
    >>> GridSetting("stories", "small", "greedy", 0, 64).without("seed")["length"]
    64
    """

    task: str
    model: str
    decoder: str
    seed: int
    length: int | None
    embedder: str = "bundled"
    quantizer: str = "kmeans"
    num_buckets: int | str = "auto"
    scaling: float = 5.0
    n: int = 0

    def without(self, *names: str) -> dict[str, Any]:
        """Return the values of all fields but some, by name, in the order of DIMENSIONS."""
        return {name: getattr(self, name) for name in DIMENSIONS if name not in names}


@dataclass(frozen=True)
class MeasureInfo:
    """What a table must know of a measure.

    Attributes
    ----------
    name, title : str
    direction : {"higher", "lower", "human"}
        Which values are good; "human" for those near human text.
    is_statistic : bool
        Whether human text has a value, and rows a gap to it.
    """

    name: str
    title: str
    direction: str
    is_statistic: bool


@dataclass(frozen=True)
class GridRow:
    """Everything that was computed for one setting.

    Attributes
    ----------
    setting : GridSetting
    values : mapping from measure to Measured
        A measure without a value for these texts is absent.
    curve : tuple of (float, float)
        The divergence curve, if the setting has a score.
    p_hist, q_hist : tuple of float
        Share of the human and of the system's texts in each bucket of the first clustering.
    signature : str
        Of the score, or of the measures where there is no score.
    warnings : tuple of str
    steps : tuple of str
        Keys of the steps that the row is made of: of the score, and of the measures if any.

    Examples
    --------
    >>> row = GridRow(GridSetting("t", "m", "greedy", 0, 64), {"zipf": Measured(1.5, (1, 2), 0.2)})
    >>> row.value("zipf"), row.value("mauve")
    (1.5, None)
    """

    setting: GridSetting
    values: Mapping[str, Measured]
    curve: tuple[tuple[float, float], ...] = ()
    p_hist: tuple[float, ...] = ()
    q_hist: tuple[float, ...] = ()
    signature: str = ""
    warnings: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()

    def value(self, measure: str, *, gap: bool = False) -> float | None:
        """Return a value, or its gap to human text; None where it is not defined."""
        measured = self.values.get(measure)
        if measured is None:
            return None
        return measured.gap if gap else measured.value


@dataclass(frozen=True)
class HumanRow:
    """The statistics of human text; they depend on fewer settings than those of a system."""

    task: str
    length: int | None
    embedder: str
    n: int
    values: Mapping[str, Measured]


@dataclass(frozen=True)
class ExperimentResults:
    """All rows of an experiment.

    The score of a setting, "mauve" and its companions, is in the row of that setting. Measures
    that do not depend on how texts are scored are in the row of the first embedder, quantizer,
    k, c and n of the config, the base; those of features are in the row of each embedder too.

    Attributes
    ----------
    name : str
        Of the experiment.
    base : mapping from str to value
        The first value of each dimension of SCORING.
    measures : tuple of MeasureInfo
        In the order of tables.
    rows : tuple of GridRow
        In the order of the config.
    human : tuple of HumanRow
    is_complete : bool
        Whether all steps of the config are done.

    Examples
    --------
    >>> rows = [GridRow(GridSetting("t", "m", "greedy", s, 64, scaling=c), {})
    ...         for s in (0, 1) for c in (5.0, 1.0)]
    >>> results = ExperimentResults("study", {"scaling": 5.0}, (), tuple(rows), ())
    >>> len(results.base_rows()), len(results.select(scaling=1.0)), results.levels("seed")
    (2, 2, [0, 1])
    """

    name: str
    base: Mapping[str, Any]
    measures: tuple[MeasureInfo, ...]
    rows: tuple[GridRow, ...] = field(repr=False)
    human: tuple[HumanRow, ...] = field(repr=False)
    is_complete: bool = True

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[GridRow]:
        return iter(self.rows)

    def select(self, **levels: Any) -> list[GridRow]:
        """Return the rows whose setting has some values: ``select(model="small", length=64)``.

        A list, tuple or set of values selects rows with any of them.
        """
        for name in levels:
            if name not in DIMENSIONS:
                raise bad_parameter("levels", f"among {', '.join(DIMENSIONS)}", name)
        wanted = {
            name: value if isinstance(value, list | tuple | set | frozenset) else (value,)
            for name, value in levels.items()
        }
        return [
            row
            for row in self.rows
            if all(getattr(row.setting, name) in values for name, values in wanted.items())
        ]

    def base_rows(self, *free: str, **levels: Any) -> list[GridRow]:
        """Return the rows that are scored as the base is, but for the dimensions in `free`."""
        fixed = {name: value for name, value in self.base.items() if name not in free}
        return self.select(**{**fixed, **levels})

    def levels(self, dimension: str) -> list[Any]:
        """Return the values of a dimension, in the order in which they come."""
        if dimension not in DIMENSIONS:
            raise bad_parameter("dimension", f"one of {', '.join(DIMENSIONS)}", dimension)
        return [*dict.fromkeys(getattr(row.setting, dimension) for row in self.rows)]

    def human_values(
        self,
        task: str,
        length: int | None,
        *,
        n: int | None = None,
        embedder: str | None = None,
    ) -> Mapping[str, Measured]:
        """Return the statistics of human text, by default those of the base; empty without any."""
        key = (
            task,
            length,
            self.base.get("embedder") if embedder is None else embedder,
            self.base.get("n") if n is None else n,
        )
        for row in self.human:
            if (row.task, row.length, row.embedder, row.n) == key:
                return row.values
        return {}

    def measure(self, name: str) -> MeasureInfo:
        """Return what is known of a measure, or raise."""
        for measure in self.measures:
            if measure.name == name:
                return measure
        known = ", ".join(measure.name for measure in self.measures)
        raise bad_parameter("measure", f"one of {known}", name)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python objects for JSON."""
        return {
            "format": FORMAT,
            "name": self.name,
            "is_complete": self.is_complete,
            "base": dict(self.base),
            "measures": [asdict(measure) for measure in self.measures],
            "human": [{**asdict(row), "values": _as_dicts(row.values)} for row in self.human],
            "rows": [
                {
                    **asdict(row),
                    "setting": asdict(row.setting),
                    "values": _as_dicts(row.values),
                }
                for row in self.rows
            ],
        }

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> "ExperimentResults":
        """Return the results that :meth:`to_dict` wrote, or raise."""
        try:
            if content["format"] != FORMAT:
                raise KeyError("format")
            return cls(
                content["name"],
                content["base"],
                tuple(MeasureInfo(**entry) for entry in content["measures"]),
                tuple(_row(entry) for entry in content["rows"]),
                tuple(
                    HumanRow(**{**entry, "values": _measured(entry["values"])})
                    for entry in content["human"]
                ),
                content["is_complete"],
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InvalidParameterError(
                "Results of an experiment must be what ExperimentResults.to_dict returns. Got "
                f"{error!r} instead."
            ) from error


def read_results(folder: str | Path) -> ExperimentResults:
    """Return the results in the folder of an experiment.

    Parameters
    ----------
    folder : str or Path
        The folder that ``mauve experiment run`` wrote, or the file ``results.json`` itself.

    Raises
    ------
    InvalidParameterError
        If there are none.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_results(ExperimentResults("study", {}, (), (), ()), Path(folder))
    ...     read_results(folder).name
    'study'
    """
    path = Path(folder)
    path = path / RESULTS if path.is_dir() else path
    try:
        content = json.loads(path.read_bytes())
    except OSError as error:
        raise InvalidParameterError(
            f"'{path}' cannot be read ({error.strerror}): name the folder of an experiment, and "
            "run it first."
        ) from error
    except ValueError as error:
        raise InvalidParameterError(
            f"'{path}' must be the results of an experiment. It is no JSON: run the experiment "
            "again."
        ) from error
    return ExperimentResults.from_dict(content)


def write_results(results: ExperimentResults, folder: Path) -> None:
    """Write results atomically, unless the file has them already.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_results(ExperimentResults("study", {}, (), (), ()), Path(folder))
    ...     [path.name for path in Path(folder).iterdir()]
    ['results.json']
    """
    content = json.dumps(results.to_dict(), indent=1, allow_nan=False).encode() + b"\n"
    path = folder / RESULTS
    if path.is_file() and path.read_bytes() == content:
        return
    with atomic_write(path) as file:
        file.write(content)


def _as_dicts(values: Mapping[str, Measured]) -> dict[str, Any]:
    return {name: measured.to_dict() for name, measured in values.items()}


def _measured(values: Mapping[str, Any]) -> dict[str, Measured]:
    return {name: measured_from_dict(entry) for name, entry in values.items()}


def _row(entry: Mapping[str, Any]) -> GridRow:
    known = {each.name for each in fields(GridRow)}
    parts: dict[str, Any] = {name: value for name, value in entry.items() if name in known}
    parts["setting"] = GridSetting(**entry["setting"])
    parts["values"] = _measured(entry["values"])
    parts["curve"] = tuple((x, y) for x, y in entry["curve"])
    for name in ("p_hist", "q_hist", "warnings", "steps"):
        parts[name] = tuple(entry[name])
    return GridRow(**parts)
