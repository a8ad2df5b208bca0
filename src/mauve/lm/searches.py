"""Decoding algorithms that look at more than one distribution of the next token."""

from dataclasses import dataclass, field

import numpy as np

from mauve.errors import check_int, check_real, check_share
from mauve.lm.specification import Decoding


@dataclass(frozen=True)
class Beam(Decoding):
    r"""Beam search: the text of the highest score among those that b beams reach.

    Parameters
    ----------
    b : int
        Number of beams; one is greedy decoding.
    no_repeat : int
        A text has no sequence of this many tokens twice, its prompt included; 0 allows any.
    length_power : float
        The score of a text of n tokens, its end included, is
        :math:`n^{-a} \sum_t \log \hat P(x_t | x_{1:t-1})` with this power a: the mean by
        default, the sum for 0.
    """

    name = "beam"

    b: int = 4
    no_repeat: int = field(default=0, kw_only=True)
    length_power: float = field(default=1.0, kw_only=True)

    def __post_init__(self) -> None:
        check_int("b", self.b, 1)
        check_int("no_repeat", self.no_repeat, 0)
        check_real("length_power", self.length_power, above=-np.inf)


@dataclass(frozen=True)
class Contrastive(Decoding):
    r"""Contrastive search: a probable token whose hidden state is unlike those before it.

    Notes
    -----
    Of the k most probable tokens v the one of the largest

    .. math::
        (1 - \alpha) \hat P(v | x_{1:t-1}) - \alpha \max_{j < t} \cos(h_v, h_{x_j}),

    where h are states of the last layer. The prompt counts among the tokens before.

    References
    ----------
    Su, Lan, Wang, Yogatama, Kong and Collier, *A contrastive framework for neural text
    generation*, NeurIPS 2022.
    """

    name = "contrastive"

    k: int = 4
    alpha: float = 0.6

    def __post_init__(self) -> None:
        check_int("k", self.k, 1)
        if self.alpha != 0:  # which is greedy decoding
            check_real("alpha", self.alpha, above=0, up_to=1)


@dataclass(frozen=True)
class Adversarial(Decoding):
    """Adversarial perplexity sampling: text of a low quality with the perplexity of human text.

    The first part of `max_tokens` is drawn uniformly from the vocabulary; each token after it
    is the one that brings the perplexity of the continuation so far closest to the target
    (section 4 of the paper). These texts do not end by themselves.

    Parameters
    ----------
    perplexity : float, optional
        The target, under the model that writes.
    share : float
        Part of `max_tokens` that is drawn uniformly, rounded up.
    """

    name = "adversarial"
    is_random = True

    perplexity: float | None = None
    share: float = field(default=0.15, kw_only=True)

    def __post_init__(self) -> None:
        if self.perplexity is not None:
            check_real("perplexity", self.perplexity, above=1)
        check_share("share", self.share)
