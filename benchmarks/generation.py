"""Measure how fast texts are written: by a Transformers model, and by an n-gram model.

    python benchmarks/generation.py --shape small
    python benchmarks/generation.py --shape gpt2-xl --device cuda --texts 5000 --tokens 1024
    python benchmarks/generation.py --ngram

The Transformers model has random weights, so nothing is downloaded; it needs the transformers
extra. Every text has the same number of tokens. The first line is the writer, the second one
prompt at a time through the ``generate`` function of Transformers, the third what the memory
of the device allows: every step reads all weights once, and the keys and values of all tokens
of all texts. The bandwidth is that of a copy of a large tensor on this device.
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

SHAPES = {  # GPT-2's: width, layers, heads, vocabulary
    "tiny": (128, 4, 4, 8192),
    "small": (256, 6, 8, 8192),
    "gpt2": (768, 12, 12, 50257),
    "gpt2-xl": (1600, 48, 25, 50257),
}
PROMPT = 35  # tokens


def prompts(n: int, encode, decode) -> list[str]:
    """Return n different beginnings of prose, of about 35 tokens each."""
    from mauve.lm.reference import split_reference

    passages = ["".join(passage) for passage in split_reference(300).passages]
    cut = [decode(encode(passage)[:PROMPT]) for passage in passages]
    return [f"{i} {cut[i % len(cut)]}" for i in range(n)]


def make_model(shape: str, n_tokens: int, dtype: str, folder: Path, device: str = "cpu") -> None:
    """Write a GPT-2 with random weights, drawn on a device, and the bundled tokenizer."""
    import torch
    import transformers

    from mauve.embed.bundled import MODEL

    width, layers, heads, vocabulary = SHAPES[shape]
    config = transformers.GPT2Config(
        n_embd=width, n_layer=layers, n_head=heads, vocab_size=vocabulary,
        n_positions=n_tokens + 2 * PROMPT, bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    torch.manual_seed(0)
    with torch.device(device):
        model = transformers.AutoModelForCausalLM.from_config(config, dtype=getattr(torch, dtype))
    # Logits about as uneven as those of a trained model: nuclei of some hundreds of tokens.
    model.transformer.ln_f.weight.data.fill_(4 / (0.02 * width**0.5))
    model.save_pretrained(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(MODEL)
    tokenizer.model_max_length = n_tokens + 2 * PROMPT
    tokenizer.save_pretrained(folder)


def bandwidth(device) -> float:
    """Return the bytes that a copy reads and writes in a second."""
    import torch

    size = (1 << 32) if device.type == "cuda" else (1 << 28)
    source = torch.ones(size, dtype=torch.uint8, device=device)
    target = torch.empty_like(source)
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        target.copy_(source)
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        seconds.append(time.perf_counter() - start)
    return 2 * size / min(seconds)


def measure_transformers(arguments: argparse.Namespace) -> None:
    """Print the tokens per second of the writer and of ``generate``."""
    import torch
    from transformers import GenerationConfig

    from mauve.embed.models import find_devices, find_dtype
    from mauve.lm.decoding import parse_decoder
    from mauve.lm.transformers_writer import TransformersWriter
    from mauve.lm.writing import WritingOptions

    [device] = find_devices(arguments.device)
    dtype = str(find_dtype(arguments.dtype, device)).removeprefix("torch.")
    with tempfile.TemporaryDirectory() as folder:
        make_model(arguments.shape, arguments.tokens, dtype, Path(folder), str(device))
        writer = TransformersWriter(
            folder, device=arguments.device, dtype=dtype, token_budget=arguments.token_budget
        )
        texts = prompts(arguments.texts, writer.encode, writer.decode)
        decoding = parse_decoder(arguments.decoder)
        # All texts are as long as allowed, or the tokens of a run would depend on the weights.
        warm = WritingOptions(4, min_tokens=4)
        list(writer.write(texts[:2], decoding, warm))
        head = writer._heads[0]
        longest = max(len(writer.encode(text)) for text in texts) + arguments.tokens
        rows = min(writer.rows_at_once(head, longest, 1), len(texts))
        options = WritingOptions(arguments.tokens, min_tokens=arguments.tokens)
        start = time.perf_counter()
        written = [text for _, text in writer.write(texts, decoding, options)]
        seconds = time.perf_counter() - start
        n = sum(text.n_tokens for text in written)
        print(f"{arguments.shape}, {device}, {dtype}, {decoding}: "
              f"{len(texts)} texts of {arguments.tokens} tokens, {rows} at once")  # fmt: skip
        print(f"writer      {n / seconds:10.0f} tokens/s  {seconds:8.1f} s", flush=True)

        model = head.model
        n_single = arguments.single_tokens or arguments.tokens
        config = GenerationConfig(
            do_sample=True, top_p=0.95, top_k=0, max_new_tokens=n_single,
            min_new_tokens=n_single, eos_token_id=0, pad_token_id=0,
        )  # fmt: skip
        single, single_seconds = 0, 0.0
        for text in texts[: arguments.single]:
            ids = torch.tensor([writer.encode(text)], device=device)
            start = time.perf_counter()
            with torch.inference_mode():
                rows_out = model.generate(
                    input_ids=ids, attention_mask=torch.ones_like(ids), generation_config=config
                )
            single += rows_out.shape[1] - ids.shape[1]
            single_seconds += time.perf_counter() - start
        ratio = (n / seconds) / (single / single_seconds)
        print(f"one by one  {single / single_seconds:10.0f} tokens/s  "
              f"(the writer is {ratio:.1f} times as fast)")  # fmt: skip

        speed = bandwidth(device)
        weights = sum(parameter.nbytes for parameter in model.parameters())
        positions = arguments.tokens * (PROMPT + arguments.tokens / 2)  # read by a text in all
        moved = len(texts) * (writer.token_bytes * positions + arguments.tokens * weights / rows)
        print(f"memory      {n / (moved / speed):10.0f} tokens/s  at {speed / 1e9:.0f} GB/s "
              f"(the writer reaches {moved / speed / seconds:.0%} of it)")  # fmt: skip
        if device.type == "cuda":
            print(f"memory used {torch.cuda.max_memory_allocated(device) / 2**30:10.1f} GiB")


def measure_ngram() -> None:
    """Print the time to learn from 1 MB of text and to sample 1,000 texts of 100 words."""
    from mauve.lm.decoding import Ancestral
    from mauve.lm.generation import CausalModelWriter
    from mauve.lm.ngram import NGramModel
    from mauve.lm.writing import WritingOptions
    from mauve.text.words import tokenize

    rng = np.random.default_rng(0)
    names = np.array([f"w{i}" for i in range(30_000)])
    shares = 1 / np.arange(1, len(names) + 1)  # Zipf's law, as in prose
    drawn = rng.choice(names, size=(1200, 200), p=shares / shares.sum())
    documents = [" ".join(row) for row in drawn]
    start = time.perf_counter()
    model = NGramModel.fit([tokenize(document) for document in documents])
    fitted = time.perf_counter()
    writer = CausalModelWriter(model, "ngram")
    options = WritingOptions(100, min_tokens=100)
    n = sum(text.n_tokens for _, text in writer.write([""] * 1000, Ancestral(), options))
    end = time.perf_counter()
    size = sum(map(len, documents)) / 1e6
    print(f"n-gram model of order {model.order}, {model.vocabulary_size} words")
    print(f"learn from {size:.2f} MB    {fitted - start:6.2f} s")
    print(f"sample {n} words  {end - fitted:6.2f} s")
    print(f"both               {end - start:6.2f} s")


def main() -> None:
    """Read the arguments and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--ngram", action="store_true", help="measure the n-gram model alone")
    parser.add_argument("--shape", choices=SHAPES, default="small")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--dtype", default="auto")
    parser.add_argument("--decoder", default="nucleus:p=0.95")
    parser.add_argument("--texts", type=int, default=64)
    parser.add_argument("--tokens", type=int, default=128, help="of each text")
    parser.add_argument("--token-budget", type=int, help="see TransformersWriter")
    parser.add_argument("--single", type=int, default=3, help="prompts that are run one by one")
    parser.add_argument("--single-tokens", type=int, help="of each of those; fewer are faster")
    arguments = parser.parse_args()
    if arguments.ngram:
        measure_ngram()
    else:
        measure_transformers(arguments)


if __name__ == "__main__":
    main()
