"""How fast language models score texts, beside the loop that one would write by hand.

    python benchmarks/token_probabilities.py --device cuda
    python benchmarks/token_probabilities.py --device cpu --layers 2 --width 64 --heads 4 \
        --texts 40 --plain-texts 10

A GPT-2 of a given shape (large by default) with random weights reads texts of 200 to 400
tokens. Its last layer is scaled so that its distributions are about as uneven as those of a
trained model. First generation perplexity, then the measures of a model under test with five
decoders. The plain loop has the same number type and reads some of the texts one at a time,
each decoder as a logits warper of Transformers. The last line is the largest difference of
each measure between the two: absolute, and of perplexities as a share.
"""

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
import transformers
from transformers import AutoModelForCausalLM, GPT2Config, GPT2LMHeadModel
from transformers.generation import (
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from mauve.embed.bundled import MODEL, tokenizer
from mauve.embed.models import find_devices, find_dtype
from mauve.lm.causal import TransformersScorer
from mauve.lm.probabilities import token_probabilities
from mauve.lm.reference import split_reference
from mauve.measures.epsilon_perplexity import EPSILON_PERPLEXITY
from mauve.measures.estimate import deal_texts
from mauve.measures.model_perplexity import MODEL_PERPLEXITY
from mauve.measures.perplexity import corpus_perplexity
from mauve.measures.protocol import Measure, MeasuredSample, TokenProbabilities
from mauve.measures.sparsemax import SPARSEMAX
from mauve.measures.token_js import TOKEN_JS

#: Our name of each decoder, and what the plain loop does in its place.
DECODERS: dict[str, Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "greedy": TopKLogitsWarper(top_k=1),
    "ancestral": lambda _, logits: logits,
    "temperature:0.7": TemperatureLogitsWarper(0.7),
    "topk:50": TopKLogitsWarper(top_k=50),
    "nucleus:0.95": TopPLogitsWarper(top_p=0.95),
}
MEASURES = (SPARSEMAX, TOKEN_JS, EPSILON_PERPLEXITY, MODEL_PERPLEXITY)


def make_folder(folder: Path, config: GPT2Config) -> None:
    """Write a model with random weights, and the bundled tokenizer."""
    torch.manual_seed(0)
    model = GPT2LMHeadModel(config)
    with torch.no_grad():  # logits with a standard deviation of 3.5: 4.7 nats of entropy
        model.lm_head.weight *= 3.5 / (config.initializer_range * config.n_embd**0.5)
    model.save_pretrained(folder)
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(MODEL / name, folder / name)
    path = folder / "tokenizer_config.json"  # the bundled tokenizer says 512 tokens
    path.write_text(path.read_text().replace("512", str(config.n_positions)))


def some_texts(n: int, rng: np.random.Generator) -> list[str]:
    """Return pieces of the Python language reference, of 200 to 400 tokens."""
    training = split_reference(1).training
    ids = tokenizer().encode("".join(token for topic in training for token in topic)).ids
    lengths = rng.integers(200, 401, size=n)
    starts = rng.integers(len(ids) - 400, size=n)
    return [
        tokenizer().decode(ids[start : start + length])
        for start, length in zip(starts, lengths, strict=True)
    ]


def plain_perplexity(model: GPT2LMHeadModel, texts: list[list[int]], device: str) -> float:
    """Return the perplexity of texts that are read one by one."""
    total = 0.0
    with torch.no_grad():
        for text in texts:
            ids = torch.tensor([[0, *text]], device=device)
            total += float(model(input_ids=ids, labels=ids).loss) * len(text)
    return float(np.exp(total / sum(map(len, texts))))


def plain_loop(
    model: GPT2LMHeadModel, texts: list[list[int]], device: str
) -> list[TokenProbabilities]:
    """Return what each decoder makes of texts that are read one by one."""
    chances: list[list[float]] = [[] for _ in DECODERS]
    squares: list[list[float]] = [[] for _ in DECODERS]
    with torch.no_grad():
        for text in texts:
            ids = torch.tensor([[0, *text]], device=device)
            logits = model(input_ids=ids).logits[0, :-1].float()
            for k, warper in enumerate(DECODERS.values()):
                distribution = warper(ids, logits).softmax(1)
                chances[k] += distribution.gather(1, ids[0, 1:, None])[:, 0].tolist()
                squares[k] += distribution.square().sum(1).tolist()
    starts = np.concatenate([[0], np.cumsum([len(text) for text in texts])]).astype(np.int64)
    return [
        TokenProbabilities(np.array(p), np.array(s), starts, model.config.vocab_size)
        for p, s in zip(chances, squares, strict=True)
    ]


def values(probabilities: TokenProbabilities) -> list[float]:
    """Return the four measures."""
    human = MeasuredSample(
        "human", deal_texts(np.arange(len(probabilities.starts) - 1, dtype=np.uint64))
    )
    model = MeasuredSample("model", human.groups, model=probabilities)
    return [measure.estimate(model, human).value for measure in MEASURES]


def timed(work: Callable[[], Any], device: str) -> tuple[Any, float]:
    """Return what a call gives and how many seconds it takes."""
    if device.startswith("cuda"):
        torch.cuda.synchronize()
    start = time.perf_counter()
    result = work()
    if device.startswith("cuda"):
        torch.cuda.synchronize()
    return result, time.perf_counter() - start


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=2000)
    parser.add_argument("--plain-texts", type=int, default=50)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--dtype", default="auto")
    parser.add_argument("--layers", type=int, default=36)
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--heads", type=int, default=20)
    args = parser.parse_args()
    device = args.device
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    dtype = find_dtype(args.dtype, find_devices(device)[0])
    options = {"device": device, "dtype": args.dtype}
    config = GPT2Config(
        n_embd=args.width, n_layer=args.layers, n_head=args.heads, bos_token_id=0, eos_token_id=0,
        tie_word_embeddings=False,  # or its logits would be those of the token before
    )  # fmt: skip
    texts = some_texts(args.texts, np.random.default_rng(0))
    some = texts[: args.plain_texts]
    ids = [encoding.ids for encoding in tokenizer().encode_batch_fast(texts)]
    few = ids[: len(some)]
    n_tokens, n_few = sum(map(len, ids)), sum(map(len, few))
    card = torch.cuda.get_device_name() if device.startswith("cuda") else device
    print(f"{card}, {dtype}, torch {torch.__version__}, transformers {transformers.__version__}")
    print(f"{config.n_layer} layers of {config.n_embd}; {len(texts)} texts, {n_tokens} tokens")

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        make_folder(folder, config)
        scorer = TransformersScorer(folder, **options)
        ours = corpus_perplexity(scorer.log_probabilities(some))  # loads the model and warms it up
        _, seconds = timed(lambda: scorer.log_probabilities(texts), device)
        plain = AutoModelForCausalLM.from_pretrained(folder, dtype=dtype).to(device).eval()
        plain_perplexity(plain, few[:3], device)
        theirs, slow = timed(lambda: plain_perplexity(plain, few, device), device)
        report("generation perplexity", n_tokens / seconds, n_few / slow)
        print(f"  {ours:.4f} and {theirs:.4f}, {abs(ours / theirs - 1):.1e} apart", flush=True)

        mine, loading = timed(
            lambda: token_probabilities(folder, [*DECODERS], some, **options), device
        )
        # It loads the model in every call, which is no part of the rate.
        _, seconds = timed(
            lambda: token_probabilities(folder, [*DECODERS], texts, **options), device
        )
        plain_loop(plain, few[:3], device)
        other, slow = timed(lambda: plain_loop(plain, few, device), device)
        rate = (n_tokens - n_few) / (seconds - loading)
        report(f"{len(DECODERS)} decoders, 4 measures", rate, n_few / slow)
    print(f"  {'decoder':16}" + "".join(f"{measure.name:>20}" for measure in MEASURES))
    farthest = np.zeros(len(MEASURES))
    for name, ours, by_hand in zip(DECODERS, mine, other, strict=True):
        our_values, expected = values(ours), values(by_hand)
        print(f"  {name:16}" + "".join(f"{value:20.5g}" for value in our_values))
        farthest = np.maximum(farthest, [*map(error_of, MEASURES, our_values, expected)])
    print(f"  {'farthest apart':16}" + "".join(f"{each:20.1e}" for each in farthest))


def error_of(measure: Measure, a: float, b: float) -> float:
    """Return how far two values are apart, as a share for a perplexity."""
    if a == b:  # both infinite, perhaps
        return 0.0
    return abs(a / b - 1) if "perplexity" in measure.name else abs(a - b)


def report(what: str, ours: float, theirs: float) -> None:
    """Print the tokens per second of both."""
    print(f"{what:25} {ours:10,.0f} tokens/s, plain loop {theirs:10,.0f}: "
          f"{ours / theirs:.1f} times as fast")  # fmt: skip


if __name__ == "__main__":
    main()
