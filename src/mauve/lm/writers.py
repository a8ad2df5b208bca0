"""Find the writer of a name: a bundled, n-gram or Transformers model, or an endpoint."""

from pathlib import Path
from typing import Any

from mauve.calls import either, option
from mauve.errors import InvalidParameterError, bad_parameter
from mauve.hashes import digest_hashes, text_hashes
from mauve.lm.generation import CausalModelWriter
from mauve.lm.ngram import NGramModel
from mauve.lm.protocol import need_transformers
from mauve.lm.writing import Writer
from mauve.plugins import lacking
from mauve.text.read import read_texts
from mauve.text.words import tokenize

_ORDER = 5  # words of the longest n-grams


def get_writer(
    spec: str | Path | Writer,
    *,
    device: str = "auto",
    dtype: str = "auto",
    revision: str | None = None,
    token_budget: int | None = None,
    **endpoint: Any,
) -> Writer:
    """Return the writer of a given name.

    Parameters
    ----------
    spec : str, Path or Writer
        ``"bundled"``; ``"ngram:FILE"``, a Kneser–Ney model of five words that is learnt from
        the texts of a file; the name or folder of a causal Transformers model; or the http(s)
        address of an OpenAI-compatible endpoint. A writer is returned unchanged.
    device : str
        "auto", "cpu", "cuda", "cuda:1", "mps", or several with commas, which write different
        texts. The bundled and the n-gram model always run on the CPU.
    dtype : {"auto", "float32", "bfloat16", "float16", "float64"}
        By default a 16-bit type on a GPU, float32 elsewhere; for Transformers models only.
    revision : str, optional
        Commit, tag or branch on the hub; for Transformers models only.
    token_budget : int, optional
        Tokens in memory at once, see :class:`mauve.lm.transformers_writer.TransformersWriter`;
        for Transformers models only.
    **endpoint
        Options of an endpoint, see :class:`mauve.lm.endpoint_writer.EndpointWriter`. Those that
        are None are left out.

    Examples
    --------
    >>> from mauve.lm.decoding import Greedy
    >>> from mauve.lm.writing import WritingOptions
    >>> writer = get_writer("bundled")
    >>> list(writer.write(["The cat sat"], Greedy(), WritingOptions(max_tokens=4)))
    [(0, Written(text=' down in the garden', n_tokens=4, ended=False))]
    """
    if not isinstance(spec, str | Path):
        if isinstance(spec, Writer):
            return spec
        problem = lacking(spec, Writer)
        raise bad_parameter(_role(), "a name, a folder or a Writer", spec, problem)
    name = str(spec)
    is_endpoint = name.startswith(("http://", "https://"))
    unused = [option(each, value) for each, value in endpoint.items() if value is not None]
    if unused and not is_endpoint:
        raise InvalidParameterError(
            f"The language model {name!r} must be given no options of endpoints. Got "
            f"{', '.join(unused)} instead: leave them out."
        )
    if is_endpoint or name == "bundled" or name.startswith("ngram:"):
        given = {
            "dtype": dtype if dtype != "auto" else None,
            "revision": revision,
            "token_budget": token_budget,
        }
        unknown = [option(each, value) for each, value in given.items() if value is not None]
        if unknown:
            raise InvalidParameterError(
                f"The language model {name!r} must be given no options of Transformers models. "
                f"Got {', '.join(unknown)} instead: leave them out."
            )
        if is_endpoint:
            from mauve.lm.endpoint_writer import get_endpoint  # here, as httpx2 takes a while

            return get_endpoint(name, **endpoint)
        return _bundled() if name == "bundled" else _ngram(name)
    need_transformers(name)
    from mauve.lm.transformers_writer import TransformersWriter

    return TransformersWriter(
        name, device=device, dtype=dtype, revision=revision, token_budget=token_budget
    )


def _role() -> str:
    return either("models", "model", "spec")


def _bundled() -> Writer:
    from mauve.embed.bundled import checksum
    from mauve.lm.bundled_model import BUNDLED_CONTEXT, BundledModel

    return CausalModelWriter(
        BundledModel(), f"bundled-{checksum()}", context=BUNDLED_CONTEXT, batch_size=64
    )


def _ngram(name: str) -> Writer:
    file = name.removeprefix("ngram:")
    if not file:
        raise bad_parameter(_role(), "'ngram:FILE' with a file of texts to learn from", name)
    texts = read_texts(file).texts
    model = NGramModel.fit([tokenize(text) for text in texts], order=_ORDER)
    checksum = digest_hashes(text_hashes(texts))
    signature = f"ngram-{_ORDER}:{Path(file).name}@{checksum}".replace("|", "_")
    return CausalModelWriter(model, signature)
