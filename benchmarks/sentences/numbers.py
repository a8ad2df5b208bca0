"""What texts have and what is counted in them, by the words of sentences about them.

Plain loops over characters, lines and words, which share no code with the package.
"""

import re
import unicodedata
from collections.abc import Callable
from itertools import pairwise

from mauve.text.function_words import FUNCTION_WORDS

from .marks import Tags, without_emoji
from .words import is_spaceless, words_of

Number = float | None  # None where a property is not defined for a text


def _lines(text: str) -> list[str]:
    return text.split("\n")


def _inner_lines(text: str) -> list[str]:
    """Return the lines that have another one before them."""
    return _lines(text)[1:]


def _is_bullet(line: str) -> bool:
    mark, _, rest = line.lstrip().replace("\t", " ").replace("\xa0", " ").partition(" ")
    number = mark.lstrip("(")
    is_number = (
        len(mark) - len(number) <= 1
        and number[-1:] in (".", ")")
        and number[:-1].isdigit()
        and len(number) <= 4
    )
    return bool(rest.strip()) and ((len(mark) == 1 and mark in "-*+•·‣◦▪–—") or is_number)


def _is_heading(line: str) -> bool:
    marks, _, rest = line.partition(" ")
    return set(marks) == {"#"} and len(marks) <= 6 and bool(rest.lstrip(" ")[:1].strip())


def _has_emphasis(text: str) -> bool:
    for line in _lines(text):
        for mark in ("**", "__"):
            start = line.find(mark)
            while start >= 0:
                inside = line[start + 2 :]
                end = inside.find(mark[0])
                if end > 0 and inside[end : end + 2] == mark and not inside[0].isspace():
                    return True
                start = line.find(mark, start + 1)
        stars = [i for i, letter in enumerate(line) if letter == "*"]
        for first, second in pairwise(stars):
            inside, around = line[first + 1 : second], (line[:first][-1:], line[second + 1 :][:1])
            is_apart = not any(a == "*" or _is_word_character(a) for a in around)
            if is_apart and inside and inside == inside.strip():
                return True
    return False


def _is_word_character(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


def _has_code_or_link(text: str) -> bool:
    if "```" in text:
        return True
    for line in _lines(text):
        if any(line.split("`")[1:-1]):  # what stands between two of them on a line
            return True
        before, bracket, after = line.partition("](")
        if bracket and before.rpartition("[")[2] and after.partition(")")[0] and ")" in after:
            return "[" in before
    return False


def _is_quote_or_rule(line: str) -> bool:
    bare = line.rstrip()
    return (
        (line[:1] == ">" and line[1:].removeprefix(" ")[:1].strip() != "")
        or (len(bare) > 1 and bare[0] == bare[-1] == "|")
        or (len(bare) > 2 and set(bare) in ({"-"}, {"*"}))
    )


def _n_blank_lines(text: str) -> int:
    """Count blank lines, but two in a row once, as one gap."""
    inner = [not line.strip() for line in _lines(text)[1:-1]]
    count, run = 0, 0
    for is_blank in [*inner, False]:
        if is_blank:
            run += 1
        else:
            count += (run + 1) // 2
            run = 0
    return count


def _n_line_breaks(text: str) -> int:
    """Count the gaps between lines that are not blank."""
    return max(0, sum(bool(line.strip()) for line in _lines(text)) - 1)


def _n_single_breaks(text: str) -> int:
    """Count line breaks between two lines that both have a mark."""
    lines = text.split("\n")
    return sum(bool(a.strip() and b.strip()) for a, b in pairwise(lines))


def _has_indent(text: str) -> bool:
    return any(
        line[:1] in (" ", "\t", "\xa0") and line.lstrip(" \t\xa0")[:1].strip() != ""
        for line in _inner_lines(text)
    )


def _has_double_space(text: str) -> bool:
    return any(
        gap in line.strip()
        for line in re.split(r"[^\S \xa0]", text)
        for gap in ("  ", "\xa0 ", " \xa0", "\xa0\xa0")
    )


def _is_unfinished(text: str) -> bool:
    return bool(text.strip()) and not any(
        whole.rstrip().rstrip("\"'”’»)]}*_`")[-1:] in set(".!?…。！？") and whole.strip()
        for whole in (text, without_emoji(Tags(text).rest))
    )


def _n_words(token: str) -> int:
    """Count the words between two spaces: one, but every Chinese or Japanese character is one."""
    count, before = 0, ""
    for letter in token:
        if is_spaceless(letter):
            count, before = count + 1, "spaceless"
        elif not (before == "spaceless" and ("、" <= letter <= "〿" or "！" <= letter <= "／"
                                             or "：" <= letter <= "＠")):  # fmt: skip
            count, before = count + (before != "letters"), "letters"
    return count


def _n_sentences(text: str) -> int:
    ends = 0
    for token in text.split():
        bare = token.rstrip("\"'”’»)]*_")
        ends += bare[-1:] in set(".!?…。！？")
    return max(1, ends)


def _has_thousands(text: str) -> bool:
    for token in re.split(r"[^\w,]", text):
        parts = token.split(",")
        for start in range(len(parts) - 1):
            head, tail = parts[start], parts[start + 1]
            if head.isdigit() and len(head) <= 3 and tail.isdigit() and len(tail) == 3:
                return True
    return False


def _any_of(letters: str) -> Callable[[str], bool]:
    return lambda text: any(letter in text for letter in letters)


INVISIBLE = {"\xad", "\ufeff", *map(chr, (*range(0x200B, 0x2010), *range(0x202A, 0x202F)))}
INVISIBLE |= {*map(chr, range(0x2060, 0x2065))}


def _has_other_letters(text: str) -> bool:
    """Whether a character is neither ASCII nor typographic."""
    typographic = {
        *"‘’‚‛“”„‟−…«»‹›′″´¨•·×¼½¾™®©°\xa0\u202f",
        *INVISIBLE,
        *map(chr, range(0xFB00, 0xFB07)),
    }
    typographic |= {*map(chr, (*range(0x2000, 0x2016), *range(0x2028, 0x2030), 0x205F, 0x2060))}
    return any(not letter.isascii() and letter not in typographic for letter in without_emoji(text))


def _has_space_before_mark(text: str) -> bool:
    for i in range(2, len(text)):
        ends = i + 1 == len(text) or text[i + 1].isspace() or text[i + 1] in "\"'”’"
        if text[i] in ",.;:!?" and text[i - 1] in " \xa0" and ends:
            before = text[: i - 1].rstrip(" \xa0")
            if before and not before[-1].isspace():
                return True
    return False


def _has_double_hyphen(text: str) -> bool:
    return any(len(run) == 2 for run in re.findall("-+", text))


#: What texts have or lack, by the words of the sentence.
SHARES: dict[str, Callable[[str], bool]] = {
    "start with white space": lambda text: text[:1].isspace(),
    "end with white space": lambda text: text[-1:].isspace(),
    "have bullets or numbered lists": lambda text: any(map(_is_bullet, _lines(text))),
    "have Markdown headings": lambda text: any(map(_is_heading, _lines(text))),
    "have Markdown bold or italics": _has_emphasis,
    "have Markdown code or links": _has_code_or_link,
    "have Markdown quotes, tables or rules": lambda t: any(map(_is_quote_or_rule, _lines(t))),
    "have blank lines": lambda text: _n_blank_lines(text) > 0,
    "have indented lines": _has_indent,
    "have spaces at ends of lines": _any_of(("\t\n", " \n", "\xa0\n")),
    "have tabs": _any_of("\t"),
    "have carriage returns": _any_of("\r"),
    "have line breaks": lambda text: _n_line_breaks(text) > 0,
    "have double spaces": _has_double_space,
    "have no-break or other special spaces": lambda text: any(
        letter.isspace() and letter not in " \t\n\r\x1c\x1d\x1e\x1f\x85" for letter in text
    ),
    "have curly quotes or apostrophes": _any_of("‘’‚‛“”„‟"),
    "have straight quotes or apostrophes": _any_of("\"'"),
    "have the ellipsis character …": _any_of("…"),
    "have dash characters (– —)": _any_of("‐‑‒–—―−"),
    "have double hyphens (--)": _has_double_hyphen,
    "have no capital letter": lambda t: any(map(str.isalpha, t)) and not any(map(str.isupper, t)),
    "have capital letters alone": lambda text: (
        sum(map(str.isalpha, text)) > 1
        and all(letter.isupper() for letter in text if letter.isalpha())
    ),
    "start with a lower-case letter": lambda text: "".join(filter(str.isalpha, text))[:1].islower(),
    "end in an unfinished sentence": _is_unfinished,
    "have thousands separators (1,000)": _has_thousands,
    "have typographic symbols": lambda text: any(
        letter in "«»‹›′″´`¨•·×¼½¾™®©°" or "ﬀ" <= letter <= "ﬆ" for letter in text
    ),
    "have decomposed or invisible characters": lambda text: (
        unicodedata.normalize("NFC", text) != text or _any_of(INVISIBLE)(text)
    ),
    "have letters or signs beyond ASCII": _has_other_letters,
    "have HTML tags or references": lambda text: Tags(text).n > 0,
    "have emoji or symbols such as ★": lambda text: without_emoji(text) != text,
    "have spaces before punctuation": _has_space_before_mark,
    "have numbers in digits": lambda text: any(map(str.isdecimal, text)),
}


def _per_100(count: float, text: str) -> float:
    return 100 * count / max(1, len(words_of(text)))


def _listed(listed: str) -> Callable[[str], float]:
    wanted = set(listed.split())
    return lambda text: _per_100(sum(word in wanted for word in words_of(text)), text)


def _of(letters: str) -> Callable[[str], float]:
    return lambda text: _per_100(sum(letter in letters for letter in text), text)


def _negations(text: str) -> float:
    wanted = {"not", "no", "never", "none", "nothing", "nobody", "nowhere", "neither", "nor"}
    wanted.add("cannot")
    return _per_100(sum(w in wanted or w.endswith("n't") for w in words_of(text)), text)


def _n_dashes(text: str) -> int:
    """Count dashes within lines, and pairs of hyphens between words."""
    count, i = 0, 0
    while i < len(text):
        before, after = text[:i][-1:], text[i + 1 : i + 2]
        spaced = before == " " and text[i - 2 : i - 1].strip() != "" and i > 1
        letter = text[i]
        if letter in "–—―" and (before.strip() != "" or (spaced and after.isspace())):
            count += 1
        elif letter == "-":
            pair = after == "-"
            after_pair = text[i + 2 : i + 3]
            if spaced and pair and after_pair.isspace():
                count, i = count + 1, i + 1
            elif spaced and after.isspace():
                count += 1
            elif (
                pair and _is_word_character(before or " ") and _is_word_character(after_pair or " ")
            ):
                count, i = count + 1, i + 1
        i += 1
    return count


def _n_names(text: str) -> int:
    """Count capitalised words of three letters and more after a word, a comma or a semicolon."""
    text, count = " ".join(text.split()), 0
    for i, letter in enumerate(text):
        if not ("A" <= letter <= "Z") or i < 2 or text[i - 1] != " ":
            continue
        before = text[i - 2]
        rest = 0
        while text[i + 1 + rest : i + 2 + rest].isalpha():
            rest += 1
        count += (before.isalpha() or before in ",;") and rest >= 2
    return count


def _n_numbers(text: str) -> int:
    """Count numbers: digits with points, commas, colons and bars between and after them."""
    count, inside = 0, False
    for letter in text:
        if letter.isdecimal():
            count += not inside
            inside = True
        elif letter not in ".,:/":
            inside = False
    return count


def _line_length(text: str) -> Number:
    lines = sorted(len(line) for line in text.strip().split("\n") if line.strip())
    if len(lines) < 2:
        return None
    half = len(lines) // 2
    return lines[half] if len(lines) % 2 else (lines[half - 1] + lines[half]) / 2


def _capitals(text: str) -> Number:
    n = sum(map(str.isalpha, text))
    return 100 * sum(map(str.isupper, text)) / n if n else None


def _mean_word(text: str) -> Number:
    words = words_of(text)
    return len("".join(words)) / len(words) if words else None


def _repeated(text: str) -> Number:
    words = words_of(text)
    seen: set[tuple[str, ...]] = set()
    again = 0
    for i in range(len(words) - 2):
        again += words[i : i + 3] in seen
        seen.add(words[i : i + 3])
    return 100 * again / (len(words) - 2) if len(words) > 2 else None


def _variety(text: str) -> Number:
    words = words_of(text)[:100]
    return 100 * len({*words}) / len(words) if words else None


#: Numbers of single texts, by what the sentence calls them: (what is more, the unit).
NUMBERS: dict[str, Callable[[str], Number]] = {
    "words": lambda text: sum(map(_n_words, text.split())),
    "sentences": _n_sentences,
    "words per sentence": lambda t: len(words_of(t)) / _n_sentences(t) if words_of(t) else None,
    "letters per word": _mean_word,
    "characters per line": _line_length,
    "% of letters are capitals": _capitals,
    "% of three-word sequences occur earlier in the same text": _repeated,
    "% of the first 100 words are different": _variety,
    "bullets or numbered lists": lambda t: _per_100(sum(map(_is_bullet, _lines(t))), t),
    "blank lines": lambda t: _per_100(_n_blank_lines(t), t),
    "line breaks within paragraphs": lambda t: _per_100(_n_single_breaks(t), t),
    "first-person pronouns (I, we)": _listed(
        "i me my mine myself we us our ours ourselves i'm i've i'd i'll we're we've"
    ),
    "second-person pronouns (you)": _listed(
        "you your yours yourself yourselves you're you've you'll you'd"
    ),
    "third-person pronouns (he, she, they)": _listed(
        "he him his himself she her hers herself they them their theirs themselves"
    ),
    "contractions or possessives (don't)": lambda t: _per_100(
        sum("'" in word for word in words_of(t)), t
    ),
    "names (capitalised words)": lambda t: _per_100(_n_names(t), t),
    "numbers": lambda t: _per_100(_n_numbers(t), t),
    "quotation marks": _of('"“”„«»'),
    "question marks": _of("?"),
    "exclamation marks": _of("!"),
    "commas": _of(","),
    "full stops": _of("."),
    "semicolons": _of(";"),
    "colons": _of(":"),
    "brackets": _of("(["),
    "dashes": lambda t: _per_100(_n_dashes(t), t),
    "hedges (perhaps, might, seems)": _listed(
        "perhaps maybe possibly probably likely might may could seem seems seemed appears "
        "appeared somewhat rather quite generally typically often sometimes usually suggest "
        "suggests"
    ),
    "connectives (however, therefore, overall)": _listed(
        "however moreover furthermore therefore thus additionally consequently nevertheless "
        "nonetheless overall ultimately finally similarly instead meanwhile hence"
    ),
    "negations (not, never)": _negations,
    # The list of words is data; how they are counted is not the package's.
    "function words (the, of, and)": _listed(
        " ".join(FUNCTION_WORDS["English"] | {"a", "in", "for", "on", "as", "he", "i", "so"})
        + " all was me no"
    ),
}
