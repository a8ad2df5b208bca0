"""Text in, tokens out, and nothing lost between: a tokenizer without a vocabulary."""

import re

# A word or a run of one punctuation mark, each with the space before it; line ends; other
# white space, up to the space that belongs to what follows. The last branch takes what is
# left, such as a tab before a word, so that every character is in exactly one token.
_TOKEN = re.compile(
    r"""
    [ ]?\w+(?:['’]\w+)*     # " can't", "the", "__init__"
    | [ ]?([^\w\s])\1*      # ",", " (", "..."
    | \n+
    | [^\S\n]+(?!\S)
    | \s
    """,
    re.VERBOSE,
)


def tokenize(text: str) -> list[str]:
    r"""Split a text into words, punctuation and white space.

    Parameters
    ----------
    text : str

    Returns
    -------
    list of str
        None of them empty. Joined without a separator they are the text again.

    Examples
    --------
    >>> tokenize("It can't end...\n\n    Or (well) so?")
    ['It', " can't", ' end', '...', '\n\n', '   ', ' Or', ' (', 'well', ')', ' so', '?']
    >>> "".join(tokenize("tab\there,  two spaces")) == "tab\there,  two spaces"
    True
    """
    return [found.group() for found in _TOKEN.finditer(text)]
