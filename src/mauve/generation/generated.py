"""What was generated: the file of each model, decoder and seed, and how many texts it has."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from mauve.generation.files import read_sample
from mauve.tables import as_markdown, as_text

_COLUMNS = ["model", "decoder", "seed", "texts", "new", "tokens", "ended", "tokens/s"]


@dataclass(frozen=True)
class GeneratedSample:
    """The texts of one model, decoder and seed.

    Attributes
    ----------
    model : str
        Its name in tables and files.
    signature : str
        The model with its checksum or commit.
    decoder : str
    seed : int
    path : Path
        The file, one text a line.
    n_texts, n_tokens, n_ended : int
        Texts in the file, their tokens, and those that ended by themselves.
    n_new, n_new_tokens : int
        Texts and tokens that this call wrote; the others were there.
    seconds : float
        What they took.
    """

    model: str
    signature: str
    decoder: str
    seed: int
    path: Path
    n_texts: int
    n_tokens: int
    n_ended: int
    n_new: int = field(compare=False)
    n_new_tokens: int = field(compare=False)
    seconds: float = field(compare=False)

    def texts(self, *, with_prompt: bool = False) -> list[str]:
        """Return the continuations in the order of the prompts; or each with its prompt."""
        sample = read_sample(self.path)[: self.n_texts]
        return [text.prompt * with_prompt + text.text for text in sample]

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers as plain Python objects for JSON."""
        return asdict(self) | {"path": str(self.path)}


@dataclass(frozen=True)
class Generated:
    """The result of :func:`mauve.generate`, a sequence of samples.

    Attributes
    ----------
    folder : Path
    samples : tuple of GeneratedSample
        One for each decoder and seed.
    """

    folder: Path
    samples: tuple[GeneratedSample, ...]

    def __len__(self) -> int:
        return len(self.samples)

    def __iter__(self) -> Iterator[GeneratedSample]:
        return iter(self.samples)

    def __getitem__(self, position: int) -> GeneratedSample:
        return self.samples[position]

    def __str__(self) -> str:
        return self.table()

    @property
    def paths(self) -> list[Path]:
        """The files of all samples."""
        return [sample.path for sample in self.samples]

    @property
    def n_new(self) -> int:
        """Texts that this call wrote."""
        return sum(sample.n_new for sample in self.samples)

    def table(self) -> str:
        """Return a table of plain text, with a row for each sample."""
        return as_text(_COLUMNS, self._rows(), left=2)

    def to_markdown(self) -> str:
        """Return the table in Markdown."""
        return as_markdown(_COLUMNS, self._rows(), left=2)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python objects for JSON."""
        return {
            "folder": str(self.folder),
            "samples": [sample.to_dict() for sample in self.samples],
        }

    def _rows(self) -> list[list[str]]:
        return [
            [
                sample.model,
                sample.decoder,
                str(sample.seed),
                f"{sample.n_texts:,}",
                f"{sample.n_new:,}",
                f"{sample.n_tokens:,}",
                f"{sample.n_ended:,}",
                f"{sample.n_new_tokens / sample.seconds:,.0f}" if sample.n_new else "--",
            ]
            for sample in self.samples
        ]
