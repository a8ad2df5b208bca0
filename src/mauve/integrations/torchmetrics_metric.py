"""A metric of torchmetrics that gathers features from all processes; needs its extra."""

from collections.abc import Sequence
from typing import Any

import torch
from torchmetrics import Metric
from torchmetrics.utilities.data import dim_zero_cat

from mauve.comparison.results import MauveResult
from mauve.comparison.run import compare
from mauve.embed.registry import EmbedderLike, get_embedder
from mauve.errors import InvalidParameterError, bad_parameter, check_bool

_SIDES = ("human", "model")


class MauveMetric(Metric):
    """MAUVE of a model's texts against human texts, batch by batch.

    Texts are embedded when they are passed, and their features are the state: they are gathered
    from all processes, and human ones are kept when the metric is reset, so that human text is
    embedded once.

    Parameters
    ----------
    embedder : str, Embedder or callable
        As for :func:`mauve.compare`; not used for batches of features.
    reset_human : bool
        Whether :meth:`reset` forgets human features too.
    options : mapping, optional
        Keywords of :func:`mauve.compare`, such as ``num_buckets`` or ``seed``.
    **settings
        Of every torchmetrics Metric, such as ``sync_on_compute``.

    Attributes
    ----------
    result : MauveResult or None
        The score that was computed last, with interval and test.

    Examples
    --------
    >>> metric = MauveMetric(options={"n_permutations": 0})
    >>> rng = torch.Generator().manual_seed(0)
    >>> for _ in range(4):
    ...     metric.update(torch.randn(100, 8, generator=rng), "human")
    ...     metric.update(torch.randn(100, 8, generator=rng) + 3, "model")
    >>> bool(metric.compute() < 0.1)
    True
    >>> metric.reset()  # for the next epoch: human features are kept
    >>> sum(map(len, metric.human)), metric.model
    (400, [])
    """

    is_differentiable = False
    higher_is_better = True
    full_state_update = False
    plot_lower_bound = 0.0
    plot_upper_bound = 1.0

    human: list[torch.Tensor]
    model: list[torch.Tensor]

    def __init__(
        self,
        embedder: EmbedderLike = "bundled",
        *,
        reset_human: bool = False,
        options: dict[str, Any] | None = None,
        **settings: Any,
    ) -> None:
        super().__init__(**settings)
        self.reset_human = check_bool("reset_human", reset_human)
        self.options = dict(options or {})
        self.result: MauveResult | None = None
        self._embedder = embedder
        self.add_state("human", [], dist_reduce_fx="cat")
        self.add_state("model", [], dist_reduce_fx="cat")

    def update(self, texts: Sequence[str] | torch.Tensor, side: str) -> None:
        """Add a batch.

        Parameters
        ----------
        texts : sequence of str, or tensor of shape (n, d)
            Texts, or features of any embedder.
        side : {"human", "model"}
            Who wrote them.
        """
        if side not in _SIDES:
            raise bad_parameter("side", "'human' or 'model'", side)
        if isinstance(texts, torch.Tensor):
            if texts.ndim != 2 or not texts.isfinite().all():
                raise InvalidParameterError(
                    "A batch of features must be finite, of shape (n, d). Got the shape "
                    f"{tuple(texts.shape)}{'' if texts.ndim != 2 else ' with NaN or infinity'} "
                    "instead."
                )
            features = texts.detach().to(torch.float32)
        else:
            embedded = get_embedder(self._embedder).embed([*texts])
            features = torch.from_numpy(embedded.features.astype("float32"))
        getattr(self, side).append(features.to(self.device))

    def compute(self) -> torch.Tensor:
        """Return the score; :attr:`result` has its interval, test and all else."""
        samples = {}
        for side in _SIDES:
            batches = getattr(self, side)
            if isinstance(batches, list) and not batches:
                raise InvalidParameterError(
                    f"MauveMetric needs texts of both sides. Got none with side='{side}': update "
                    "it with them first."
                )
            samples[side] = dim_zero_cat(batches).cpu().numpy()
        options = {"progress": False} | self.options
        comparison = compare(samples["human"], {"model": samples["model"]}, **options)
        self.result = comparison["model"]
        return torch.tensor(self.result.mauve, device=self.device)

    def reset(self) -> None:
        """Forget the model's features; human ones only with ``reset_human``."""
        kept = [*self.human]  # the list itself is emptied
        super().reset()
        if not self.reset_human:
            self.human = kept

    def plot(self, val: Any = None, ax: Any = None) -> Any:
        """Plot a score, or several over steps; returns figure and axes."""
        return self._plot(val, ax)
