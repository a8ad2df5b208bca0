"""Train the bundled causal language model and its tokenizer from scratch.

    python training/train.py books.txt.xz modern.txt.xz --out model --device cuda

A corpus is plain text, possibly ``.xz`` or ``.gz``, with documents separated by a line
``<|doc|>``. One document in a hundred is held out. The result is an ordinary GPT-2 folder
for Transformers (``config.json``, ``model.safetensors`` in 16 bits, ``tokenizer.json``)
with the loss curve in ``training.json``. ``training/export.py`` makes the ONNX graph.
"""

import argparse
import gzip
import hashlib
import json
import lzma
import math
import platform
import time
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
import transformers
from safetensors.torch import save_file
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import GPT2Config, GPT2LMHeadModel

END_OF_TEXT = "<|endoftext|>"
HELD_OUT = 100  # one document in so many
BATCH_OF_TEXTS = 1000  # documents that are tokenised at a time


def documents(path: Path) -> Iterator[str]:
    """Yield the documents of a corpus file."""
    opener = {".xz": lzma.open, ".gz": gzip.open}.get(path.suffix, open)
    with opener(path, "rt", encoding="utf-8") as file:
        lines: list[str] = []
        for line in file:
            if line.rstrip("\n") == "<|doc|>":
                yield "".join(lines).strip()
                lines = []
            else:
                lines.append(line)
        yield "".join(lines).strip()


def train_tokenizer(texts: list[str], vocabulary: int) -> Tokenizer:
    """Train a byte-level BPE, which can spell every text."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[END_OF_TEXT],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer, length=len(texts))
    return tokenizer


def tokens_of(texts: list[str], tokenizer: Tokenizer) -> torch.Tensor:
    """Return all documents as one row of tokens, each behind an end-of-text token."""
    end = tokenizer.token_to_id(END_OF_TEXT)
    parts = []
    for start in range(0, len(texts), BATCH_OF_TEXTS):
        for encoding in tokenizer.encode_batch_fast(texts[start : start + BATCH_OF_TEXTS]):
            parts.append(np.array([end, *encoding.ids], dtype=np.int32))
    return torch.from_numpy(np.concatenate(parts))


def windows(tokens: torch.Tensor, starts: torch.Tensor, length: int) -> torch.Tensor:
    """Return one window of tokens for each start, shape (starts, length)."""
    return tokens[starts[:, None] + torch.arange(length, device=tokens.device)].long()


def learning_rate(step: int, steps: int, peak: float, warmup: int = 100) -> float:
    """Rise linearly, then fall along a cosine to a tenth of the peak."""
    if step < warmup:
        return peak * (step + 1) / warmup
    done = (step - warmup) / max(1, steps - warmup)
    return peak * (0.1 + 0.45 * (1 + math.cos(math.pi * done)))


def held_out_loss(model: torch.nn.Module, tokens: torch.Tensor, length: int) -> float:
    """Return the mean loss over the held-out documents, in nats a token."""
    starts = torch.arange(0, len(tokens) - length, length, device=tokens.device)
    losses = []
    model.eval()
    with torch.no_grad():
        for part in starts.split(64):
            batch = windows(tokens, part, length)
            losses.append(model(input_ids=batch, labels=batch).loss.item())
    model.train()
    return float(np.mean(losses))


@dataclass(frozen=True)
class Corpus:
    """Documents as tokens, one in a hundred of them held out.

    Attributes
    ----------
    tokenizer : Tokenizer
    tokens, held_out : Tensor of int32
    n_documents : int
    n_bytes : int
        Of the held-out documents.
    """

    tokenizer: Tokenizer
    tokens: torch.Tensor
    held_out: torch.Tensor
    n_documents: int
    n_bytes: int


def read_corpus(args: argparse.Namespace, every: int = 1) -> Corpus:
    """Read the documents, or one in `every` of those to train on, and tokenise them."""
    began = time.time()
    texts = [text for path in args.corpus for text in documents(path) if text]
    held_out = texts[::HELD_OUT]
    training = [text for i, text in enumerate(texts) if i % HELD_OUT][::every]
    tokenizer = (
        Tokenizer.from_file(str(args.tokenizer))
        if args.tokenizer
        else train_tokenizer(training, args.vocabulary)
    )
    corpus = Corpus(
        tokenizer,
        tokens_of(training, tokenizer).to(args.device),
        tokens_of(held_out, tokenizer).to(args.device),
        len(texts) if every == 1 else len(training) + len(held_out),
        sum(len(text.encode()) for text in held_out),
    )
    seconds = time.time() - began
    print(f"{len(texts)} documents, {len(corpus.tokens)} tokens, {seconds:.0f} s", flush=True)
    return corpus


def train(args: argparse.Namespace, corpus: Corpus | None = None) -> None:
    """Train, and write the folder."""
    began = time.time()
    torch.manual_seed(args.seed)
    corpus = read_corpus(args) if corpus is None else corpus
    tokenizer, tokens, held_out = corpus.tokenizer, corpus.tokens, corpus.held_out
    end = tokenizer.token_to_id(END_OF_TEXT)
    config = GPT2Config(
        vocab_size=tokenizer.get_vocab_size(), n_positions=args.context, n_embd=args.width,
        n_layer=args.layers, n_head=args.heads, bos_token_id=end, eos_token_id=end,
        resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
    )  # fmt: skip
    model = GPT2LMHeadModel(config).to(args.device)
    stepped = torch.compile(model) if args.compile else model
    decayed = [p for p in model.parameters() if p.ndim > 1]
    others = [p for p in model.parameters() if p.ndim <= 1]
    optimizer = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}],
        betas=(0.9, 0.95),
        fused=args.device.startswith("cuda"),
    )
    on_gpu = args.device.startswith("cuda")
    autocast = torch.autocast("cuda", dtype=torch.bfloat16) if on_gpu else nullcontext()
    rng = torch.Generator(device=args.device).manual_seed(args.seed)
    curve: list[dict[str, float]] = []
    recent: list[torch.Tensor] = []
    for step in range(args.steps):
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step, args.steps, args.peak)
        span = len(tokens) - args.context
        starts = torch.randint(span, (args.batch,), generator=rng, device=args.device)
        batch = windows(tokens, starts, args.context)
        with autocast:
            loss = stepped(input_ids=batch, labels=batch).loss
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        recent.append(loss.detach())
        if (step + 1) % args.report == 0 or step + 1 == args.steps:
            with autocast:
                validation = held_out_loss(model, held_out, args.context)
            curve.append({
                "step": step + 1,
                "training": round(float(torch.stack(recent).mean()), 4),
                "held_out": round(validation, 4),
                "seconds": round(time.time() - began, 1),
            })  # fmt: skip
            print(json.dumps(curve[-1]), flush=True)
            recent = []
    bits_per_byte = curve[-1]["held_out"] * len(held_out) / corpus.n_bytes / math.log(2)
    write(args, model, config, tokenizer, {
        "corpus": [{"name": path.name, "sha256": sha256(path)} for path in args.corpus],
        "documents": corpus.n_documents, "tokens": len(tokens),
        "bits_per_byte": round(bits_per_byte, 4),
        "settings": {
            name: value for name, value in vars(args).items()
            if isinstance(value, int | float) and name != "compile"
        },
        "versions": {
            "python": platform.python_version(), "torch": torch.__version__,
            "transformers": transformers.__version__,
        },
        "device": torch.cuda.get_device_name() if on_gpu else platform.machine(),
        "seconds": round(time.time() - began, 1), "curve": curve,
    })  # fmt: skip


def sha256(path: Path) -> str:
    """Return the checksum of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write(
    args: argparse.Namespace,
    model: GPT2LMHeadModel,
    config: GPT2Config,
    tokenizer: Tokenizer,
    record: dict[str, object],
) -> None:
    """Write the folder; the weights are halved to 16 bits, the output layer is the input's."""
    args.out.mkdir(parents=True, exist_ok=True)
    weights = {
        name: value.detach().to("cpu", torch.float16).contiguous()
        for name, value in model.state_dict().items()
        if name != "lm_head.weight"
    }
    save_file(weights, args.out / "model.safetensors", metadata={"format": "pt"})
    config.architectures = ["GPT2LMHeadModel"]
    config.save_pretrained(args.out)
    tokenizer.save(str(args.out / "tokenizer.json"))
    special = {"bos_token": END_OF_TEXT, "eos_token": END_OF_TEXT, "unk_token": END_OF_TEXT}
    settings = {"tokenizer_class": "PreTrainedTokenizerFast", "model_max_length": args.context}
    (args.out / "tokenizer_config.json").write_text(json.dumps(special | settings, indent=1) + "\n")
    record["sha256"] = sha256(args.out / "model.safetensors")
    (args.out / "training.json").write_text(json.dumps(record, indent=1) + "\n")


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, help="use this tokenizer.json")
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--width", type=int, default=128)
    parser.add_argument("--heads", type=int, default=4)
    parser.add_argument("--vocabulary", type=int, default=8192)
    parser.add_argument("--context", type=int, default=512)
    parser.add_argument("--batch", type=int, default=128, help="windows a step")
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--peak", type=float, default=3e-3, help="learning rate")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--report", type=int, default=250, help="steps between two reports")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--compile", action="store_true")
    train(parser.parse_args())


if __name__ == "__main__":
    main()
