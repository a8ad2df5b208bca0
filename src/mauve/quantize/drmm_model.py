"""Parameters of a deep residual mixture model, and its most likely paths."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from threadpoolctl import threadpool_limits

if TYPE_CHECKING:
    import torch


def one_thread() -> threadpool_limits:
    """Return a context in which torch uses one thread of the CPU, in this thread alone.

    The products of a batch are too small to share out, and rounding then does not depend on
    the number of cores.
    """
    return threadpool_limits(limits=1, user_api="openmp")


@dataclass(frozen=True)
class Layers:
    """The parameters of L layers of K components each, for texts of D dimensions.

    Attributes
    ----------
    theta : tensor of shape (p,)
        All parameters in one vector; the others are views of it.
    means : tensor of shape (L, K, D)
        Means μ of the components, of the residual that reaches the layer.
    log_variances : tensor of shape (L,)
        log σ², one for all components of a layer.
    logits : tensor of shape (L, K)
        Prior weights w of the components, before the softmax.
    tables : tensor of shape (L, K, L, K)
        How often component k of layer l meets component i of an earlier layer j, before the
        softmax over i; unused for j >= l.
    """

    theta: "torch.Tensor"
    means: "torch.Tensor"
    log_variances: "torch.Tensor"
    logits: "torch.Tensor"
    tables: "torch.Tensor"

    @classmethod
    def zeros(
        cls, n_layers: int, n_components: int, dim: int, device: "torch.device | None" = None
    ) -> "Layers":
        """Return parameters that are all zero, by default on the CPU."""
        import torch

        sizes = [
            (n_layers, n_components, dim),
            (n_layers,),
            (n_layers, n_components),
            (n_layers, n_components, n_layers, n_components),
        ]
        counts = [math.prod(size) for size in sizes]
        theta = torch.zeros(sum(counts), device=device)
        parts = torch.split_with_sizes(theta, counts)
        return cls(theta, *(part.view(size) for part, size in zip(parts, sizes, strict=True)))

    def log_priors(self) -> "tuple[torch.Tensor, torch.Tensor]":
        """Return log w, shape (L, K), and log c, shape (L, K, L, K)."""
        return self.logits.log_softmax(dim=-1), self.tables.log_softmax(dim=-1)


@dataclass(frozen=True)
class Paths:
    """A model as a mixture with one component for each path through its layers.

    Attributes
    ----------
    centres : tensor of shape (K ** L, D)
        Sums of the means along each path; the first layer varies slowest.
    log_weights : tensor of shape (K ** L,)
    precision : float
        1 / σ² of the last layer.
    """

    centres: "torch.Tensor"
    log_weights: "torch.Tensor"
    precision: float

    @classmethod
    def of(cls, layers: Layers) -> "Paths":
        """Return the paths of a model.

        Notes
        -----
        The last layer models the residual jointly with the components chosen before, and the
        residual is the text minus their means. So its density is the joint density of text and
        path, ::

            log p(x, z) = log w(z_L) + Σ_j log c(z_j | z_L) + log N(x; Σ_l μ_l(z_l), σ_L²)
        """
        log_w, log_c = layers.log_priors()
        depth, k, dim = layers.means.shape
        centres = layers.means[0]
        for means in layers.means[1:]:
            centres = (centres[:, None] + means).view(-1, dim)
        log_weights = log_w[-1].view((1,) * (depth - 1) + (k,))
        for j in range(depth - 1):
            sizes = [1] * (depth - 1) + [k]
            sizes[j] = k
            log_weights = log_weights + log_c[-1, :, j].T.reshape(sizes)
        return cls(centres, log_weights.reshape(-1), math.exp(-float(layers.log_variances[-1])))

    def scores(self, x: "torch.Tensor") -> "torch.Tensor":
        """Return log p(x, z), without terms equal for all paths, shape (n, K ** L)."""
        offset = self.log_weights - (self.centres * self.centres).sum(dim=1) * (self.precision / 2)
        return (x @ self.centres.T).mul_(self.precision).add_(offset)

    def most_likely(self, x: "torch.Tensor") -> "torch.Tensor":
        """Return the path of highest probability for each text."""
        return self.scores(x).argmax(dim=1)

    def log_likelihood(self, x: "torch.Tensor") -> "torch.Tensor":
        """Return log p(x), the sum over all paths, of each text."""
        dim = x.shape[1]
        constant = dim / 2 * math.log(2 * math.pi / self.precision)
        return (
            self.scores(x).logsumexp(dim=1) - (x * x).sum(dim=1) * (self.precision / 2) - constant
        )
