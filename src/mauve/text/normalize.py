"""Normalise texts before they are embedded: apply named steps, refuse empty texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from mauve.calls import option, parameter
from mauve.errors import InvalidParameterError
from mauve.escape import escaped, listed_as
from mauve.text.shared_prompts import without_prompts
from mauve.text.steps import JOINT_STEPS, Normalize, check_steps, normalize_text
from mauve.text.words import first_words, word_counts

#: Choices for texts without a character: raise an error, or keep them.
EmptyPolicy = Literal["error", "keep"]
EMPTY: tuple[EmptyPolicy, ...] = get_args(EmptyPolicy)

#: Share of the texts of each sample that may be shorter than the common length.
MAX_SHORTER = 0.1


@dataclass(frozen=True)
class MatchedLength:
    """Samples whose texts were cut to a common length.

    Attributes
    ----------
    samples : dict from name to list of str
        As many texts as before, in the same order.
    n_words : int
        The common length L.
    n_cut : dict from name to int
        Texts that were longer than L and are cut.
    n_shorter : dict from name to int
        Texts that were shorter than L and stay so, at most a tenth.
    """

    samples: dict[str, list[str]]
    n_words: int
    n_cut: dict[str, int]
    n_shorter: dict[str, int]


def checked_texts(texts: Sequence[str], name: str) -> list[str]:
    """Return `texts` as a list of at least one string, or raise.

    Examples
    --------
    >>> checked_texts(("one", "two"), "human")
    ['one', 'two']
    """
    if isinstance(texts, str) or len(texts) == 0:
        got = "one string" if isinstance(texts, str) else "none"
        raise InvalidParameterError(
            f"'{escaped(name)}' must be a list of at least one text. Got {got} instead."
        )
    others = [position for position, text in enumerate(texts) if not isinstance(text, str)]
    if others:
        missing = [position for position in others if is_missing(texts[position])]
        first = texts[others[0]]
        got = listed_as("position", others[:1])
        if missing:
            got = f"missing values at {listed_as('position', missing)}"
            remedy = "remove them, and what belongs to them in other samples and prompts"
        elif isinstance(first, bytes | bytearray):
            got, remedy = f"bytes at {got}", 'decode them, for instance with text.decode("utf-8")'
        elif isinstance(first, list | tuple):
            got, remedy = f"a {type(first).__name__} at {got}", "pass one flat list of strings"
        else:
            got, remedy = f"{type(first).__name__} at {got}", "write it as a string"
        raise InvalidParameterError(
            f"'{escaped(name)}' must hold texts only. Got {got} instead: {remedy}."
        )
    return list(texts)


def is_missing(value: object) -> bool:
    """Whether a value stands for none: None, NaN, or NA and NaT of pandas.

    Examples
    --------
    >>> is_missing(None), is_missing(float("nan")), is_missing("")
    (True, True, False)
    """
    # By name, since pandas need not be installed.
    by_name = type(value).__name__ in ("NAType", "NaTType")
    return value is None or by_name or (isinstance(value, float) and value != value)


def refuse_empty(texts: Sequence[str], what: str, remedy: str, step: str = "") -> None:
    """Raise if a text has no character, with its position and the step that left it so.

    Examples
    --------
    >>> refuse_empty(["a text"], "'human'", "remove them")
    """
    positions = [i for i, text in enumerate(texts) if not text]
    if positions:
        got = f"ones that the step '{step}' leaves empty" if step else "empty ones"
        raise InvalidParameterError(
            f"{what} must hold texts that are not empty. Got {got} at "
            f"{listed_as('position', positions)} instead: {remedy}."
        )


def match_length(samples: Mapping[str, Sequence[str]]) -> MatchedLength:
    r"""Cut the texts of all samples to one length, so that length no longer distinguishes them.

    Parameters
    ----------
    samples : mapping from name to sequence of str
        Human text and every system of a comparison together: scores are comparable only
        if all samples were cut to the same length.

    Returns
    -------
    MatchedLength

    Raises
    ------
    InvalidParameterError
        Where more than a tenth of a sample's texts have no word, so that no length is
        common.

    Notes
    -----
    The common length L is the greatest number of words that at least nine tenths of the
    texts of *every* sample have. Every longer text keeps its first L words, with the white
    space before and between them; every other text is unchanged. No text is dropped, so
    prompts and pairs keep their places. Afterwards at least nine tenths of
    each sample have exactly L words, and the shares of texts up to any length differ by
    at most a tenth.

    Dropping or resampling texts until the lengths agree would change which subjects and
    prompts are compared. Cutting keeps all texts and compares how they begin. What a model
    writes after L words is then not measured, so look at L, and at how many texts were cut,
    before reading the score.

    Examples
    --------
    >>> human = ["one two three four", " one two three"]
    >>> matched = match_length({"human": human, "model": ["uno dos\n", "uno, dos; tres"]})
    >>> matched.samples
    {'human': ['one two', ' one two'], 'model': ['uno dos\n', 'uno, dos;']}
    >>> matched.n_words, matched.n_cut, matched.n_shorter
    (2, {'human': 2, 'model': 1}, {'human': 0, 'model': 0})
    """
    if not samples:
        raise InvalidParameterError(
            f"{parameter('samples')} must hold at least one sample. Got none."
        )
    texts = {name: checked_texts(sample, name) for name, sample in samples.items()}
    lengths = {name: word_counts(sample) for name, sample in texts.items()}
    # Of n texts sorted by length, floor(n / 10) come before this one.
    common = {name: int(np.sort(n)[int(MAX_SHORTER * len(n))]) for name, n in lengths.items()}
    n_words = min(common.values())
    if n_words == 0:
        shortest = min(common, key=common.__getitem__)
        raise InvalidParameterError(
            f"'{escaped(shortest)}' must have a word in at least nine tenths of its texts, or no "
            f"length is common to all. Got none at "
            f"{listed_as('position', np.flatnonzero(lengths[shortest] == 0).tolist())} instead: "
            "remove them."
        )
    return MatchedLength(
        samples={
            name: [
                first_words(text, n_words) if n > n_words else text
                for text, n in zip(sample, lengths[name], strict=True)
            ]
            for name, sample in texts.items()
        },
        n_words=n_words,
        n_cut={name: int((n > n_words).sum()) for name, n in lengths.items()},
        n_shorter={name: int((n < n_words).sum()) for name, n in lengths.items()},
    )


def normalize_texts(
    samples: Mapping[str, Sequence[str]],
    steps: Normalize | None,
    prompts: Mapping[str, Sequence[str]] | None = None,
) -> tuple[dict[str, list[str]], str]:
    r"""Change the form of texts by named steps, alike for all samples.

    Parameters
    ----------
    samples : mapping from name to sequence of str
        Human texts first, then those of every system.
    steps : str or sequence of str
        Names of :data:`mauve.text.steps.NORMALIZE_STEPS`, such as "space,typography". They are
        applied in the order there, whatever the order here.
    prompts : mapping from name to sequence of str, optional
        The prompt of each text, for the step "prompt", which looks for prompts without them.

    Returns
    -------
    samples : dict from name to list of str
        As many texts as before, in the same order.
    recipe : str
        The steps that were applied, for the signature; "ends" is ``strip`` and "length" is
        ``words`` with the number of words.

    Notes
    -----
    Normalising twice changes nothing, with two exceptions: a text that repeats its prompt loses
    it twice, and texts that were cut to one length may end within a sentence.

    Examples
    --------
    >>> samples = {"human": ["“One\n\n two”"], "model": ["One \t two"]}
    >>> normalize_texts(samples, "space,typography")
    ({'human': ['"One two"'], 'model': ['One two']}, 'typography+space')
    """
    chosen = check_steps(steps)
    prepared = {name: checked_texts(texts, name) for name, texts in samples.items()}
    return _apply(prepared, chosen, prompts)


def _apply(
    samples: dict[str, list[str]],
    steps: Sequence[str],
    prompts: Mapping[str, Sequence[str]] | None,
) -> tuple[dict[str, list[str]], str]:
    recipe = [_RECIPE.get(step, step) for step in steps]
    if "prompt" in steps:
        samples = without_prompts(samples, prompts)
    if set(steps) - set(JOINT_STEPS):
        samples = {
            name: [normalize_text(text, steps) for text in texts] for name, texts in samples.items()
        }
    if "length" in steps:
        matched = match_length(samples)
        samples = matched.samples
        recipe[-1] = f"words{matched.n_words}"
    return samples, "+".join(recipe)


#: Steps whose name in a signature is older than the steps.
_RECIPE = {"ends": "strip"}


def prepare_texts(
    samples: Mapping[str, Sequence[str]],
    *,
    strip: bool = False,
    same_length: bool = False,
    normalize: Normalize | None = None,
    empty: EmptyPolicy = "error",
    prompts: Mapping[str, Sequence[str]] | None = None,
) -> tuple[dict[str, list[str]], str]:
    """Normalise texts and refuse empty ones, as chosen.

    Parameters
    ----------
    samples : mapping from name to sequence of str
        Human texts and those of every system.
    strip : bool
        Remove white space at both ends of every text: the step "ends".
    same_length : bool
        Cut all texts to one number of words: the step "length".
    normalize : str or sequence of str, optional
        Steps of :func:`normalize_texts`.
    empty : {"error", "keep"}
        What to do about texts without a character.
    prompts : mapping from name to sequence of str, optional
        The prompt of each text.

    Returns
    -------
    samples : dict from name to list of str
    recipe : str
        The steps that were applied, for the signature.

    Examples
    --------
    >>> prepare_texts({"human": [" one two", "one "], "model": ["one two three", "one"]},
    ...               strip=True, same_length=True)
    ({'human': ['one', 'one'], 'model': ['one', 'one']}, 'strip+words1')
    """
    shortcuts = [*["ends"] * strip, *["length"] * same_length]
    steps = check_steps([*check_steps(normalize), *shortcuts])
    given = {name: [*texts] for name, texts in samples.items()}
    if empty == "error":
        for name, texts in given.items():
            refuse_empty(texts, f"'{escaped(name)}'", _empty_remedy())
    prepared, recipe = _apply(given, tuple(step for step in steps if step != "length"), prompts)
    if empty == "error":
        for name, texts in prepared.items():
            if not all(texts):
                step = _emptying_step(given, steps, prompts, name)
                refuse_empty(texts, f"'{escaped(name)}'", _empty_remedy(), step)
    if "length" in steps:
        prepared, words = _apply(prepared, ("length",), None)
        recipe = "+".join(filter(None, [recipe, words]))
    return prepared, recipe


def _empty_remedy() -> str:
    return f"remove them, or read them as one end-of-text token with {option('empty', 'keep')}"


def _emptying_step(
    samples: dict[str, list[str]],
    steps: Sequence[str],
    prompts: Mapping[str, Sequence[str]] | None,
    name: str,
) -> str:
    """Return the first step after which a text of a sample is empty."""
    for n in range(1, len(steps)):
        if not all(_apply(samples, steps[:n], prompts)[0][name]):
            return steps[n - 1]
    return steps[-1]
