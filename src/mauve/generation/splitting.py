"""Split a text into the prompt and its continuation after a number of tokens."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mauve.errors import bad_parameter
from mauve.lm.text_tokenizer import TextTokenizer, get_text_tokenizer

_BYTES_OF_CHARACTER = 4  # in UTF-8: so many tokens before a cut that breaks a character
_CHARACTERS = 8  # of a token: more than most, so that one attempt is nearly always enough
_SPARE = 8  # tokens beyond the last cut, which the end of a beginning may change


#: What splits texts: the name of a tokenizer, an object with both methods, or two functions.
TokenizerLike = (
    str | TextTokenizer | tuple[Callable[[str], list[int]], Callable[[Sequence[int]], str]]
)


@dataclass(frozen=True)
class Split:
    """A text in two parts; what comes after the second is left out.

    Attributes
    ----------
    prompt, continuation : str
        Together they are the beginning of the text, character by character.
    n_prompt_tokens, n_tokens : int
        Tokens of the two parts.
    is_whole : bool
        Whether the continuation goes up to the end of the text.
    """

    prompt: str
    continuation: str
    n_prompt_tokens: int
    n_tokens: int
    is_whole: bool


def checked_tokenizer(tokenizer: TokenizerLike) -> TextTokenizer:
    """Return a tokenizer by its name, or of two functions, or as it is.

    Examples
    --------
    >>> def decode(tokens):
    ...     return "".join(map(chr, tokens))
    >>> checked_tokenizer((lambda text: [*map(ord, text)], decode)).encode("ab")
    [97, 98]
    """
    if isinstance(tokenizer, tuple):
        if len(tokenizer) != 2 or not all(map(callable, tokenizer)):
            raise bad_parameter("tokenizer", "the functions encode and decode", tokenizer)
        return _Functions(*tokenizer)
    return get_text_tokenizer(tokenizer)


def split_text(
    text: str, prompt_tokens: int, max_tokens: int, tokenizer: TextTokenizer
) -> Split | None:
    r"""Split a text after `prompt_tokens` tokens, and cut its continuation to `max_tokens`.

    Parameters
    ----------
    text : str
    prompt_tokens : int
        Tokens of the prompt; 0 for an empty one.
    max_tokens : int
        Most tokens of the continuation, at least 1.
    tokenizer : TextTokenizer

    Returns
    -------
    Split or None
        None for a text without a token behind the prompt, or without a whole character in
        `max_tokens` of them.

    Notes
    -----
    Both cuts are between two characters. A tokenizer of bytes may put one character into
    several tokens; a cut in the middle of one is moved back to the end of the character
    before. Where a tokenizer does not give back what it was given (it drops the first space,
    or changes capitals), the longest beginning of the text that has no more tokens is taken.

    Examples
    --------
    >>> encode = lambda text: list(text.encode())
    >>> decode = lambda tokens: bytes(tokens).decode(errors="replace")
    >>> split_text("für alle", 2, 5, checked_tokenizer((encode, decode)))
    Split(prompt='f', continuation='ür a', n_prompt_tokens=1, n_tokens=5, is_whole=False)
    """
    tokens = _first_tokens(text, prompt_tokens + max_tokens, tokenizer)
    if len(tokens) <= prompt_tokens:
        return None
    prompt, n_prompt = _beginning(text, tokens, prompt_tokens, tokenizer)
    whole, n_whole = _beginning(text, tokens, n_prompt + max_tokens, tokenizer)
    if len(whole) <= len(prompt):
        return None
    continuation = whole[len(prompt) :]
    return Split(prompt, continuation, n_prompt, n_whole - n_prompt, len(whole) == len(text))


def cut_text(text: str, max_tokens: int, tokenizer: TextTokenizer) -> Split | None:
    """Cut a continuation, whose prompt stands elsewhere, to `max_tokens` tokens.

    Examples
    --------
    >>> letters = (lambda text: [*map(ord, text)], lambda tokens: "".join(map(chr, tokens)))
    >>> cut_text("a b c", 3, checked_tokenizer(letters)).continuation
    'a b'
    """
    return split_text(text, 0, max_tokens, tokenizer)


@dataclass(frozen=True)
class _Functions:
    encoding: Callable[[str], list[int]]
    decoding: Callable[[Sequence[int]], str]

    def encode(self, text: str) -> list[int]:
        return self.encoding(text)

    def decode(self, tokens: Sequence[int]) -> str:
        return self.decoding(tokens)


def _first_tokens(text: str, n: int, tokenizer: TextTokenizer) -> list[int]:
    """Return at least the first n tokens of a text, without reading a whole book for them."""
    length = (n + _SPARE) * _CHARACTERS
    while length < len(text):
        # Tokenizers split at white space first, so a cut before it leaves the tokens as they are.
        end = length
        while end > length // 2 and not (text[end].isspace() and not text[end - 1].isspace()):
            end -= 1
        if end > length // 2:
            tokens = tokenizer.encode(text[:end])
            if len(tokens) >= n + _SPARE:
                return tokens
        length *= 4
    return tokenizer.encode(text)


def _beginning(
    text: str, tokens: Sequence[int], n: int, tokenizer: TextTokenizer
) -> tuple[str, int]:
    """Return the beginning of a text that its first n tokens are, and how many they are."""
    if n >= len(tokens):
        return text, len(tokens)
    if n == 0:
        return "", 0
    for k in range(n, max(n - _BYTES_OF_CHARACTER, 0), -1):
        beginning = tokenizer.decode(tokens[:k])
        if beginning and text.startswith(beginning):
            return beginning, k
    low, high = 0, len(text)  # characters: low has at most n tokens, high has more
    while high - low > 1:
        middle = (low + high) // 2
        if len(tokenizer.encode(text[:middle])) <= n:
            low = middle
        else:
            high = middle
    return text[:low], len(tokenizer.encode(text[:low]))
