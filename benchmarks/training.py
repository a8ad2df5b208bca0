"""What the score in training costs, and that it changes nothing.

    python benchmarks/training.py

Trains a small GPT-2 from scratch on the language reference of Python, with and without
``MauveCallback``, on the CPU and one thread; all other figures are those of ``--help``. Prints
whether all losses are equal, the seconds and CPU seconds of both, and those of each score.
"""

import argparse
import os
import tempfile
import time

os.environ["OMP_NUM_THREADS"] = "1"

import torch
from transformers import TrainerCallback

import mauve
from mauve.lm.reference import split_reference


class Losses(TrainerCallback):
    """Keeps what is logged."""

    def __init__(self) -> None:
        self.entries: list[dict[str, float]] = []
        self.seconds = self.cpu_seconds = 0.0

    def on_train_begin(self, args, state, control, **kwargs):
        """Start the clocks."""
        self._started = time.perf_counter(), time.process_time()

    def on_train_end(self, args, state, control, **kwargs):
        """Stop them."""
        self.seconds = time.perf_counter() - self._started[0]
        self.cpu_seconds = time.process_time() - self._started[1]

    def on_log(self, args, state, control, logs=None, **kwargs):
        """Keep an entry."""
        self.entries.append({**logs})

    def values(self, name: str) -> list[float]:
        """Return the values of one name."""
        return [entry[name] for entry in self.entries if name in entry]


def main() -> None:
    """Train twice and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--model", default="2x128")
    parser.add_argument("--epochs", type=float, default=1.0)
    parser.add_argument("--every", type=int, default=25, help="steps of 8 blocks of 128 tokens")
    parser.add_argument("--n", type=int, default=200, help="held-out texts")
    parser.add_argument("--max-tokens", type=int, default=64)
    options = parser.parse_args()
    torch.set_num_threads(1)
    reference = split_reference(options.n)
    held_out = ["".join(passage) for passage in reference.passages]
    texts = ["".join(topic) for topic in reference.training]
    runs = []
    for is_scored in (False, True):
        log = Losses()
        score = mauve.MauveCallback(
            held_out, prompt_tokens=10, max_tokens=options.max_tokens, every_steps=options.every
        )
        with tempfile.TemporaryDirectory() as folder:
            mauve.finetune(
                options.model, texts, folder + "/model", from_scratch=True, batch=8,
                epochs=options.epochs, block_size=128, learning_rate=1e-3, validation=0,
                device="cpu",
                callbacks=[log, score] if is_scored else [log],
            )  # fmt: skip
        runs.append(log)
    alone, scored = runs
    each = scored.values("eval_mauve_runtime")
    losses = alone.values("loss")
    print(f"losses logged: {len(losses)}, equal: {losses == scored.values('loss')}")
    print(f"seconds without: {alone.seconds:.1f}, with: {scored.seconds:.1f}")
    print(f"CPU seconds without: {alone.cpu_seconds:.1f}, with: {scored.cpu_seconds:.1f}")
    print(f"scores: {[round(value, 3) for value in scored.values('eval_mauve')]}")
    print(f"seconds of each score: {each}")


if __name__ == "__main__":
    main()
