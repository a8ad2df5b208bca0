"""Turn the files of a run into the samples of a comparison: names, texts and prompts."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mauve.generation.examples import Example
from mauve.generation.generated import GeneratedSample


@dataclass(frozen=True)
class Systems:
    """What is compared.

    Attributes
    ----------
    human : list of dict
        A record for each human text, with its metadata.
    texts : dict from system to list of str
    prompts : dict from sample to list of str
        The prompt of each text.
    """

    human: list[dict[str, Any]]
    texts: dict[str, list[str]]
    prompts: dict[str, list[str]]

    def digests(self) -> dict[str, str]:
        """Return a checksum of the texts, prompts and metadata of each sample, in their order."""
        samples: dict[str, Any] = {"human": self.human, **self.texts}
        return {
            name: hashlib.blake2b(
                json.dumps([texts, self.prompts[name]]).encode(), digest_size=16
            ).hexdigest()
            for name, texts in samples.items()
        }


def system_names(samples: Sequence[tuple[str, str, int]], *, pool_seeds: bool = False) -> list[str]:
    """Return the name of the system that each sample belongs to.

    A system is named after its decoder, and after its model and seed too if there are several.

    Parameters
    ----------
    samples : sequence of (model, decoder, seed)
    pool_seeds : bool

    Examples
    --------
    >>> samples = [("gpt2", "greedy", 0), ("gpt2", "ancestral", 0), ("gpt2", "ancestral", 1)]
    >>> system_names(samples)
    ['greedy', 'ancestral seed 0', 'ancestral seed 1']
    >>> system_names(samples, pool_seeds=True)
    ['greedy', 'ancestral', 'ancestral']
    >>> system_names([("gpt2", "greedy", 0), ("tiny", "greedy", 0)])
    ['gpt2 greedy', 'tiny greedy']
    """
    has_models = len({model for model, _, _ in samples}) > 1
    pairs = [(model, decoder) for model, decoder, _ in samples]
    return [
        f"{model} " * has_models
        + decoder
        + f" seed {seed}" * (not pool_seeds and pairs.count((model, decoder)) > 1)
        for model, decoder, seed in samples
    ]


def make_systems(
    examples: Sequence[Example],
    samples: Sequence[GeneratedSample],
    *,
    with_prompt: bool = False,
    pool_seeds: bool = False,
) -> Systems:
    """Return the samples to compare, read from their files.

    Parameters
    ----------
    examples : sequence of Example
    samples : sequence of GeneratedSample
    with_prompt : bool
        Whether the prompt is a part of every text, human and generated, as in the paper.
    pool_seeds : bool
        Whether the seeds of a decoder are one system.
    """
    prompts = [example.prompt for example in examples]
    human = [
        {**example.metadata, "text": example.prompt * with_prompt + example.reference}
        for example in examples
    ]
    names = system_names([(s.model, s.decoder, s.seed) for s in samples], pool_seeds=pool_seeds)
    texts: dict[str, list[str]] = {}
    for name, sample in zip(names, samples, strict=True):
        texts.setdefault(name, []).extend(sample.texts(with_prompt=with_prompt))
    by_sample = {name: prompts * (len(of) // len(prompts)) for name, of in texts.items()}
    return Systems(human, texts, {"human": prompts, **by_sample})
