"""External language models, which tell how probable the tokens of a text are."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from mauve.arrays import FloatArray
from mauve.embed.protocol import Progress
from mauve.errors import InvalidParameterError, bad_parameter, need_packages


@runtime_checkable
class TokenScorer(Protocol):
    """What generation perplexity needs of a language model R."""

    @property
    def signature(self) -> str:
        """What must be equal for two scores to be comparable, without a '|' in it."""

    def log_probabilities(
        self,
        texts: Sequence[str],
        on_progress: Progress | None = None,
        prompts: Sequence[str] | None = None,
    ) -> list[FloatArray]:
        """Return the natural log-probability of every token of each text.

        Each is given those before it, as many as the model reads at once. The first token is
        given the token that begins a text; a model that has none does not score it, so that
        its texts have one log-probability less than tokens, and an empty text has none.

        Parameters
        ----------
        texts : sequence of str
        on_progress : callable, optional
        prompts : sequence of str, optional
            Read before each text as context, and not scored. Prompts and texts are tokenised
            apart, so that a text has the same tokens after any prompt.

        Returns
        -------
        list of array of float, shape (n_tokens,)
        """


def get_scorer(
    spec: "str | TokenScorer" = "bundled",
    *,
    device: str = "auto",
    dtype: str | None = None,
    max_length: int | None = None,
    stride: int | None = None,
    revision: str | None = None,
) -> TokenScorer:
    """Return the language model that a name stands for.

    Parameters
    ----------
    spec : str or TokenScorer
        ``"bundled"``, or the name or folder of a causal Transformers model; the paper's is
        ``"gpt2-large"``. A scorer is returned as it is.
    device : str
        "auto", "cpu", "cuda", "cuda:1", "mps", or several with commas. The bundled model
        always runs on the CPU.
    dtype : {"auto", "float32", "bfloat16", "float16", "float64"}, optional
        By default sixteen bits on a GPU, thirty-two elsewhere.
    max_length : int, optional
        Tokens that the model reads at once; as many as it can by default. Longer texts are
        read in windows, see :func:`mauve.lm.windows.windows`.
    stride : int, optional
        Tokens that a window adds to the one before; half of `max_length` by default.
    revision : str, optional
        Commit, tag or branch on the hub.

    Examples
    --------
    >>> found = get_scorer("bundled").log_probabilities(["The cat sat on the mat.", ""])
    >>> [len(text) for text in found], bool((found[0] < 0).all())
    ([7, 0], True)
    """
    if not isinstance(spec, str):
        if isinstance(spec, TokenScorer):
            return spec
        raise bad_parameter("get_scorer", "spec", "a name or a TokenScorer", spec)
    if spec == "bundled":
        from mauve.lm.bundled_scorer import BundledScorer

        given = [name for name, value in (("dtype", dtype), ("revision", revision)) if value]
        if given:
            raise InvalidParameterError(
                "The language model 'bundled' must be given options it has: max_length, "
                f"stride. Got {', '.join(given)} instead."
            )
        return BundledScorer(max_length=max_length, stride=stride)
    need_transformers(spec)
    from mauve.lm.causal import TransformersScorer

    return TransformersScorer(
        spec, device=device, dtype=dtype or "auto", max_length=max_length, stride=stride,
        revision=revision,
    )  # fmt: skip


def need_transformers(spec: str) -> None:
    """Raise unless the extra that runs the model `spec` is installed."""
    need_packages(f"The language model {spec!r}", ["transformers", "torch"], "transformers")


def check_texts(caller: str, texts: Sequence[str], prompts: Sequence[str] | None) -> list[str]:
    """Return the prompt of each text, empty ones where there are none.

    Examples
    --------
    >>> check_texts("log_probabilities", ["one", "two"], None)
    ['', '']
    """
    if isinstance(texts, str):
        raise bad_parameter(caller, "texts", "a list of strings", texts[:40])
    if prompts is None:
        return [""] * len(texts)
    if isinstance(prompts, str) or len(prompts) != len(texts):
        got = prompts[:40] if isinstance(prompts, str) else f"{len(prompts)} prompts"
        raise bad_parameter(caller, "prompts", f"a list of {len(texts)}, one for each text", got)
    return list(prompts)
