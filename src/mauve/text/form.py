"""Check human and system texts for differences of form, such as length or white space.

An embedder sees a space before the first word, a blank line, a curly quote and the number of
words as well as it sees meaning, so such a difference changes a score that should be about
content.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from mauve.arrays import IntArray, IntegerArray
from mauve.calls import parameter
from mauve.errors import InvalidParameterError
from mauve.escape import escaped
from mauve.text.form_checks import (
    Finding,
    TextPair,
    check_beginnings,
    check_copies,
    check_damage,
    check_habits,
    check_language,
    check_length,
    check_markers,
    check_prompts,
)
from mauve.text.normalize import checked_texts
from mauve.text.words import word_counts


@dataclass(frozen=True)
class FormReport:
    """Lengths and differences of form of human text and one system.

    Attributes
    ----------
    name : str
        The system's name.
    n_human, n_model : int
        Number of human texts, and of the system's.
    human_length, model_length : float
        Median lengths.
    unit : str
        Unit of the lengths, ``tokens`` or ``words``.
    findings : tuple of Finding
        Empty where the two samples have the same form. Faults first, then habits, those that
        tell the samples apart best on top.
    """

    name: str
    n_human: int
    n_model: int
    human_length: float
    model_length: float
    unit: str
    findings: tuple[Finding, ...]

    @property
    def steps(self) -> tuple[str, ...]:
        """Steps of normalisation that remove differences found here, without repetition."""
        return tuple(dict.fromkeys(found.step for found in self.findings if found.step))

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain Python objects, ready for JSON."""
        return asdict(self) | {"findings": [asdict(finding) for finding in self.findings]}


def check_form(
    human: Sequence[str],
    model: Sequence[str],
    *,
    name: str,
    human_tokens: IntegerArray | None = None,
    model_tokens: IntegerArray | None = None,
) -> FormReport:
    """Find the differences between two samples of texts that are not about content.

    Parameters
    ----------
    human, model : sequence of str
        Human texts, and those of the system.
    name : str
        Name of the system in messages.
    human_tokens, model_tokens : array of int, shape (n,), optional
        Number of tokens of each text, for both samples or none. Without them, or where one is
        below 0 because the embedder does not count tokens, words are counted.

    Returns
    -------
    FormReport

    Notes
    -----
    A difference is reported where it is beyond chance, by a test, *and* large enough to matter.
    Faults, at the level of 0.001:

    - ``markers``: share of texts with ``<|endoftext|>``, ``</s>`` and the like, in either
      sample and not the difference, since people do not write them: above 0.01, and more
      than expected by chance where one text in 1,000 has them.
    - ``damage``: share of texts with U+FFFD, mojibake, lone surrogates or control
      characters; Fisher's test, and a difference above 0.01.
    - ``copies``: share of texts that are copies of an earlier one in their sample, among as
      many texts of either sample; Fisher's test, and a difference above 0.01.
    - ``overlap``: share of texts that stand in both samples; above 0.01, and more texts than
      expected if texts were assigned to samples at random.
    - ``script``: share of texts mainly in one script; Fisher's test, corrected for the
      number of scripts, and a difference above 0.1.
    - ``language``: the same for languages, recognised by function words, among the texts in
      Latin letters whose language is recognised.
    - ``prompt``: share of texts that begin as a text of the other sample does, with the same 20
      characters or more, without being equal to it; above half in both samples, and twice as
      many as begin as another text of their own sample. No test: chance does not get near it.

    Habits, at the level of 0.0003 (``length`` of 0.001):

    - ``length``: Smirnov's test, and a quartile that differs by a factor above 1.2 or a
      distinction above 0.25.
    - the properties of :data:`mauve.text.form_properties.FORM_SHARES`: white space, typography,
      Unicode forms, case, HTML and Markdown, emoji, numbers, unfinished last sentences.
      Fisher's test, and shares that differ by more than 0.1 or have a distinction of at
      least 0.02: 0% and 4%.
    - numbers of sentences, lengths of lines and shares of capitals: Smirnov's test, and a
      distinction above 0.1.
    - ``beginning``: the most common beginning, if half the texts of a sample have it; Fisher's
      test as above.

    Two samples of one source get a finding in at most 2% of cases, whatever the source, unless it
    holds markers in more than one text of 1,000. The tests assume independent texts. Copies and
    overlap are counted without the white space at the ends of texts, which has a check of its
    own.

    Examples
    --------
    >>> human = [f" and then {i} of them came." for i in range(50)]
    >>> model = [f"and then {i} of them went." for i in range(50)]
    >>> for finding in check_form(human, model, name="typical").findings:
    ...     print(finding.message)
    0% of the texts of 'typical' and 100% of human texts start with white space: strip all \
texts with strip=True.
    """
    pair = TextPair(checked_texts(human, "human"), checked_texts(model, name), escaped(name))
    lengths, unit = _lengths(pair, human_tokens, model_tokens)
    findings = (
        *check_markers(pair),
        *check_damage(pair),
        *check_copies(pair),
        *check_language(pair),
        *check_prompts(pair),
        *sorted(
            (*check_length(pair, *lengths, unit), *check_habits(pair), *check_beginnings(pair)),
            key=lambda finding: -finding.distinction,
        ),
    )
    p_length, q_length = (float(np.median(sample)) for sample in lengths)
    return FormReport(name, len(human), len(model), p_length, q_length, unit, findings)


def _lengths(
    pair: TextPair, human_tokens: IntegerArray | None, model_tokens: IntegerArray | None
) -> tuple[tuple[IntArray, IntArray], str]:
    if (human_tokens is None) != (model_tokens is None):
        missing = "human_tokens" if human_tokens is None else "model_tokens"
        raise InvalidParameterError(
            f"{parameter(missing)} must be given where the other sample's is: "
            "pass both, or none to count words."
        )
    if human_tokens is not None and model_tokens is not None:
        human = _checked_tokens(human_tokens, "human_tokens", len(pair.human))
        model = _checked_tokens(model_tokens, "model_tokens", len(pair.model))
        if min(human.min(), model.min()) >= 0:
            return (human, model), "tokens"
    return (word_counts(pair.human), word_counts(pair.model)), "words"


def _checked_tokens(tokens: IntegerArray, name: str, n: int) -> IntArray:
    counts = np.asarray(tokens)
    if counts.shape != (n,) or counts.dtype.kind not in "iu":
        raise InvalidParameterError(
            f"{parameter(name)} must hold an int for each of the {n} texts. "
            f"Got the shape {counts.shape} and the type {counts.dtype} instead."
        )
    return counts.astype(np.int64)
