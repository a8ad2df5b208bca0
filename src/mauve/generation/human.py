"""Keep the examples of a task in a file: the prompts, and the human continuations."""

import hashlib
import json
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from mauve.atomic import atomic_write, make_folder
from mauve.errors import InvalidParameterError, MauveWarning, warn_caller
from mauve.generation.examples import Example
from mauve.generation.files import check_settings
from mauve.generation.sources import SourceLike
from mauve.generation.tasks import Task, get_task, read_examples
from mauve.lm.text_tokenizer import TextTokenizer
from mauve.text.sources import parse_source

FORMAT = 1


@dataclass(frozen=True)
class ExampleOptions:
    """How examples are drawn; see :func:`mauve.generation.tasks.read_examples`."""

    task: str | Task
    n: int | None = None
    seed: int = 0
    prompt_tokens: int | None = None
    max_tokens: int | None = None
    min_tokens: int = 0
    well_formed: bool = False

    @property
    def longest(self) -> int:
        """Most tokens of a continuation."""
        return get_task(self.task).max_tokens if self.max_tokens is None else self.max_tokens


def load_examples(
    folder: Path,
    source: SourceLike,
    options: ExampleOptions,
    tokenizer: TextTokenizer,
) -> list[Example]:
    """Return the examples of a source, from ``human.jsonl`` in the folder if it has them.

    Parameters
    ----------
    folder : Path
    source : str, Path, or iterable of str or mapping
    options : ExampleOptions
    tokenizer : TextTokenizer
        Its tokens are counted.

    Raises
    ------
    InvalidParameterError
        If there are texts in the folder that continue other prompts.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from mauve.lm.writers import get_writer
    >>> texts = ["It rained all day, and we stayed in.", "The sun came out at noon, at last."]
    >>> options = ExampleOptions("text", prompt_tokens=3, max_tokens=5)
    >>> with TemporaryDirectory() as folder:
    ...     examples = load_examples(Path(folder), texts, options, get_writer("bundled"))
    ...     again = load_examples(Path(folder), texts, options, get_writer("bundled"))
    >>> len(examples), again == examples
    (2, True)
    """
    if not isinstance(source, str | Path):
        source = [*source]  # an iterator can be read once
    settings: dict[str, Any] = {
        "source": source_digest(source),
        "tokenizer": _tokenizer_name(tokenizer),
        **{name: getattr(options, name) for name in ExampleOptions.__dataclass_fields__},
        "task": get_task(options.task).name,
        "max_tokens": options.longest,
    }
    is_readable = not settings["source"].endswith("@unreadable")
    kept = _kept_examples(folder, settings) if is_readable else None
    if kept is None:
        _check_replaceable(folder, settings)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", MauveWarning)
            examples: list[Example] = read_examples(
                options.task, source, tokenizer=tokenizer, n=options.n, seed=options.seed,
                prompt_tokens=options.prompt_tokens, max_tokens=options.max_tokens,
                min_tokens=options.min_tokens or None, well_formed=options.well_formed,
            )  # fmt: skip
        messages = [str(warning.message) for warning in caught]
        _write(folder, examples, settings, messages)
    else:
        examples, messages = kept
    for message in messages:
        warn_caller(message)
    return examples


def source_digest(source: SourceLike) -> str:
    """Return what says whether a source is the same: its name, and a checksum of what it holds.

    A dataset of the hub is known by its name and options alone.

    Examples
    --------
    >>> source_digest(["one", "two"]) == source_digest(iter(["one", "two"]))
    True
    >>> source_digest("hf:roneneldan/TinyStories?take=100")
    'hf:roneneldan/TinyStories?take=100'
    """
    digest = hashlib.blake2b(digest_size=8)
    if not isinstance(source, str | Path):
        for record in source:
            digest.update(json.dumps(record, default=str, sort_keys=True).encode() + b"\n")
        return f"texts@{digest.hexdigest()}"
    parsed = parse_source(source)
    if parsed.is_dataset:
        return str(source)
    path = Path(parsed.path)
    try:
        for file in sorted(path.iterdir()) if path.is_dir() else [path]:
            if file.is_file():
                with file.open("rb") as content:
                    while chunk := content.read(1 << 20):
                        digest.update(chunk)
    except OSError:
        return f"{path.name}@unreadable"  # reading it raises an error with a remedy
    options = "&".join(f"{name}={value}" for name, value in sorted(parsed.options.items()))
    return f"{path.name}{'?' * bool(options)}{options}@{digest.hexdigest()}"


def _kept_examples(
    folder: Path, settings: Mapping[str, Any]
) -> tuple[list[Example], list[str]] | None:
    """Return the examples in the folder and their warnings, None unless of these settings."""
    try:
        sidecar = json.loads((folder / "human.json").read_bytes())
        content = (folder / "human.jsonl").read_bytes()
        if sidecar["settings"] != settings or sidecar["checksum"] != _checksum(content):
            return None
        rows = [json.loads(line) for line in content.splitlines()]
        examples = [
            Example(row["prompt"], row["text"], row["id"], row["metadata"],
                    row["n_prompt_tokens"], row["n_tokens"], row["ended"])
            for row in rows
        ]  # fmt: skip
        return examples, sidecar["warnings"]
    except (OSError, ValueError, KeyError, TypeError):
        return None  # there are none, or they are damaged: they are read again


def _check_replaceable(folder: Path, settings: Mapping[str, Any]) -> None:
    """Raise if texts were generated for examples of other settings; their number may change."""
    if next((folder / "samples").rglob("*.jsonl"), None) is None:
        return
    try:
        old = json.loads((folder / "human.json").read_bytes())["settings"]
        check_settings(folder / "human.jsonl", {**old, "n": settings["n"]}, settings)
    except InvalidParameterError:
        raise
    except (OSError, ValueError, KeyError, TypeError):
        return  # without them, each file of texts is checked against the new prompts


def _write(
    folder: Path, examples: Iterable[Example], settings: Mapping[str, Any], messages: list[str]
) -> None:
    rows = [
        {
            "id": example.id,
            "prompt": example.prompt,
            "text": example.reference,
            "n_tokens": example.n_tokens,
            "ended": example.ended,
            "n_prompt_tokens": example.n_prompt_tokens,
            "metadata": example.metadata,
        }
        for example in examples
    ]
    content = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
    sidecar = {
        "format": FORMAT,
        "written_by": f"mauve-eval {version('mauve-eval')}",
        "settings": dict(settings),
        "checksum": _checksum(content),
        "warnings": messages,
    }
    make_folder(folder)
    with atomic_write(folder / "human.jsonl") as file:
        file.write(content)
    with atomic_write(folder / "human.json") as file:
        file.write(json.dumps(sidecar, indent=1).encode() + b"\n")


def _tokenizer_name(tokenizer: TextTokenizer) -> str:
    """Return the signature of a tokenizer; without one, that of what it makes of a sentence."""
    signature = getattr(tokenizer, "signature", None)
    if isinstance(signature, str):
        return signature
    tokens = tokenizer.encode("The 3 naïve cats sat on the mat, didn't they?")
    return f"{type(tokenizer).__name__}@{_checksum(repr([*tokens]).encode())}"


def _checksum(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=8).hexdigest()
