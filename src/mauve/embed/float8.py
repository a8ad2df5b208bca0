"""Compute the matrix products of a Transformers model with 8-bit floats, on GPUs that can."""

import torch
from transformers import PreTrainedModel
from transformers.pytorch_utils import Conv1D

from mauve.calls import option, parameter
from mauve.errors import InvalidParameterError

#: Three bits of mantissa and four of exponent: for weights and states, which have no need of more
#: range than their scales give.
FLOAT8 = torch.float8_e4m3fn
_LARGEST = torch.finfo(FLOAT8).max  # 448
_MULTIPLE = 16  # which both sides of a weight must be a multiple of
_SCALES = 256  # rows that a kernel reads the scales of at once


def row_scaled(values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return rows as 8-bit floats, and the scale that each must be multiplied by.

    Parameters
    ----------
    values : tensor of shape (n, d)

    Returns
    -------
    rounded : tensor of float8_e4m3fn, shape (n, d)
        The largest absolute value of a row becomes 448, the largest number there is.
    scales : tensor of float32, shape (n, 1)

    Examples
    --------
    >>> rounded, scales = row_scaled(torch.tensor([[1.0, -2.0], [0.0, 0.0]]))
    >>> (rounded.float() * scales).tolist()
    [[1.0, -2.0], [0.0, 0.0]]
    """
    n = len(values)
    # Some kernels read scales beyond the last row, which must be memory of this process.
    padded = torch.ones(-(-n // _SCALES) * _SCALES, 1, device=values.device)
    scales = padded[:n]
    torch.linalg.vector_norm(
        values, float("inf"), dim=1, keepdim=True, dtype=torch.float32, out=scales
    )
    scales.clamp_(min=torch.finfo(torch.float32).tiny * _LARGEST).div_(_LARGEST)
    rounded = torch.empty(values.shape, dtype=FLOAT8, device=values.device)
    torch.mul(values, scales.reciprocal(), out=rounded)  # one kernel: scales and rounds
    return rounded, scales


class Float8Linear(torch.nn.Module):
    """A linear layer whose product is of 8-bit floats; sums and results have more bits.

    Parameters
    ----------
    weight : tensor of shape (n_outputs, n_inputs)
        Each row has a scale of its own.
    bias : tensor of shape (n_outputs,), or None

    Examples
    --------
    >>> layer = Float8Linear(torch.eye(16, dtype=torch.bfloat16), None)
    >>> layer(torch.full((2, 3, 16), 0.5, dtype=torch.bfloat16)).shape
    torch.Size([2, 3, 16])
    """

    weight: torch.Tensor
    scales: torch.Tensor
    bias: torch.Tensor | None

    def __init__(self, weight: torch.Tensor, bias: torch.Tensor | None) -> None:
        super().__init__()
        rounded, scales = row_scaled(weight.detach())
        self.register_buffer("weight", rounded)
        self.register_buffer("scales", scales.t())
        self.register_buffer("bias", None if bias is None else bias.detach().to(torch.bfloat16))

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """Return the outputs for states of shape (..., n_inputs)."""
        rounded, scales = row_scaled(states.reshape(-1, states.shape[-1]))
        out = torch._scaled_mm(
            rounded,
            self.weight.t(),
            scale_a=scales,
            scale_b=self.scales,
            bias=self.bias,
            out_dtype=torch.bfloat16,
            use_fast_accum=True,
        )
        return out.reshape(*states.shape[:-1], -1)


def use_float8(model: PreTrainedModel) -> int:
    """Replace the linear layers of a model in bfloat16, and return how many there were.

    Embeddings, attention, norms and the head of a language model stay as they are, and so do
    layers whose sides are no multiples of 16.
    """
    n_replaced = 0
    body: torch.nn.Module = model.base_model
    for module in [*body.modules()]:
        for name, layer in [*module.named_children()]:
            if not isinstance(layer, torch.nn.Linear | Conv1D):
                continue
            weight = layer.weight.t() if isinstance(layer, Conv1D) else layer.weight
            if any(side % _MULTIPLE for side in weight.shape):
                continue
            setattr(module, name, Float8Linear(weight.contiguous(), layer.bias))
            n_replaced += 1
    return n_replaced


def check_float8(device: torch.device) -> None:
    """Raise unless a device computes products of 8-bit floats.

    Examples
    --------
    >>> check_float8(torch.device("cpu"))
    Traceback (most recent call last):
    mauve.errors.InvalidParameterError: 'dtype' must be another one than 'float8' on cpu, which \
has no products of 8-bit floats: use dtype='bfloat16', or a GPU of compute capability 8.9 or later.
    """
    reason = "which has no products of 8-bit floats"
    if device.type == "cuda" and torch.cuda.get_device_capability(device) >= (8, 9):
        try:
            layer = Float8Linear(torch.eye(_MULTIPLE, device=device, dtype=torch.bfloat16), None)
            layer(torch.ones(_MULTIPLE, _MULTIPLE, device=device, dtype=torch.bfloat16)).cpu()
        except RuntimeError as error:  # of a build without them
            reason = f"where they fail ({str(error).partition(chr(10))[0][:200]})"
        else:
            return
    raise InvalidParameterError(
        f"{parameter('dtype')} must be another one than 'float8' on {device}, {reason}: use "
        f"{option('dtype', 'bfloat16')}, or a GPU of compute capability 8.9 or later."
    )
