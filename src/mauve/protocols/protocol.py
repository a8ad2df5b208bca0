"""Define what a protocol fixes, and make one from a TOML table, every key of it checked."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args, get_type_hints

from mauve.errors import InvalidParameterError
from mauve.escape import escaped, listed
from mauve.measures.registry import check_names

#: Whether samples need prompts, may have them, or must be free of them.
PromptRule = Literal["required", "optional", "none"]
#: Where the settings are from: released code, the text of a paper, or common practice.
Basis = Literal["code", "paper", "practice"]
#: The plug-in score of the authors' package, or our score alone.
Method = Literal["authors", "ours"]


@dataclass(frozen=True)
class SampleRules:
    """What a protocol fixes about the texts.

    Attributes
    ----------
    texts : int
        Texts of each sample; of larger ones that many are drawn, of smaller ones a warning says so.
    min_texts : int
        Smaller samples are refused.
    tokens : int
        Tokens that the embedder reads of a text.
    words : int
        Words that texts are cut to before, with single spaces between them; 0 for no cut.
    full_length : bool
        Whether texts are meant to fill the tokens; a warning says where they do not.
    prompts : {"required", "optional", "none"}
    join_prompt : bool
        Whether the prompt is compared with the text, a space between them.
    per_prompt : int
        Texts of a system for each prompt; 0 for any number.
    strip_punctuation : bool
        Whether ASCII punctuation at the end of texts is removed.
    """

    texts: int = 1000
    min_texts: int = 100
    tokens: int = 1024
    words: int = 0
    full_length: bool = False
    prompts: PromptRule = "optional"
    join_prompt: bool = False
    per_prompt: int = 0
    strip_punctuation: bool = False


@dataclass(frozen=True)
class ScoreRules:
    """What a protocol fixes about the score.

    Attributes
    ----------
    method : {"authors", "ours"}
    embedder : str
    num_buckets : int or "n/10"
        "n/10" is a tenth of the smaller sample, as in the authors' package.
    scaling : float
        The constant c.
    seeds : tuple of int
        The score is the mean over them, with their standard deviation.
    restarts : int
        Restarts of k-means, of which the best is kept.
    explained_variance : float
    percent : bool
        Whether the score is printed times 100.
    """

    method: Method = "authors"
    embedder: str = "gpt2-large"
    num_buckets: int | Literal["n/10"] = "n/10"
    scaling: float = 5.0
    seeds: tuple[int, ...] = (25,)
    restarts: int = 5
    explained_variance: float = 0.9
    percent: bool = False


@dataclass(frozen=True)
class ReportRules:
    """The measures that are printed beside the score, and what they are computed with.

    Attributes
    ----------
    measures : str
        Names with commas between them, as for :func:`mauve.measure`; may be empty.
    tokenizer, language_model : str
    """

    measures: str = ""
    tokenizer: str = "words"
    language_model: str = "bundled"


@dataclass(frozen=True)
class Protocol:
    """How one line of papers computes MAUVE.

    Attributes
    ----------
    name, title : str
    source : str
        Where the settings are from.
    basis : {"code", "paper", "practice"}
        Whether they are those of released code, of the text of a paper, or of common practice,
        which the paper that one follows may not share.
    references : str
        How the human texts and prompts are drawn, in words.
    samples : SampleRules
    score : ScoreRules
    report : ReportRules

    Examples
    --------
    >>> table = {"title": "Ours", "source": "a paper", "samples": {"texts": 500}}
    >>> protocol = Protocol.from_table("mine", table)
    >>> protocol.samples.texts, protocol.score.scaling
    (500, 5.0)
    """

    name: str
    title: str
    source: str
    basis: Basis = "practice"
    references: str = ""
    samples: SampleRules = SampleRules()
    score: ScoreRules = ScoreRules()
    report: ReportRules = ReportRules()

    @classmethod
    def from_table(cls, name: str, table: Mapping[str, Any]) -> "Protocol":
        """Make a protocol from the table that TOML holds, or raise naming the key."""
        given = dict(table)
        parts: dict[str, Any] = {
            part: _made(kind, given.pop(part, {}), f"{part}.", name)
            for part, kind in _PARTS.items()
        }
        values = _checked(cls, given, "", name, {"name", *_PARTS})
        for key in ("title", "source"):
            if key not in values:
                raise InvalidParameterError(
                    f"The protocol '{escaped(name)}' must have the key '{key}'. Got none instead: "
                    "add it to its TOML file."
                )
        protocol = cls(name=name, **values, **parts)
        if protocol.report.measures:
            try:
                check_names(protocol.report.measures)
            except InvalidParameterError as error:
                raise InvalidParameterError(
                    f"The key 'report.measures' of the protocol '{escaped(name)}' is wrong: {error}"
                ) from error
        if protocol.samples.min_texts > protocol.samples.texts:
            raise InvalidParameterError(
                f"The key 'samples.min_texts' of the protocol '{escaped(name)}' must be at most "
                f"'samples.texts', {protocol.samples.texts}. Got {protocol.samples.min_texts} "
                "instead."
            )
        return protocol

    def to_dict(self) -> dict[str, Any]:
        """Return the protocol as a dict of plain values.

        Examples
        --------
        >>> Protocol("mine", "Ours", "a paper").to_dict()["score"]["seeds"]
        [25]
        """
        as_dict = asdict(self)
        as_dict["score"]["seeds"] = [*self.score.seeds]
        return as_dict


_PARTS: dict[str, type] = {"samples": SampleRules, "score": ScoreRules, "report": ReportRules}

#: The smallest whole number of a key, where 0 does not mean that there is no such rule.
_LOWEST = {"texts": 10, "min_texts": 10, "tokens": 2, "restarts": 1, "num_buckets": 2}


def _made(kind: type, table: Any, prefix: str, name: str) -> Any:
    if not isinstance(table, Mapping):
        raise _wrong(name, prefix.rstrip("."), "a table", table)
    return kind(**_checked(kind, table, prefix, name, set()))


def _checked(
    kind: type, table: Mapping[str, Any], prefix: str, name: str, elsewhere: set[str]
) -> dict[str, Any]:
    """Return the values of a table, checked against the types of a dataclass."""
    hints = get_type_hints(kind)
    known = [field.name for field in fields(kind) if field.name not in elsewhere]
    for key in table:
        if key not in known:
            allowed = [f"{prefix}{each}" for each in [*known, *(_PARTS if not prefix else ())]]
            raise InvalidParameterError(
                f"The protocol '{escaped(name)}' must have only keys it can have: "
                f"{listed(allowed)}. Got '{escaped(prefix + key)}' instead."
            )
    return {key: _value(hints[key], key, value, prefix + key, name) for key, value in table.items()}


def _value(hint: Any, key: str, value: Any, path: str, name: str) -> Any:
    if hint is bool:
        if not isinstance(value, bool):
            raise _wrong(name, path, "true or false", value)
        return value
    if hint is str:
        if not isinstance(value, str):
            raise _wrong(name, path, "a string", value)
        return value
    if hint is float:
        upper = 1.0 if key == "explained_variance" else 100.0
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= upper:
            raise _wrong(name, path, f"a number above 0, at most {upper:g}", value)
        return float(value)
    if key == "seeds":
        if not isinstance(value, list) or not value or not all(map(_is_seed, value)):
            raise _wrong(name, path, "a list of whole numbers that are not negative", value)
        if len({*value}) < len(value):
            raise _wrong(name, path, "a list of different numbers", value)
        return tuple(value)
    choices = get_args(hint)
    if hint is int or int in choices:
        low = _LOWEST.get(key, 0)
        if isinstance(value, str) and hint is not int and value == "n/10":
            return value
        if not _is_seed(value) or value < low:
            rule = f"a whole number of at least {low}" + (" or 'n/10'" if hint is not int else "")
            raise _wrong(name, path, rule, value)
        return value
    if value not in choices:
        raise _wrong(name, path, f"one of {listed([repr(each) for each in choices])}", value)
    return value


def _is_seed(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _wrong(name: str, path: str, rule: str, value: Any) -> InvalidParameterError:
    return InvalidParameterError(
        f"The key '{escaped(path)}' of the protocol '{escaped(name)}' must be {rule}. "
        f"Got {escaped(repr(value))} instead."
    )
