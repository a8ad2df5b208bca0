"""Continue prompts with a server that implements OpenAI's completions: vLLM, SGLang, ..."""

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import KW_ONLY, InitVar, dataclass, field
from functools import cached_property
from inspect import signature
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from mauve.calls import either, has_option, option
from mauve.embed.endpoint_address import (
    CHAT,
    COMPLETIONS,
    address,
    authorization,
    named_model,
    split_url,
)
from mauve.embed.endpoint_client import EndpointClient, EndpointError, only_model, refusal_remedy
from mauve.embed.endpoint_threads import answers
from mauve.errors import InvalidParameterError, check_int, check_real, warn_caller
from mauve.escape import escaped
from mauve.lm.decoding import Typical
from mauve.lm.endpoint_requests import (
    TEMPLATE,
    Answer,
    check_extra,
    check_takes_typical,
    check_template,
    parse_answer,
    request_body,
    sampling_fields,
)
from mauve.lm.specification import Decoding
from mauve.lm.text_tokenizer import TextTokenizer, get_text_tokenizer
from mauve.lm.writing import WritingOptions, Written, check_lengths, check_prompts
from mauve.progress import Progress


@dataclass(frozen=True)
class EndpointWriter:
    """A model behind a server, which continues several prompts at once.

    Parameters
    ----------
    url : str
        ``http://HOST:PORT``, with or without ``/v1``, for plain completions; with
        ``/v1/chat/completions`` each prompt becomes a message. ``#model=NAME`` behind it
        names the model, and ``USER:PASSWORD@`` before the host is sent as basic
        authentication.
    model : str, optional
        Overrides the name in the URL. Without either, the server must have exactly one
        model; its name is requested when it is first needed.
    api_key : str, optional
        Sent over https or to this machine only. The default is ``$MAUVE_API_KEY``, then, for
        OpenAI and this machine, ``$OPENAI_API_KEY``; an empty string sends no key.
    template : str
        The message of a chat, in which ``{prompt}`` stands for the prompt.
    n_connections : int
        Prompts that are sent at once.
    timeout : float
        Seconds of silence after which a request has failed; a server is silent until a text
        is finished.
    retries : int
        Number of retries after status 429 or 5xx, a timeout or a dropped connection.
    backoff : float
        Seconds before the first retry, plus or minus a random half; doubled for each
        further retry. The seconds of a Retry-After header are added.
    extra : mapping
        Other fields of each request, such as ``{"repetition_penalty": 1.1}``. They replace
        those that the decoder sets; a field that is None is left out.
    context : int, optional
        Most tokens of a prompt and its continuation, checked if there is a `tokenizer`.
    tokenizer : str or object with encode and decode, optional
        The tokenizer of the model, which an endpoint does not show; see
        :func:`mauve.lm.text_tokenizer.get_text_tokenizer`.

    Examples
    --------
    >>> writer = EndpointWriter("http://localhost:8000#model=gpt2")
    >>> writer.url, writer.signature
    ('http://localhost:8000/v1/completions', 'endpoint:gpt2@localhost:8000')
    """

    url: str
    _: KW_ONLY
    model: str | None = None
    api_key: InitVar[str | None] = None
    template: str = TEMPLATE
    n_connections: int = 8
    timeout: float = 300.0
    retries: int = 5
    backoff: float = 0.5
    extra: Mapping[str, Any] = field(default_factory=dict)
    context: int | None = None
    tokenizer: str | TextTokenizer | None = None
    authorization: str = field(init=False, repr=False, compare=False)

    def __post_init__(self, api_key: str | None) -> None:
        parts = split_url(self.url, parameter=either("models", "spec", "url", "model"))
        check_template(self.template)
        check_int("n_connections", self.n_connections, 1, 1000, "each is a thread")
        check_int("retries", self.retries, 0, 100)
        check_real("timeout", self.timeout, above=0, up_to=86400)
        check_real("backoff", self.backoff, above=0, up_to=86400)
        if self.context is not None:
            check_int("context", self.context, 2)
        known = None if self.tokenizer is None else get_text_tokenizer(self.tokenizer)
        # A frozen dataclass allows no other way to set a field in __post_init__.
        object.__setattr__(self, "url", address(parts, COMPLETIONS))
        object.__setattr__(self, "model", named_model(parts, self.model))
        object.__setattr__(self, "extra", check_extra(self.extra))
        object.__setattr__(self, "tokenizer", known)
        object.__setattr__(self, "authorization", authorization(api_key, parts, COMPLETIONS))

    @property
    def is_chat(self) -> bool:
        """Whether each prompt becomes a message of a chat."""
        return self.url.endswith(CHAT)

    @property
    def signature(self) -> str:
        """Model, host, path unless it is ``/v1``, checksum of the template, and `extra`."""
        parts = urlsplit(self.url)
        end = CHAT if self.is_chat else COMPLETIONS
        path = parts.path.removesuffix(end).removesuffix("/v1")
        text = f"endpoint:{escaped(self._model)}@{parts.netloc}{path}"
        if self.is_chat:
            digest = hashlib.blake2b(self.template.encode("utf-8", "surrogatepass"), digest_size=4)
            text += f"-chat:{digest.hexdigest()}"
        if self.extra:
            text += "-" + json.dumps(self.extra, sort_keys=True, separators=(",", ":"))
        return text.replace("|", "%7C")

    def encode(self, text: str) -> list[int]:
        """Return the tokens of a text, or raise if no tokenizer was given."""
        return self._known_tokenizer.encode(text)

    def decode(self, tokens: Sequence[int]) -> str:
        """Return the text of tokens, or raise if no tokenizer was given."""
        return self._known_tokenizer.decode(tokens)

    def write(
        self,
        prompts: Sequence[str],
        decoding: Decoding,
        options: WritingOptions,
        *,
        first: int = 0,
        on_progress: Progress | None = None,
    ) -> Iterator[tuple[int, Written]]:
        """Yield the position of a prompt and its continuation, as texts are finished.

        Each text has its own seed, from (options.seed, first + position), so that the same
        request is sent whatever the number of connections. Whether the server gives the same
        text for it depends on the server.

        Warns
        -----
        MauveWarning
            If the endpoint stopped texts for what they say.
        """
        texts = check_prompts(prompts)
        sampling = sampling_fields(decoding)
        check_int("first", first, 0)
        if self.tokenizer is not None:
            lengths = [len(self.encode(text)) for text in texts]
            check_lengths(lengths, self.context, options.max_tokens)
        if isinstance(decoding, Typical):
            with closing(self.client(threading.Event())) as client:
                check_takes_typical(client, self._models_url)
        bodies = [
            request_body(
                text, options, model=self._model, sampling=sampling,
                seed=_seed(options.seed, first + i) if decoding.is_random else None,
                template=self.template if self.is_chat else None, extra=self.extra,
            )
            for i, text in enumerate(texts)
        ]  # fmt: skip
        return self._results(bodies, options, on_progress)

    def client(self, stop: threading.Event) -> EndpointClient:
        """Return a client for one thread, which stops waiting for a retry when `stop` is set."""
        return EndpointClient(
            self.url, self.authorization,
            timeout=self.timeout, retries=self.retries, backoff=self.backoff, stop=stop,
        )  # fmt: skip

    def ask(
        self, client: EndpointClient, body: dict[str, Any], position: int, options: WritingOptions
    ) -> Answer:
        """Send one request and return its text, or raise an error that names the prompt."""
        where = f"the prompt at position {position}"
        status, answer = client.request(self.url, body)
        if status >= 300:
            remedy = refusal_remedy(status)
            if status == 404 and not self.is_chat:
                remedy += f", or use {self.url.removesuffix(COMPLETIONS)}{CHAT} if it can only chat"
            raise EndpointError(
                f"{self.url} refused {where} with {status} ({client.quoted(answer)}){remedy}."
            )
        return parse_answer(client, answer, options, is_chat=self.is_chat, where=where)

    def _results(
        self, bodies: list[dict[str, Any]], options: WritingOptions, on_progress: Progress | None
    ) -> Iterator[tuple[int, Written]]:
        """Yield texts as they arrive, or raise the first error."""
        stop, n, n_filtered = threading.Event(), len(bodies), 0
        arriving = answers(
            range(n),
            lambda client, i: (i, self.ask(client, bodies[i], i, options)),
            lambda: self.client(stop),
            n_connections=self.n_connections,
            stop=stop,
        )
        with closing(arriving):
            for n_done, (position, answer) in enumerate(arriving, 1):
                n_filtered += answer.is_filtered
                if on_progress is not None:
                    on_progress("writing", n_done, n)
                yield position, answer.written
        if n_filtered:
            warn_caller(
                f"{self.url} stopped {n_filtered:,} of {n:,} texts for what they say "
                "(content_filter). They count as cut off, and others of their kind are missing."
            )

    @property
    def _models_url(self) -> str:
        return self.url.removesuffix(CHAT if self.is_chat else COMPLETIONS) + "/models"

    @property
    def _known_tokenizer(self) -> TextTokenizer:
        if self.tokenizer is None or isinstance(self.tokenizer, str):  # no longer a name
            raise InvalidParameterError(
                f"{self.url} must have a tokenizer to count and split tokens. An endpoint shows "
                f"none: pass {option(either('prompt_tokenizer', 'tokenizer'), 'NAME')}, that of "
                "its model or of one like it."
            )
        return self.tokenizer

    @cached_property
    def _model(self) -> str:
        """The name of the model, from the server if the user named none."""
        if self.model is not None:
            return self.model
        with closing(self.client(threading.Event())) as client:
            return only_model(client, self._models_url)


def get_endpoint(url: str, **options: Any) -> EndpointWriter:
    """Return the writer of an endpoint; options that are None are left out.

    Examples
    --------
    >>> get_endpoint("http://localhost:8000#model=gpt2", n_connections=32).n_connections
    32
    """
    options = {name: value for name, value in options.items() if value is not None}
    known = [*signature(EndpointWriter).parameters][1:]  # the address is no option
    unknown = sorted(options.keys() - {*known})
    if unknown:
        settable = [option(name) for name in known if has_option(name)]  # not all have a flag
        raise InvalidParameterError(
            f"The endpoint {url.rpartition('@')[2]!r} must be given options it has: "
            f"{', '.join(settable) or 'none'}. Got {', '.join(map(option, unknown))} instead."
        )
    return EndpointWriter(url, **options)


def _seed(seed: int, position: int) -> int:
    """Return the seed of one text, of 31 bits, as many as every server takes."""
    return int(np.random.SeedSequence([seed, position]).generate_state(1)[0] >> 1)
