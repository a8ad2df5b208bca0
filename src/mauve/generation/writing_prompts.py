"""Read WritingPrompts: files of situations and stories, whose tokenisation is undone."""

import re
from collections.abc import Iterator
from pathlib import Path

from mauve.errors import InvalidParameterError
from mauve.escape import escaped, listed
from mauve.text.fields import Record
from mauve.text.files import COMPRESSIONS, check_path, open_text, read_lines
from mauve.text.records import file_name

_SUFFIXES = (".wp_source", ".wp_target")  # situations, and the stories written for them
_TAG = re.compile(r"^\[ (?P<tag>\w{2,3}) \]\s*", re.ASCII)  # "[ WP ]", what kind of prompt it is

_NEW_LINES = re.compile(r" *<newline> *")
# What the Penn Treebank tokeniser puts a space before, and what belongs to the word before it.
_CLITIC = re.compile(r"(?<=\w) (n[’']t|[’'](?:s|m|d|re|ve|ll))\b", re.IGNORECASE)
_APART = re.compile(r"(?<=\w) ’ (?=(?:s|t|m|d|re|ve|ll)\b)", re.IGNORECASE)
_PLURAL = re.compile(r"(?<=\w[sS]) ' (?=[a-z])")  # "the boys ' room"
_TWO_WORDS = re.compile(r"\b(gon|wan|got|lem|gim) (na|ta|me)\b", re.IGNORECASE)
_MERGED = frozenset(["gonna", "wanna", "gotta", "lemme", "gimme"])
_BEFORE = re.compile(r" +([,;:.?!%…]|\.{2,})(?=[\s\"'”’)\]}.,;:?!…—-]|$)")
_BRACKETS = re.compile(r"(?<=[(\[{]) +| +(?=[)\]}])")
_MONEY = re.compile(r"(?<=[$£€#]) (?=\d)")
_STRAIGHT = re.compile(r' ?" ?')


def is_writing_prompts(path: str) -> bool:
    """Whether a path is a file of WritingPrompts, or a folder with such files.

    Examples
    --------
    >>> is_writing_prompts("test.wp_target"), is_writing_prompts("stories.txt")
    (True, False)
    """
    if _part_of(path):
        return True
    folder = Path(path)
    return folder.is_dir() and any(_part_of(file.name) for file in folder.iterdir())


def story_records(path: str, split: str | None = None) -> Iterator[Record]:
    """Yield the stories, each with the situation it was written for as its prompt.

    Parameters
    ----------
    path : str
        Either of two files, such as ``test.wp_target``, or their folder. Both may be compressed.
    split : str, optional
        ``train``, ``valid`` or ``test`` of a folder; "test" by default.

    Notes
    -----
    See :func:`undo_tokens` for what is undone. The tag before a situation, such as ``[ WP ]``,
    becomes the metadata `tag`; the id is the number of the line.
    """
    source, target = _pair(path, split)
    situations, stories = _lines(source), _lines(target)
    number = 0
    for number, situation in enumerate(situations, 1):
        story = next(stories, None)
        if story is None:
            break
        tag = _TAG.match(situation)
        metadata = {"tag": tag["tag"]} if tag else {}
        prompt = undo_tokens(_TAG.sub("", situation))
        yield Record(undo_tokens(story), prompt, str(number), metadata, has_fields=True)
    else:
        if next(stories, None) is None and number:
            return
    raise InvalidParameterError(
        f"{file_name(source)} and {file_name(target)} must have the same number of lines, at least "
        f"one. They part at line {max(1, number)}: take both from one copy of the data."
    )


def undo_tokens(text: str) -> str:
    r"""Return a text of WritingPrompts as it was before it was split into tokens.

    Undone are: ``<newline>``; the spaces before punctuation, within brackets and quotes, and
    before ``n't``, ``'s`` and the like; quotes written as two accents or apostrophes;
    ``gon na``, ``wan na``, ``got ta``, ``lem me`` and ``gim me``. Not undone, since the tokens do
    not tell: ``can not`` (which was "cannot" or "can not"), spaces around dashes, and several
    spaces that were one.

    Examples
    --------
    >>> undo_tokens("`` I ca n't , '' he said . <newline> <newline> She 'd left ( alone ) .")
    '"I can\'t," he said.\n\nShe\'d left (alone).'
    """
    text = _NEW_LINES.sub("\n", text).strip()
    text = _CLITIC.sub(r"\1", text)
    text = _APART.sub("’", text)
    text = _TWO_WORDS.sub(_merged, text)
    text = re.sub(r"`` ?", '"', text)
    text = re.sub(r" ?''", '"', text)
    text = re.sub(r"(?<=[“‘]) +| +(?=[”])", "", text)
    text = re.sub(r"(?<=[.,!?…]) ’(?=\s|$)", "’", text)  # the end of a quote
    text = _PLURAL.sub("' ", text)
    text = "\n".join(_straight_quotes(line) for line in text.split("\n"))
    # Twice, as marks share the space between them: "what ? !" and ") ,".
    for _ in range(2):
        text = _BEFORE.sub(r"\1", text)
    text = _BRACKETS.sub("", text)
    text = re.sub(r'(?<=[.,!?…]) (?=")(?="(?:\s|$))', "", text)
    return _MONEY.sub("", text)


def _straight_quotes(line: str) -> str:
    """Close the spaces within pairs of straight quotes; a line with an odd number is kept."""
    if line.count(' " ') + line.startswith('" ') + line.endswith(' "') < 2:
        return line
    marks = [*_STRAIGHT.finditer(line)]
    if len(marks) % 2:
        return line
    pieces, end = [], 0
    for i, mark in enumerate(marks):
        pieces.append(line[end : mark.start()])
        is_opening = i % 2 == 0
        before = " " if is_opening and mark[0].startswith(" ") else ""
        after = " " if not is_opening and mark[0].endswith(" ") else ""
        pieces.append(f'{before}"{after}')
        end = mark.end()
    return "".join([*pieces, line[end:]])


def _merged(match: re.Match[str]) -> str:
    word = match[1] + match[2]
    return word if word.lower() in _MERGED else match[0]


def _part_of(name: str) -> str:
    """Return the one of the two suffixes that a name has, before that of a compression."""
    path = Path(name)
    suffix = Path(path.stem).suffix if path.suffix in COMPRESSIONS else path.suffix
    return suffix if suffix in _SUFFIXES else ""


def _pair(path: str, split: str | None) -> tuple[Path, Path]:
    """Return the files of situations and of stories."""
    one = Path(path)
    if one.is_dir():
        names = sorted(
            {file.name.partition(".")[0] for file in one.iterdir() if _part_of(file.name)}
        )
        wanted = split or "test"
        files = sorted(file for file in one.glob(f"{wanted}.*") if _part_of(file.name))
        if not files:
            raise InvalidParameterError(
                f"'{escaped(path)}' must have the files {escaped(wanted)}.wp_source and "
                f"{escaped(wanted)}.wp_target. Got {listed(names)} instead: name another split "
                "with ?split=NAME."
            )
        one = files[0]
    elif split is not None:
        raise InvalidParameterError(
            f"{file_name(path)} is one split already. Got split={escaped(split)} instead: leave it "
            "out, or pass the folder."
        )
    suffix = _part_of(one.name)
    stem, _, end = one.name.rpartition(suffix)
    pair = [one.with_name(f"{stem}{part}{end}") for part in _SUFFIXES]
    for file in pair:
        check_path(file)
    return pair[0], pair[1]


def _lines(path: Path) -> Iterator[str]:
    with open_text(path, file_name(path)) as file:
        for _, line in read_lines(file, file_name(path)):
            yield line.removesuffix("\n").removesuffix("\r")
