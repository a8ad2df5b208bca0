"""Read the texts of a study: prompts that sources share, and continuations of one length."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from mauve.embed.batching import encodable
from mauve.errors import InvalidParameterError, bad_parameter, warn_caller
from mauve.escape import escaped
from mauve.formatting import format_count
from mauve.generation.prompt_filter import is_well_formed
from mauve.lm.text_tokenizer import TextTokenizer, get_text_tokenizer
from mauve.study.settings import StudySettings
from mauve.text.read import TextFile, read_records, read_texts
from mauve.text.shared_prompts import without_prompts

#: A file with the fields ``prompt`` and ``text``, such a file that was read, or such records.
Source = str | Path | TextFile | Sequence[Mapping[str, Any]]

HUMAN = "human"


class Continuation(NamedTuple):
    """A continuation as it is displayed, and its length in tokens."""

    text: str
    n_tokens: int


@dataclass(frozen=True)
class StudyTexts:
    """The texts that a study can show.

    Attributes
    ----------
    prompts : list of str
        Those of human text that pass the filter, in the order of its file.
    continuations : dict of str to dict of int to Continuation
        For every source, human first: the continuation of a prompt by its position.
    setup : dict of str to int
        How many prompts were read and kept.
    """

    prompts: list[str]
    continuations: dict[str, dict[int, Continuation]]
    setup: dict[str, int]


def read_study_texts(
    human: Source, systems: Mapping[str, Source], settings: StudySettings
) -> StudyTexts:
    """Read the samples of a study and keep the texts that it can show.

    Parameters
    ----------
    human : path, TextFile or sequence of mapping
        Records with the fields ``prompt`` and ``text``.
    systems : mapping from name to the same
        One or more systems that continue the same prompts.
    settings : StudySettings
        The lengths, the tokenizer and the filter of prompts.

    Notes
    -----
    A prompt at the beginning of its own continuation is removed, as the page shows it above both.
    Characters that a page or a database cannot hold (NUL and lone surrogates) become U+FFFD, as
    browsers do.

    Examples
    --------
    >>> settings = StudySettings(min_tokens=2, max_tokens=4, well_formed=False)
    >>> said = [{"prompt": "Once", "text": " upon a time there was a king."}]
    >>> short = [{"prompt": "Once", "text": " more."}]
    >>> texts = read_study_texts(said, {"echo": said, "brief": short}, settings)
    >>> texts.continuations["human"], texts.setup["shared"]
    ({0: Continuation(text=' upon a time there', n_tokens=4)}, 1)
    """
    _check_names(systems)
    files = {HUMAN: _read(human, HUMAN), **{name: _read(s, name) for name, s in systems.items()}}
    by_prompt = {name: _by_prompt(file, name) for name, file in files.items()}
    in_system = set().union(*(by_prompt[name] for name in systems))
    shared = [prompt for prompt in by_prompt[HUMAN] if prompt in in_system]
    if not shared:
        raise InvalidParameterError(
            "No prompt of the human texts is answered by a system: all samples must have the field "
            "'prompt', with the same prompts."
        )
    kept = [p for p in shared if is_well_formed(p)] if settings.well_formed else shared
    if not kept:
        raise InvalidParameterError(
            f"None of the {format_count(len(shared), 'shared prompt')} is well-formed English: "
            "use other prompts, or switch the filter of prompts off."
        )
    tokenizer = get_text_tokenizer(settings.tokenizer)
    continuations = {
        name: _of_length(texts, kept, tokenizer, settings) for name, texts in by_prompt.items()
    }
    setup = {
        "prompts": len(by_prompt[HUMAN]),
        "shared": len(shared),
        "well_formed": len(kept),
        **{f"long_enough:{name}": len(texts) for name, texts in continuations.items()},
    }
    return StudyTexts([_showable(prompt) for prompt in kept], continuations, setup)


def _check_names(systems: Mapping[str, Source]) -> None:
    if not isinstance(systems, Mapping) or not systems:
        raise bad_parameter("systems", "a mapping with at least one system", systems)
    if HUMAN in systems:
        raise InvalidParameterError(
            "No system may be called 'human', as the human texts are: give it another name."
        )
    for name in systems:
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise bad_parameter("systems", "named by printable texts", name)


def _read(source: Source, name: str) -> TextFile:
    if isinstance(source, TextFile):
        file = source
    elif isinstance(source, str | Path):
        file = read_texts(source)
    else:
        file = read_records(source, name)
    if file.prompts is None:
        what = escaped(str(source)) if isinstance(source, str | Path) else name
        raise InvalidParameterError(
            f"Every text in '{what}' must have a prompt: add the field 'prompt' to each record."
        )
    return file


def _by_prompt(file: TextFile, name: str) -> dict[str, str]:
    """Return the continuation of each prompt, the first where a sample has several."""
    prompts = file.prompts or []
    texts = without_prompts({name: file.texts}, {name: prompts})[name]
    first: dict[str, str] = {}
    for prompt, text in zip(prompts, texts, strict=True):
        first.setdefault(prompt, text)
    if len(first) < len(texts):
        warn_caller(
            f"'{escaped(name)}' has {len(texts)} texts for {len(first)} prompts: the study uses "
            "the first text of each prompt."
        )
    return first


def _of_length(
    texts: Mapping[str, str],
    prompts: Sequence[str],
    tokenizer: TextTokenizer,
    settings: StudySettings,
) -> dict[int, Continuation]:
    """Return the texts with enough tokens, cut to the largest number, by position of prompt."""
    kept = {}
    for i, prompt in enumerate(prompts):
        if prompt not in texts:
            continue
        text = _showable(texts[prompt])
        tokens = tokenizer.encode(text)
        if len(tokens) < settings.min_tokens or not text.strip():
            continue
        if len(tokens) > settings.max_tokens:
            # The last token may end within a character.
            text = tokenizer.decode(tokens[: settings.max_tokens]).rstrip("\ufffd")
        kept[i] = Continuation(text, min(len(tokens), settings.max_tokens))
    return kept


def _showable(text: str) -> str:
    return encodable([text])[0].replace("\x00", "\ufffd")
