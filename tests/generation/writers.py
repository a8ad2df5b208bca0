"""A writer of random words, for tests that need one that stops, counts or waits."""

import json
import time

import numpy as np

from mauve.errors import MauveError
from mauve.lm.writing import Written

TEXT = "the a cat dog sat ran under over green table house while nobody looked at it"
WORDS = TEXT.split()


def write_source(path, records):
    """Write records to a file of JSON lines."""
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


class WordWriter:
    """Writes words that follow from seed, position and prompt alone, the last text first.

    Parameters
    ----------
    fail_after : int, optional
        Texts after which it raises.
    error : exception
    seconds : float
        Time that a text takes.
    """

    context = None

    def __init__(self, *, signature="words@1", fail_after=None, error=None, seconds=0.0):
        self.signature = signature
        self.fail_after, self.seconds = fail_after, seconds
        self.error = error or MauveError("The endpoint does not answer.")
        self.n_written = 0
        self.calls = []

    def encode(self, text):
        return [*text.encode()]

    def decode(self, tokens):
        return bytes(tokens).decode(errors="replace")

    def write(self, prompts, decoding, options, *, first=0, on_progress=None):
        if prompts:
            self.calls.append((first, len(prompts)))
        for i in reversed(range(len(prompts))):
            if self.fail_after is not None and self.n_written >= self.fail_after:
                raise self.error
            time.sleep(self.seconds)
            key = [options.seed, first + i, *prompts[i].encode()]
            rng = np.random.default_rng(key)
            n = int(rng.integers(options.min_tokens or 1, options.max_tokens, endpoint=True))
            words = rng.choice(WORDS[:4] if str(decoding) == "greedy" else WORDS, n)
            self.n_written += 1
            yield i, Written("".join(f" {word}" for word in words), n, n < options.max_tokens)
