"""Recognise program code, markup and data by the marks that prose has not."""

import re

_N_CHARACTERS = 2000  # at the start of a text, by which it is recognised

# Each kind is written so that prose, Markdown, tables, smileys and drawings have few of it: a
# bracket must follow a name, a semicolon end a line with code in it.
_MARKS = {
    "call": r"\w\((?!s\))",
    "index": r"\w\[(?!\d+\]|edit|sic|citation)",
    "statement": r"[)\]\"'\w]\s*;[ \t]*(?:\n|$|//|/\*|\})|[)\s;\"']\{[ \t]*(?:\n|$|\"|')|^[ \t]*\}",
    "assignment": r"\w\s?(?:[-+*/|&:]?=)\s?[\"'\w\[({\-]",
    "comparison": r"[=!<>]==?|&&|\|\||\+\+|\w->\w|=>|\w::\w",
    "key": r"[\"']\w+[\"']\s*:\s*[\"'\d\[{tfn]",
    "value": r":\s*(?:true|false|null|-?[\d.]+)\s*[,}\]]",
    "nesting": r"[\[{]\s*[\"'{\[]|[}\]]\s*[,}\]]",
    "tag": r"</\w+>|<\w+(?:\s+[\w-]+=\"[^\"]*\")+\s*/?>|<(?:p|br|div|li|td|tr|ul|span)\s*/?>",
    "command": r"\\(?:[a-zA-Z]+\{|[a-zA-Z]+\[|frac|left|right|item\b|alpha|sum)",
    "comment": r"^[ \t]*(?:#!|#include|#define|#if|#endif|//|/\*|\*/|\"\"\"|@\w+)",
    "block": r"^[ \t]*(?:def|class|if|elif|for|while|with|try|else|except)\b[^.\n]*:[ \t]*$",
    "word": r"^[ \t]*(?:import \w[\w.]*$|from [\w.]+ import|return\b[^.\n]*[\w)\]};]$"
    r"|(?:public|private|protected|static|const|let|var|function|void|int|struct|enum) \w+)",
    "query": r"\b(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE TABLE|FROM|WHERE|JOIN|GROUP BY"
    r"|ORDER BY|VALUES)\s+[\w*(\"`]",
    "name": r"\b[a-z]+_[a-z_]+\b|\bself\.\w|\b[a-z]+[A-Z][a-zA-Z]+\b|\$\w",
}
_PATTERNS = {kind: re.compile(pattern, re.MULTILINE) for kind, pattern in _MARKS.items()}

_SYMBOLS = "(){}[]=;<>_\\/$"
_SYMBOL_SHARE = 0.02  # fewer of its characters are symbols: no code, and no need to look for marks
_SHARE = 0.2  # marks for each word
_FEWEST = 5  # marks
_KINDS = 3  # different kinds of marks: a loop of one mark is no code


def is_code(text: str) -> bool:
    r"""Return whether a text is mainly code, markup or data by the marks at its start.

    It has at least one mark, such as a call, an assignment or a tag, for every five words, and
    at least five marks of at least three kinds.

    Examples
    --------
    >>> is_code("def add(a, b):\n    total = a + b\n    return total\n\nprint(add(1, x=2))")
    True
    >>> is_code("She said (twice): 'No; never!' -- and left [the room] at 5:30 :-)")
    False
    """
    start = text[:_N_CHARACTERS]
    if sum(map(start.count, _SYMBOLS)) < _SYMBOL_SHARE * len(start):
        return False
    n_words = len(start.split())
    counts = [len(pattern.findall(start)) for pattern in _PATTERNS.values()]
    n_marks, n_kinds = sum(counts), sum(count > 0 for count in counts)
    return n_marks >= max(_FEWEST, _SHARE * n_words) and n_kinds >= _KINDS
