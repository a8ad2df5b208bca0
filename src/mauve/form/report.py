"""Checks of form: differences between human and model text that are not about content.

An embedder sees a space before the first word, a marker after the last and the number of
words as well as it sees meaning, so such a difference moves a score that should be about
the text.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mauve.errors import InvalidParameterError
from mauve.form.chance import Counts
from mauve.form.checks import (
    Finding,
    Sides,
    check_copies,
    check_damage,
    check_language,
    check_length,
    check_markers,
    check_space,
)
from mauve.form.words import checked_texts, word_counts
from mauve.printable import printable

Tokens = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class FormReport:
    """What `check_form` found.

    Attributes
    ----------
    name : str
        The system's name.
    n_human, n_model : int
        Texts on either side.
    human_length, model_length : float
        Median lengths.
    unit : str
        What they are counted in, ``tokens`` or ``words``.
    findings : tuple of Finding
        Empty where the two sides have the same form.
    """

    name: str
    n_human: int
    n_model: int
    human_length: float
    model_length: float
    unit: str
    findings: tuple[Finding, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain Python objects, ready for JSON."""
        return asdict(self) | {"findings": [asdict(finding) for finding in self.findings]}


def check_form(
    human: Sequence[str],
    model: Sequence[str],
    *,
    name: str,
    human_tokens: Tokens | None = None,
    model_tokens: Tokens | None = None,
) -> FormReport:
    """Find the differences between two samples of texts that are not about content.

    Parameters
    ----------
    human, model : sequence of str
        The texts of either side.
    name : str
        What messages call the model.
    human_tokens, model_tokens : array of int, shape (n,), optional
        Number of tokens of each text, for both sides or none. Words are counted instead
        where they are not given, or where one is below 0: its embedder does not say.

    Returns
    -------
    FormReport

    Notes
    -----
    A difference is reported where it is beyond chance, by a test at the level of 0.001,
    *and* large enough to matter:

    - ``length``: Smirnov's test, and a quartile that differs by a factor above 1.2.
    - ``leading_space``, ``trailing_space``: share of texts that start or end with white
      space; Fisher's exact test, and a difference above 0.1.
    - ``markers``: share of texts with ``<|endoftext|>``, ``</s>`` and the like, on either
      side and not the difference, since people do not write them: above 0.01, and more
      than chance puts into a sample where one text in 1,000 has them.
    - ``damage``: share of texts with U+FFFD, mojibake, lone surrogates or control
      characters; Fisher's test, and a difference above 0.01.
    - ``copies``: share of texts that are copies of an earlier one on their side, among as
      many texts on either side; Fisher's test, and a difference above 0.01.
    - ``overlap``: share of texts that stand on both sides; above 0.01, and more texts than
      there would be if their sides were drawn by lot.
    - ``script``: share of texts mainly in one script; Fisher's test, corrected for the
      number of scripts, and a difference above 0.1.
    - ``language``: the same for languages, told from function words, among the texts in
      Latin letters whose language can be told.

    These are at most ten tests, so two samples of one source get a finding in at most 1%
    of cases, whatever the source, unless it holds markers in more than one text of
    1,000. Tests take texts as independent. Copies and overlap are counted without the
    white space at the ends of texts, which has a check of its own.

    Examples
    --------
    >>> human = [f" and then {i} of them came." for i in range(50)]
    >>> model = [f"and then {i} of them went." for i in range(50)]
    >>> for finding in check_form(human, model, name="typical").findings:
    ...     print(finding.message)
    0% of the texts of 'typical' and 100% of human texts start with white space: strip all \
texts with --strip.
    """
    sides = Sides(checked_texts(human, "human"), checked_texts(model, name), printable(name))
    lengths, unit = _lengths(sides, human_tokens, model_tokens)
    findings = (
        *check_length(*lengths, unit, sides.name),
        *check_space(sides),
        *check_markers(sides),
        *check_damage(sides),
        *check_copies(sides),
        *check_language(sides),
    )
    p_length, q_length = (float(np.median(side)) for side in lengths)
    return FormReport(name, len(human), len(model), p_length, q_length, unit, findings)


def _lengths(
    sides: Sides, human_tokens: Tokens | None, model_tokens: Tokens | None
) -> tuple[tuple[Counts, Counts], str]:
    if (human_tokens is None) != (model_tokens is None):
        missing = "human_tokens" if human_tokens is None else "model_tokens"
        raise InvalidParameterError(
            f"The '{missing}' parameter of check_form must be given where the other side's is: "
            "pass both, or none to count words."
        )
    if human_tokens is not None and model_tokens is not None:
        human = _checked_tokens(human_tokens, "human_tokens", len(sides.human))
        model = _checked_tokens(model_tokens, "model_tokens", len(sides.model))
        if min(human.min(), model.min()) >= 0:
            return (human, model), "tokens"
    return (word_counts(sides.human), word_counts(sides.model)), "words"


def _checked_tokens(tokens: Tokens, name: str, n: int) -> Counts:
    found = np.asarray(tokens)
    if found.shape != (n,) or found.dtype.kind not in "iu":
        raise InvalidParameterError(
            f"The '{name}' parameter of check_form must hold an int for each of the {n} texts. "
            f"Got the shape {found.shape} and the type {found.dtype} instead."
        )
    return found.astype(np.int64)
