"""Read the texts of a finished step, and cut them to a length."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mauve.atomic import atomic_write
from mauve.errors import InvalidParameterError
from mauve.escape import escaped
from mauve.generation.splitting import cut_text
from mauve.lm.text_tokenizer import TextTokenizer
from mauve.text.read import read_texts


@dataclass(frozen=True)
class StepTexts:
    """Texts, and the prompts they answer if there are any.

    Attributes
    ----------
    texts : list of str
    prompts : list of str or None

    Examples
    --------
    >>> texts = StepTexts([" upon a time.", " a day."], ["Once", "Twice"])
    >>> texts.first(1), texts.with_prompts().texts
    (StepTexts(texts=[' upon a time.'], prompts=['Once']), ['Once upon a time.', 'Twice a day.'])
    """

    texts: list[str]
    prompts: list[str] | None

    def __len__(self) -> int:
        return len(self.texts)

    def first(self, n: int) -> "StepTexts":
        """Return the first n texts."""
        return StepTexts(self.texts[:n], None if self.prompts is None else self.prompts[:n])

    def with_prompts(self) -> "StepTexts":
        """Return every text with its prompt before it."""
        prompts = self.prompts or [""] * len(self)
        whole = [prompt + text for prompt, text in zip(prompts, self.texts, strict=True)]
        return StepTexts(whole, self.prompts)

    def cut(self, n_tokens: int, tokenizer: TextTokenizer) -> "StepTexts":
        """Return every text cut to a number of tokens."""
        parts = [cut_text(text, n_tokens, tokenizer) for text in self.texts]
        return StepTexts(
            ["" if part is None else part.continuation for part in parts], self.prompts
        )


def read_step_texts(path: Path) -> StepTexts:
    """Return the texts in a file that a step has written, in the order of their prompts."""
    try:
        rows = [json.loads(line) for line in path.read_bytes().splitlines()]
        rows.sort(key=lambda row: int(row.get("position", 0)))
        texts = [str(row["text"]) for row in rows]
        prompts: list[Any] = [row.get("prompt") for row in rows]
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InvalidParameterError(
            f"'{escaped(str(path))}' cannot be read: remove it, and it is written again."
        ) from error
    return StepTexts(texts, None if any(p is None for p in prompts) else prompts)


def copy_texts(source: str, n: int, target: Path) -> int:
    """Write the first n texts of a file of any kind as JSON lines, and return their number."""
    read = read_texts(source)
    texts = read.texts[:n]
    prompts = read.prompts[:n] if read.prompts is not None else [None] * len(texts)
    rows = [
        {"position": i, "prompt": prompt, "text": text}
        for i, (prompt, text) in enumerate(zip(prompts, texts, strict=True))
    ]
    target.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(target) as file:
        file.write(b"".join(json.dumps(row).encode() + b"\n" for row in rows))
    return len(rows)
