"""What limits each step of one block of a GPT-2: operations, bytes and time beside the peaks.

    python benchmarks/roofline.py --device cuda

The steps of a block are run one by one, with the shapes that they have when many texts are packed:
in bfloat16, and the products with 8-bit floats as the option "float8" computes them. Peaks are
measured in the same run: large products of both number types, and the copy of a large tensor.
Operations are those of products. The least time of a step is the larger of its operations and its
bytes, each divided by its peak; bytes are those of reading every input and writing every result
once.
"""

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional

from mauve.embed.float8 import FLOAT8, Float8Linear, row_scaled
from mauve.embed.replica import layout, packed_attention

Work = Callable[[], object]


@dataclass(frozen=True)
class Step:
    """One step of a block: how often a block does it, and what one time takes.

    Attributes
    ----------
    name : str
    work : callable
    operations, n_bytes : float
    times : int
    is_float8 : bool
        Its products are of 8-bit floats.
    """

    name: str
    work: Work
    operations: float
    n_bytes: float
    times: int = 1
    is_float8: bool = False


@dataclass(frozen=True)
class Peaks:
    """What the device reached in this run, a second: operations by number type, and bytes."""

    bfloat16: float
    float8: float | None
    memory: float

    def least_seconds(self, step: Step) -> float:
        """Return the time below which a step cannot be done."""
        peak = self.float8 if step.is_float8 and self.float8 else self.bfloat16
        return max(step.operations / peak, step.n_bytes / self.memory)


def wait(device: str) -> None:
    """Wait for the device."""
    if device.startswith("cuda"):
        torch.cuda.synchronize()


def timed(work: Work, device: str, repeats: int = 1) -> float:
    """Return the seconds of one call, after one to warm up."""
    work()
    wait(device)
    start = time.perf_counter()
    for _ in range(repeats):
        work()
    wait(device)
    return (time.perf_counter() - start) / repeats


def measure_peaks(device: str, size: int = 8192, repeats: int = 20) -> Peaks:
    """Return the peaks of a device, of products and copies of a given size."""
    a, b = (torch.randn(size, size, device=device, dtype=torch.bfloat16) for _ in range(2))
    operations = 2 * size**3
    bfloat16 = operations / timed(lambda: a @ b, device, repeats)
    float8 = None
    if can_float8(device):
        (x, x_scales), (y, y_scales) = row_scaled(a), row_scaled(b)
        seconds = timed(
            lambda: torch._scaled_mm(
                x, y.t(), scale_a=x_scales, scale_b=y_scales.t(), out_dtype=torch.bfloat16,
                use_fast_accum=True,
            ),
            device,
            repeats,
        )  # fmt: skip
        float8 = operations / seconds
    source = torch.empty(4 * size * size, device=device, dtype=torch.bfloat16)
    target = torch.empty_like(source)
    memory = 2 * source.nbytes / timed(lambda: target.copy_(source), device, repeats)
    return Peaks(bfloat16, float8, memory)


def can_float8(device: str) -> bool:
    """Whether a device computes products of 8-bit floats; a CPU does, for tests of this file."""
    if not device.startswith("cuda"):
        return True
    return torch.cuda.get_device_capability(device) >= (8, 9)


def block_steps(lengths: np.ndarray, width: int, heads: int, device: str) -> list[Step]:
    """Return the steps of a block for texts of these lengths, packed; and those of 8 bits."""
    tokens = int(lengths.sum())

    def made(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, device=device, dtype=torch.bfloat16)

    states, wide = made(tokens, width), made(tokens, 4 * width)
    qkv = [made(1, heads, tokens, width // heads) for _ in range(3)]
    starts = torch.tensor(np.concatenate([[0], np.cumsum(lengths)]), device=device).int()
    gain, shift = made(width), made(width)

    def attend() -> object:
        with layout(starts, int(lengths.max())):
            return packed_attention(torch.nn.Identity(), *qkv, None)

    size = 2 * tokens * width  # bytes of the states
    half = 2 * 2 * width * float((lengths.astype(float) ** 2).sum()) / 2  # the rest is masked
    steps = [
        Step("norm", lambda: functional.layer_norm(states, (width,), gain, shift),
             0, 2 * size, 2),
        Step("attention", attend, half, 4 * size),
        Step("activation", lambda: functional.gelu(wide, approximate="tanh"),
             0, 8 * size),
        Step("residual", lambda: states + states, 0, 3 * size, 2),
    ]  # fmt: skip
    for name, n_in, n_out in (
        ("queries, keys, values", width, 3 * width),
        ("out of attention", width, width),
        ("into the middle", width, 4 * width),
        ("out of the middle", 4 * width, width),
    ):
        weight, bias, inputs = made(n_out, n_in), made(n_out), wide if n_in > width else states
        operations = 2.0 * tokens * n_in * n_out
        out = 2 * tokens * n_out
        steps.append(Step(name, lambda x=inputs, w=weight, b=bias: functional.linear(x, w, b),
                          operations, 2 * tokens * n_in + 2 * weight.numel() + out))  # fmt: skip
        if not can_float8(device):
            continue
        layer, (rounded, scales) = Float8Linear(weight, bias), row_scaled(inputs)
        steps.append(Step(f"{name}, rounding", lambda x=inputs: row_scaled(x),
                          0, 3 * tokens * n_in, is_float8=True))  # fmt: skip
        steps.append(Step(f"{name}, product",
                          lambda x=rounded, s=scales, f=layer: torch._scaled_mm(
                              x, f.weight.t(), scale_a=s, scale_b=f.scales, bias=f.bias,
                              out_dtype=torch.bfloat16, use_fast_accum=True),
                          operations, tokens * n_in + weight.numel() + out,
                          is_float8=True))  # fmt: skip
        assert rounded.dtype == FLOAT8
    return steps


def print_roofline(lengths: np.ndarray, width: int, heads: int, device: str, peaks: Peaks) -> None:
    """Print the table of all steps, and how fast a block can be that does them all."""
    print(f"one block, {len(lengths)} texts, {lengths.sum():,} tokens, width {width}:")
    print(f"{'step':34}{'times':>6}{'GFLOP':>9}{'MB':>9}{'ms':>9}{'least ms':>10}{'share':>8}")
    steps = block_steps(lengths, width, heads, device)
    replaced = {step.name.rpartition(", ")[0] for step in steps if step.is_float8}
    totals = {False: np.zeros(3), True: np.zeros(3)}
    for step in steps:
        seconds, least = timed(step.work, device, 10), peaks.least_seconds(step)
        print(f"{step.name:34}{step.times:6}{step.operations / 1e9:9.1f}{step.n_bytes / 1e6:9.0f}"
              f"{seconds * 1e3:9.3f}{least * 1e3:10.3f}{least / seconds:8.0%}",
              flush=True)  # fmt: skip
        figures = step.times * np.array([step.operations, seconds, least])
        totals[False] += 0 if step.is_float8 else figures
        totals[True] += 0 if step.name in replaced else figures
    for is_float8, (operations, seconds, least) in totals.items():
        if is_float8 and peaks.float8 is None:
            continue
        name = "8-bit floats" if is_float8 else "bfloat16"
        print(f"a block in {name}: {seconds * 1e3:.3f} ms, at least {least * 1e3:.3f}; "
              f"{operations / seconds / peaks.bfloat16:.1%} of the bfloat16 peak, at most "
              f"{operations / least / peaks.bfloat16:.1%}")  # fmt: skip


def main() -> None:
    """Print the peaks and the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--tokens", type=int, default=65_536, help="of one batch")
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--heads", type=int, default=20)
    parser.add_argument("--size", type=int, default=8192, help="of the products of the peaks")
    args = parser.parse_args()
    print_all(args.tokens, args.width, args.heads, args.device, args.size)


def print_all(tokens: int, width: int, heads: int, device: str, size: int) -> None:
    """Measure the peaks, and print them with the table."""
    peaks = measure_peaks(device, size)
    of_float8 = "none" if peaks.float8 is None else f"{peaks.float8 / 1e12:.1f} TFLOP/s"
    print(f"peaks: bfloat16 {peaks.bfloat16 / 1e12:.1f} TFLOP/s, 8-bit floats {of_float8}, "
          f"copy {peaks.memory / 1e9:,.0f} GB/s", flush=True)  # fmt: skip
    lengths = np.full(max(1, tokens // 400), 400)  # texts of 400 tokens, as in the shape above
    print_roofline(lengths, width, heads, device, peaks)


if __name__ == "__main__":
    main()
