"""Check samples against a protocol: what makes a score by it impossible, and what doubtful."""

from collections import Counter
from collections.abc import Mapping

import numpy as np

from mauve.calls import option, parameter
from mauve.embed.samples import Sample
from mauve.errors import InvalidParameterError
from mauve.escape import escaped
from mauve.protocols.protocol import Protocol
from mauve.text.words import word_counts

#: Words of English prose for each subword token of GPT-2.
WORDS_PER_TOKEN = 0.75

_SHORT = 0.5  # share of the words of a full text below which a sample is too short
_APART = 1.25  # ratio of sizes above which plug-in scores are not comparable


def prompts_of(
    protocol: Protocol,
    samples: Mapping[str, Sample],
    given: Mapping[str, list[str]] | None = None,
) -> tuple[dict[str, list[str]] | None, list[str]]:
    """Return the prompts that a protocol reads, and warnings, or raise.

    Parameters
    ----------
    protocol : Protocol
    samples : mapping from name to Sample
        Human first.
    given : mapping from name to list of str, optional
        Prompts of all samples; by default those in the samples.

    Examples
    --------
    >>> from mauve.protocols.catalogue import get_protocol
    >>> samples = {"human": Sample(["a"], ["b"]), "model": Sample(["c"], ["b"])}
    >>> prompts_of(get_protocol("alce"), samples)
    ({'human': ['b'], 'model': ['b']}, [])
    """
    rule = protocol.samples.prompts
    found = dict(given) if given is not None else {
        name: sample.prompts for name, sample in samples.items() if sample.prompts is not None
    }  # fmt: skip
    if rule == "none":
        if not found:
            return None, []
        return None, [
            f"The protocol '{protocol.name}' is without prompts: those of "
            f"{_quoted(found)} are not read. If the texts are continuations of them, choose "
            "another protocol."
        ]
    lacking = [name for name in samples if name not in found]
    if rule == "required" and lacking:
        sides = "prompts on one side only, none" if found else "none"
        raise InvalidParameterError(
            f"The protocol '{protocol.name}' must have the prompt of every text. Got {sides} for "
            f"{_quoted(lacking)} instead: add the field 'prompt' to the records, or give "
            f"{option('prompts')}."
        )
    if not found:
        return None, []
    if lacking:
        return None, [
            f"There are prompts on one side only, none for {_quoted(lacking)}: they are ignored. "
            "Texts with and without their prompts are not comparable."
        ]
    return {name: found[name] or [] for name in samples}, _prompt_warnings(protocol, found)


def _prompt_warnings(protocol: Protocol, prompts: Mapping[str, list[str] | None]) -> list[str]:
    human, *systems = prompts
    known, messages = {*(prompts[human] or [])}, []
    for name in systems:
        counts = Counter(prompts[name] or [])
        unknown = sum(1 for prompt in counts if prompt not in known)
        if unknown:
            messages.append(
                f"{unknown} of {len(counts)} prompts of '{escaped(name)}' have no human text: the "
                f"protocol '{protocol.name}' compares texts of the same prompts."
            )
        wanted = protocol.samples.per_prompt
        if wanted and set(counts.values()) != {wanted}:
            low, high = min(counts.values()), max(counts.values())
            number = f"{low}" if low == high else f"{low} to {high}"
            messages.append(
                f"'{escaped(name)}' has {number} texts for each prompt: the protocol "
                f"'{protocol.name}' has {wanted}."
            )
    return messages


def check_samples(protocol: Protocol, samples: Mapping[str, Sample]) -> list[str]:
    """Return warnings about the size and length of samples, or raise if there are too few texts.

    Examples
    --------
    >>> from mauve.protocols.catalogue import get_protocol
    >>> texts = ["word " * 100] * 999
    >>> check_samples(get_protocol("contrastive-search"), {"human": Sample(texts)})
    ["'human' has 999 texts: the protocol 'contrastive-search' has 1000."]
    """
    rules, messages = protocol.samples, []
    for name, sample in samples.items():
        n = len(sample)
        if n < rules.min_texts:
            raise InvalidParameterError(
                f"'{escaped(name)}' must have at least {rules.min_texts} texts for the protocol "
                f"'{protocol.name}', which has {rules.texts}. Got {n} instead: collect more, or "
                f"use another {parameter('protocol')}."
            )
        if n < rules.texts:
            messages.append(
                f"'{escaped(name)}' has {n} texts: the protocol '{protocol.name}' has "
                f"{rules.texts}."
            )
    sizes = [min(len(sample), rules.texts) for sample in samples.values()]
    buckets, most = protocol.score.num_buckets, sizes[0] + min(sizes[1:], default=0)
    if protocol.score.method == "authors" and buckets != "n/10" and buckets > most:
        raise InvalidParameterError(
            f"The key 'score.num_buckets' of the protocol '{escaped(protocol.name)}' must be at "
            f"most {most}, the texts of human text and of the smallest system. Got {buckets} "
            "instead: use fewer buckets, or 'n/10'."
        )
    if protocol.score.method == "authors" and max(sizes) > _APART * min(sizes):
        messages.append(
            f"Samples have {min(sizes)} to {max(sizes)} texts: scores of the authors' method "
            "depend on the number of texts, so give as many of each."
        )
    if rules.full_length:
        messages += _length_warnings(protocol, samples)
    return messages


def _length_warnings(protocol: Protocol, samples: Mapping[str, Sample]) -> list[str]:
    rules = protocol.samples
    full = rules.tokens * WORDS_PER_TOKEN
    messages = []
    for name, sample in samples.items():
        if not sample.is_text:
            continue
        words = word_counts([str(text) for text in sample.values])
        if rules.join_prompt and sample.prompts is not None:
            words = words + word_counts(sample.prompts)
        median = float(np.median(words))
        if median < _SHORT * full:
            messages.append(
                f"Texts of '{escaped(name)}' are too short, {median:.0f} words in the median: the "
                f"protocol '{protocol.name}' reads {rules.tokens} tokens, about {full:.0f} words."
            )
    return messages


def _quoted(names: Mapping[str, object] | list[str]) -> str:
    return ", ".join(f"'{escaped(name)}'" for name in names)
