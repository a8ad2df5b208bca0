"""Turn texts into those that a protocol compares: prompts joined, words cut, ends stripped."""

import string
from collections.abc import Sequence

from mauve.protocols.protocol import SampleRules


def prepared_texts(
    rules: SampleRules, texts: Sequence[str], prompts: Sequence[str] | None
) -> list[str]:
    r"""Return the texts of a sample as a protocol compares them.

    Parameters
    ----------
    rules : SampleRules
    texts : sequence of str
    prompts : sequence of str, or None

    Notes
    -----
    With `words`, white space becomes single spaces, as in the code of ALCE. A prompt and a text
    are joined by a space, unless the text begins with white space or the prompt ends with it.

    Examples
    --------
    >>> rules = SampleRules(words=4, join_prompt=True, strip_punctuation=True)
    >>> prepared_texts(rules, ["Yes,\n it did."], ["Did it rain?"])
    ['Did it rain? Yes']
    """
    prepared = []
    for i, text in enumerate(texts):
        if rules.join_prompt and prompts is not None:
            text = _joined(prompts[i], text)
        if rules.words:
            text = " ".join(text.split()[: rules.words])
        prepared.append(text.rstrip(string.punctuation) if rules.strip_punctuation else text)
    return prepared


def _joined(prompt: str, text: str) -> str:
    is_apart = not prompt or not text or prompt[-1].isspace() or text[0].isspace()
    return f"{prompt}{text}" if is_apart else f"{prompt} {text}"
