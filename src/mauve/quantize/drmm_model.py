"""The deep residual mixture model: its parameters, its gradient, its most likely paths."""

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
class Shape:
    """Sizes of a model: layers L, components of each K, dimensions of a text D."""

    n_layers: int
    n_components: int
    dim: int


@dataclass(frozen=True)
class Layers:
    """The parameters of all layers, as views of one vector that an optimiser can move.

    Attributes
    ----------
    theta : tensor of shape (p,)
        All of them.
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
    def zeros(cls, shape: Shape, device: "torch.device") -> "Layers":
        """Return parameters that are all zero."""
        import torch

        depth, k, dim = shape.n_layers, shape.n_components, shape.dim
        sizes = [(depth, k, dim), (depth,), (depth, k), (depth, k, depth, k)]
        counts = [math.prod(size) for size in sizes]
        theta = torch.zeros(sum(counts), device=device)
        parts = torch.split_with_sizes(theta, counts)
        return cls(theta, *(part.view(size) for part, size in zip(parts, sizes, strict=True)))

    @property
    def shape(self) -> Shape:
        """Sizes of the model."""
        return Shape(*self.means.shape)

    def log_priors(self) -> "tuple[torch.Tensor, torch.Tensor]":
        """Return log w, shape (L, K), and log c, shape (L, K, L, K)."""
        return self.logits.log_softmax(dim=-1), self.tables.log_softmax(dim=-1)


class Gradient:
    """The gradient of the training loss of a batch, written out.

    Parameters
    ----------
    layers : Layers
    batch_size : int
    usage : float
        Weight α of the term that draws every component to some text.

    Notes
    -----
    Layer l sees the residual r of the layers before it and the components z that they chose,
    and models both: with log N = -|r - μ_k|² / 2σ² - D/2 log 2πσ² and
    A_k = log w_k + log N + Σ_j log c_jk(z_j), its loss is ::

        - mean over texts of A_e  -  α mean over components of max over texts of log N

    where e maximises log N + ρ Σ_j log c_jk(z_j). The component that maximises A is chosen,
    its mean subtracted, and what is left over passed on. No gradient passes between layers.

    One product of the texts with the means of all layers, and one of the means with each
    other, give all distances: r·μ is x·μ less the μ' chosen before times μ. The residuals
    themselves are never formed, and the rest is arithmetic on arrays of shape (batch, K).
    """

    def __init__(self, layers: Layers, batch_size: int, usage: float) -> None:
        import torch

        shape, device = layers.shape, layers.theta.device
        self.layers = layers
        self.into = Layers.zeros(shape, device)
        self._batch_size = batch_size
        self._usage = usage / shape.n_components
        self._one_hot = torch.eye(shape.n_components, device=device)
        width = shape.n_layers * shape.n_components
        self._chosen = torch.zeros(batch_size, width, device=device)
        self._weights = torch.zeros(batch_size, width, device=device)
        layer = torch.arange(width, device=device) // shape.n_components
        self._earlier = (layer[:, None] > layer).float()

    def __call__(
        self, x: "torch.Tensor", square: "torch.Tensor", rho: "torch.Tensor | float"
    ) -> "torch.Tensor":
        """Return the gradient for the texts `x`, shape (batch, D), of squared norms `square`."""
        layers, into = self.layers, self.into
        shape = layers.shape
        k, n = shape.n_components, self._batch_size
        means = layers.means.view(-1, shape.dim)  # of all layers, shape (L K, D)
        products, gram = x @ means.T, means @ means.T
        norms = gram.diagonal()
        precision = (-layers.log_variances).exp()
        log_w, log_c = layers.log_priors()
        chosen, weights = self._chosen, self._weights
        for layer in range(shape.n_layers):
            here, before = slice(layer * k, (layer + 1) * k), slice(0, layer * k)
            inner = products[:, here]
            if layer:
                inner = inner - chosen[:, before] @ gram[before, here]
            distance = square - 2 * inner + norms[here]
            # Without the terms that are the same for every text and component.
            log_normal = distance * (-precision[layer] / 2)
            if layer:
                table = log_c[layer, :, :layer].reshape(k, -1)
                latent = chosen[:, before] @ table.T
                expected = self._one_hot[(log_normal + rho * latent).argmax(dim=1)]
                best = (log_normal + latent + log_w[layer]).argmax(dim=1)
            else:
                expected = self._one_hot[log_normal.argmax(dim=1)]
                best = (log_normal + log_w[layer]).argmax(dim=1)
            weight = expected / n
            share = weight.sum(dim=0)
            into.logits[layer] = log_w[layer].exp() - share
            if layer:
                met = weight.T @ chosen[:, before]
                into.tables[layer, :, :layer] = share[:, None, None] * log_c[
                    layer, :, :layer
                ].exp() - met.view(k, layer, k)
            # The nearest text of each component counts a little more.
            nearest = distance.argmin(dim=0, keepdim=True)
            weight.scatter_add_(0, nearest, weight.new_full((1, k), self._usage))
            into.log_variances[layer] = (
                weight * (shape.dim / 2 - distance * (precision[layer] / 2))
            ).sum()
            weights[:, here] = weight
            chosen[:, here] = self._one_hot[best]
            square = distance.gather(1, best[:, None])
        # -Σ_b weight_bk (r_b - μ_k) / σ², where r = x - the means chosen before.
        pulled = weights.T @ x
        again = weights.T @ chosen
        again *= self._earlier
        again.diagonal().add_(weights.sum(dim=0))
        moved = again @ means - pulled
        into.means.copy_(moved.view(layers.means.shape) * precision[:, None, None])
        return into.theta


@dataclass(frozen=True)
class Paths:
    """A model seen as a mixture with one component for each path through its layers.

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
        The last layer models what is left over together with all choices before, and for
        given choices what is left over is the text, shifted. So its density is the joint
        density of text and path, ::

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
        """Return log p(x, z) less what is the same for all paths, shape (n, K ** L)."""
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
