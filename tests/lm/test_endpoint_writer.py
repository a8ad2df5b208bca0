"""Texts over real HTTP, from a server in another process that can misbehave."""

import json
import os
import runpy
import signal
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote
from urllib.request import ProxyHandler, build_opener

import pytest

from mauve.embed.endpoint_address import is_endpoint
from mauve.embed.endpoint_client import EndpointError
from mauve.errors import InvalidParameterError, MauveError, MauveWarning
from mauve.lm.decoding import parse_decoder
from mauve.lm.endpoint_requests import TEMPLATE, check_extra
from mauve.lm.endpoint_writer import EndpointWriter, get_endpoint
from mauve.lm.writing import Writer, WritingOptions, Written

SERVER = Path(__file__).with_name("completions_server.py")
server = runpy.run_path(str(SERVER))
KEY = server["KEY"]
PROMPTS = [f"prompt {i} é\n" for i in range(17)]
OPTIONS = WritingOptions(max_tokens=12, seed=5)
NUCLEUS = parse_decoder("nucleus:p=0.9")

pytestmark = pytest.mark.usefixtures("_no_keys_and_proxies")


@pytest.fixture(scope="module")
def url():
    with subprocess.Popen([sys.executable, str(SERVER)], stdout=subprocess.PIPE, text=True) as run:
        yield f"http://127.0.0.1:{run.stdout.readline().strip()}"
        run.terminate()


@pytest.fixture
def seen(url):
    opener = build_opener(ProxyHandler({}))

    def requests(model):
        with opener.open(f"{url}/seen/{quote(model)}") as answer:
            return json.load(answer)

    return requests


@pytest.fixture
def _no_keys_and_proxies(monkeypatch):
    for name in [*os.environ]:
        if name.lower().endswith("_proxy") or name in ("MAUVE_API_KEY", "OPENAI_API_KEY"):
            monkeypatch.delenv(name)


def make(url, model, **options):
    return EndpointWriter(url, model=model, **{"backoff": 0.001, "timeout": 20.0} | options)


def write(writer, prompts=PROMPTS, decoding=NUCLEUS, options=OPTIONS, **more):
    return dict(writer.write(prompts, decoding, options, **more))


def message_of(writer, error=EndpointError, **options):
    with pytest.raises(error) as caught:
        write(writer, **options)
    assert "\n" not in str(caught.value)
    assert KEY not in str(caught.value)
    return str(caught.value)


class TestTexts:
    @pytest.mark.parametrize("n_connections", [1, 3, 40])
    def test_are_those_of_the_server(self, url, n_connections):
        written = write(make(url, "normal", n_connections=n_connections))
        assert sorted(written) == [*range(17)]
        again = write(make(url, "normal"))
        assert written == again
        for text in written.values():
            assert text.n_tokens == len(text.text.split())
            assert text.ended == (text.n_tokens < 12)
        assert {text.ended for text in written.values()} == {True, False}

    def test_of_a_chat(self, url, seen):
        writer = make(f"{url}/v1/chat/completions", "normal:chat", template="Go on: {prompt}!")
        written = write(writer, ["a {b} {prompt}"])
        [request] = seen("normal:chat")
        assert request["path"] == "/v1/chat/completions"
        assert request["messages"] == [{"role": "user", "content": "Go on: a {b} {prompt}!"}]
        assert "prompt" not in request
        assert written[0].n_tokens == len(written[0].text.split())

    def test_arrive_in_any_order(self, url):
        writer = make(url, "first-is-last", n_connections=3)
        written = writer.write(["0", "1", "2"], NUCLEUS, OPTIONS)
        assert sorted(next(written)[0] for _ in range(2)) == [1, 2]
        # The server keeps the first text until it is told so.
        build_opener(ProxyHandler({})).open(f"{url}/others-are-done").close()
        assert [i for i, _ in written] == [0]

    def test_connections_work_at_once(self, url):
        # The server answers only when three requests are there.
        assert len(write(make(url, "together", n_connections=3), PROMPTS[:3])) == 3

    def test_no_prompts(self, url):
        assert write(make(url, "normal"), []) == {}

    def test_half_a_surrogate_pair_does_not_break_the_request(self, url):
        assert isinstance(write(make(url, "normal"), ["\ud83d"])[0], Written)

    def test_progress_counts_texts(self, url):
        calls = []
        write(make(url, "normal"), on_progress=lambda *call: calls.append(call))
        assert calls == [("writing", i, 17) for i in range(1, 18)]

    def test_that_end_at_once_are_empty(self, url):
        options = WritingOptions(max_tokens=1, seed=1)
        written = write(make(url, "normal"), options=options)
        assert Written("", 0, True) in written.values()

    def test_fewest_tokens(self, url, seen):
        options = WritingOptions(max_tokens=12, min_tokens=12)
        written = write(make(url, "normal:least"), options=options)
        assert {text.n_tokens for text in written.values()} == {12}
        assert {request["min_tokens"] for request in seen("normal:least")} == {12}


class TestSeeds:
    def test_depend_on_the_position_in_the_whole_job(self, url, seen):
        everything = write(make(url, "normal:whole"))
        rest = write(make(url, "normal:rest"), PROMPTS[9:], first=9)
        assert rest == {i: everything[i + 9] for i in range(8)}
        seeds = {request["prompt"]: request["seed"] for request in seen("normal:whole")}
        assert len(set(seeds.values())) == 17
        assert all(0 <= seed < 2**31 for seed in seeds.values())
        for request in seen("normal:rest"):
            assert request["seed"] == seeds[request["prompt"]]

    def test_of_another_job_are_others(self, url):
        other = write(make(url, "normal"), options=WritingOptions(max_tokens=12, seed=6))
        assert other != write(make(url, "normal"))

    def test_greedy_has_none(self, url, seen):
        write(make(url, "normal:no-seed"), PROMPTS[:1], parse_decoder("greedy"))
        assert "seed" not in seen("normal:no-seed")[0]


class TestRequests:
    @pytest.mark.parametrize(
        ("decoder", "fields"),
        [
            ("greedy", {"temperature": 0.0, "top_p": 1.0}),
            ("ancestral", {"temperature": 1.0, "top_p": 1.0}),
            ("temperature:0.7", {"temperature": 0.7, "top_p": 1.0}),
            ("nucleus:p=0.9,temperature=0.8", {"temperature": 0.8, "top_p": 0.9}),
            ("top-k:k=40", {"temperature": 1.0, "top_p": 1.0, "top_k": 40}),
            ("min-p:p=0.05", {"temperature": 1.0, "top_p": 1.0, "min_p": 0.05}),
            ("typical:p=0.95", {"temperature": 1.0, "top_p": 1.0, "typical_p": 0.95}),
        ],
    )
    def test_have_the_fields_of_the_decoder(self, url, seen, decoder, fields):
        model = f"normal:{decoder}"
        write(make(url, model), PROMPTS[:1], parse_decoder(decoder))
        [request] = seen(model)
        fixed = {"path", "key", "model", "prompt", "max_tokens", "seed"}
        assert {name: request[name] for name in request.keys() - fixed} == fields
        assert (request["prompt"], request["max_tokens"]) == (PROMPTS[0], 12)

    @pytest.mark.parametrize(
        "decoder", ["beam:4", "contrastive:k=4,alpha=0.6", "adversarial:perplexity=12"]
    )
    def test_cannot_ask_for_other_decoders(self, url, seen, decoder):
        found = message_of(
            make(url, "normal:refused"), InvalidParameterError, decoding=parse_decoder(decoder)
        )
        assert "one that an endpoint can do: greedy, ancestral, temperature, top-k" in found
        assert f"Got '{parse_decoder(decoder)}' instead: " in found
        assert seen("normal:refused") == []

    def test_typical_sampling_of_a_server_that_would_ignore_it(self, url):
        writer = make(f"{url}/vllm/v1", "normal")
        found = message_of(writer, MauveError, decoding=parse_decoder("typical:p=0.9"))
        assert "must be an endpoint that takes typical_p. Got one of vllm instead" in found

    def test_extra_fields(self, url, seen):
        extra = {"repetition_penalty": 1.1, "top_p": 0.5, "max_tokens": 3, "seed": None}
        write(make(url, "normal:extra", extra=extra), PROMPTS[:1])
        [request] = seen("normal:extra")
        assert "seed" not in request
        assert {name: request[name] for name in extra if name != "seed"} == {
            "repetition_penalty": 1.1, "top_p": 0.5, "max_tokens": 3,
        }  # fmt: skip

    @pytest.mark.parametrize(
        "extra", [{"model": "b"}, {"seed": 3}, {"n": 2}, {1: 2}, {"a": {1}}, {"a": float("nan")}, 3]
    )
    def test_extra_fields_that_are_wrong(self, extra):
        with pytest.raises(InvalidParameterError, match=r"'extra' .* must be "):
            EndpointWriter("http://host", extra=extra)
        assert check_extra({"seed": None}) == {"seed": None}


class TestKeysAndModels:
    def test_key_of_the_environment(self, url, monkeypatch):
        monkeypatch.setenv("MAUVE_API_KEY", KEY)
        assert len(write(make(url, "locked"), PROMPTS[:2])) == 2

    def test_wrong_key_is_not_shown(self, url):
        found = message_of(make(url, "locked:1", api_key=f"{KEY}x"))
        assert "with 401 (Incorrect API key provided: ***.): set $MAUVE_API_KEY" in found

    def test_key_stays_off_the_network(self):
        with pytest.raises(InvalidParameterError, match=r"Got http://host/v1/completions instead"):
            EndpointWriter("http://host", api_key=KEY)

    def test_only_model_is_taken(self, url, seen):
        writer = EndpointWriter(url)
        assert writer.signature == f"endpoint:only@{url.removeprefix('http://')}"
        write(writer, PROMPTS[:1])
        assert len(seen("only")) == 1

    def test_several_models_are_listed(self, url):
        with pytest.raises(InvalidParameterError, match=r"Got first, second instead: name one"):
            write(EndpointWriter(f"{url}/several"))

    @pytest.mark.parametrize(
        ("url", "address", "is_chat"),
        [
            ("http://host:8000", "http://host:8000/v1/completions", False),
            ("http://host/v1/", "http://host/v1/completions", False),
            ("https://host/api/v3/completions#model=a", "https://host/api/v3/completions", False),
            ("http://host/v1/chat/completions", "http://host/v1/chat/completions", True),
        ],
    )
    def test_addresses(self, url, address, is_chat):
        writer = EndpointWriter(url)
        assert (writer.url, writer.is_chat) == (address, is_chat)

    def test_address_that_is_wrong(self):
        with pytest.raises(InvalidParameterError, match=r"'url' parameter of EndpointWriter must"):
            EndpointWriter("http://host/v1?version=2")


class TestSignature:
    @pytest.mark.parametrize(
        ("url", "options", "signature"),
        [
            ("http://host:8000#model=a", {}, "endpoint:a@host:8000"),
            ("https://ann:secret@host/b/v1#model=a|b", {}, "endpoint:a%7Cb@host/b"),
            (
                "http://host#model=a",
                {"extra": {"z": 1, "a": "|"}},
                'endpoint:a@host-{"a":"%7C","z":1}',
            ),
        ],
    )
    def test_names_model_host_and_fields(self, url, options, signature):
        assert EndpointWriter(url, **options).signature == signature

    def test_of_a_chat_has_the_template(self):
        url = "http://host/v1/chat/completions#model=a"
        default, other = EndpointWriter(url), EndpointWriter(url, template="{prompt}")
        assert default.signature.startswith("endpoint:a@host-chat:")
        assert len(default.signature) == len("endpoint:a@host-chat:") + 8
        assert default.signature != other.signature
        assert TEMPLATE.count("{prompt}") == 1


class TestByName:
    @pytest.mark.parametrize(
        ("spec", "expected"),
        [("http://host", True), ("https://host#model=a", True), ("org/http", False), (3, False)],
    )
    def test_is_an_address(self, spec, expected):
        assert is_endpoint(spec) is expected

    def test_takes_options(self):
        writer = get_endpoint("http://host#model=a", n_connections=3, timeout=None)
        assert writer == EndpointWriter("http://host#model=a", n_connections=3)

    def test_unknown_options_are_listed(self):
        match = (
            r"^The endpoint 'host' must be given options it has: model, api_key, template, "
            r"n_connections, .*, tokenizer\. Got dtype, pooling instead"
        )
        with pytest.raises(InvalidParameterError, match=match):
            get_endpoint("http://ann:secret@host", pooling="mean", dtype="float16")


class TestWriter:
    def test_is_a_writer(self):
        assert isinstance(EndpointWriter("http://host#model=a"), Writer)

    def test_without_a_tokenizer(self):
        writer = EndpointWriter("http://host#model=a")
        for use in (lambda: writer.encode("a"), lambda: writer.decode([1])):
            with pytest.raises(MauveError, match=r"An endpoint shows none: pass tokenizer"):
                use()

    def test_with_the_name_of_a_tokenizer(self):
        writer = EndpointWriter("http://host#model=a", tokenizer="bundled")
        assert writer.decode(writer.encode("The cat sat.")) == "The cat sat."

    def test_with_a_tokenizer(self, url, seen):
        class Letters:
            encode = staticmethod(lambda text: [*map(ord, text)])
            decode = staticmethod(lambda tokens: "".join(map(chr, tokens)))

        writer = make(url, "normal:context", tokenizer=Letters(), context=30)
        assert writer.decode(writer.encode("abc")) == "abc"
        assert len(write(writer, ["a" * 18])) == 1
        found = message_of(writer, InvalidParameterError, prompts=["a", "a" * 19])
        assert "Got a prompt of 19 tokens at position 1 instead" in found
        assert len(seen("normal:context")) == 1

    @pytest.mark.parametrize(
        ("name", "value", "rule"),
        [
            ("n_connections", 0, r"an int in \[1, 1000\]"),
            ("retries", -1, r"an int in \[0, 100\]"),
            ("timeout", 0, "a real number above 0"),
            ("backoff", -1.0, "a real number above 0"),
            ("context", 1, "an int of at least 2"),
            ("tokenizer", 3, "methods encode and decode"),
            ("tokenizer", "none.json", "which could not be loaded"),
            ("template", "Go on.", r"a string that holds \{prompt\} once"),
            ("template", 3, r"a string that holds \{prompt\} once"),
            ("model", "", "a name that is not empty"),
        ],
    )
    def test_bad_parameters(self, name, value, rule):
        with pytest.raises(InvalidParameterError, match=rf"'{name}' .* must be .*{rule}"):
            EndpointWriter("http://host", **{name: value})

    @pytest.mark.parametrize("prompts", ["one text", [1]])
    def test_prompts_that_are_none(self, prompts):
        with pytest.raises(InvalidParameterError, match=r"'prompts' .* must be a list of str"):
            EndpointWriter("http://host#model=a").write(prompts, NUCLEUS, OPTIONS)


class TestFailures:
    @pytest.mark.parametrize("model", ["busy", "dropped", "cut"])
    def test_are_repeated(self, url, model):
        written = write(make(url, f"{model}:1", n_connections=2))
        assert written == write(make(url, "normal"))

    def test_retry_after_is_obeyed(self, url):
        began = time.monotonic()
        write(make(url, "busy:2", n_connections=1), PROMPTS[:1])
        assert time.monotonic() - began >= 0.4  # twice 0.2 s

    def test_of_the_server(self, url, seen):
        found = message_of(make(url, "down:1", n_connections=1, retries=2))
        assert "answered with 500 (The model has crashed) at try 3: check the server" in found
        assert len(seen("down:1")) == 3

    def test_quota(self, url, seen):
        found = message_of(make(url, "quota:1", n_connections=1))
        assert "answered with 429 (Quota), asked to wait 3600 s, at try 1" in found
        assert len(seen("quota:1")) == 1

    def test_after_some_texts_leaves_them(self, url):
        results, error = [], None
        texts = make(url, "down-later:1", n_connections=1, retries=0).write(
            PROMPTS, NUCLEUS, OPTIONS
        )
        try:
            for result in texts:
                results.append(result)
        except EndpointError as caught:
            error = caught
        assert [i for i, _ in results] == [0, 1, 2, 3]
        assert "500" in str(error)

    def test_stalls(self, url):
        found = message_of(make(url, "slow:1", timeout=0.2, retries=1), prompts=PROMPTS[:1])
        assert "gave no answer (timed out) at try 2" in found

    def test_stalls_once(self, url):
        assert len(write(make(url, "slow-once:1", timeout=0.5), PROMPTS[:1])) == 1

    def test_nobody_listens(self):
        found = message_of(EndpointWriter("http://127.0.0.1:9", model="a"), prompts=PROMPTS[:1])
        assert "gave no answer" in found

    def test_unknown_model(self, url):
        found = message_of(make(url, "absent"), prompts=PROMPTS[:1])
        assert found.endswith(
            "with 404 (The model does not exist): check address and model, or use "
            f"{url}/v1/chat/completions if it can only chat."
        )

    def test_long_prompt_is_named(self, url):
        found = message_of(make(url, "short"), prompts=["a", "b", "c" * 200])
        assert "refused the prompt at position 2 with 400 (This model's maximum context" in found


class TestAnswers:
    @pytest.mark.parametrize("end", ["/v1/completions", "/v1/chat/completions"])
    @pytest.mark.parametrize(
        ("model", "match"),
        [
            ("html", "JSON that holds a text .* Got <!doctype html><title>Welcome</title> inst"),
            ("silent", "JSON that holds a text .* Got nothing instead"),
            ("deep", r"JSON that holds a text .* Got \[{200} instead"),
            ("list", r"JSON that holds a text .* Got \[\] instead"),
            ("error-with-200", "JSON that holds a text .* Got Unexpected endpoint or method"),
            ("no-choices", "JSON that holds a text .* Got {"),
            ("empty-choices", "JSON that holds a text .* Got {"),
            ("null-choices", "JSON that holds a text .* Got {"),
            ("no-text", "JSON that holds a text .* Got {"),
            ("number", "JSON that holds a text .* Got {"),
            ("null", r"a text for .* Got none, after \d+ tokens instead: a model that thinks"),
            (
                "empty",
                r"a text for .* Got none, after \d+ tokens instead: a model that thinks",
            ),
            ("no-reason", "a finish_reason, 'stop', 'length', .* Got None instead"),
            ("reason-none", "a finish_reason, .* Got None instead"),
            ("reason-abort", "a finish_reason, .* Got 'abort' instead"),
            ("no-usage", r"usage\.completion_tokens for .* Got None instead"),
            ("tokens-null", "completion_tokens for .* Got None instead"),
            ("tokens-true", "completion_tokens for .* Got True instead"),
            ("tokens--1", "completion_tokens for .* Got -1 instead"),
            ("tokens-1.5", "completion_tokens for .* Got 1.5 instead"),
            ("tokens-13", "12 tokens at most for .* Got 13 instead"),
        ],
    )
    def test_that_cannot_be_used(self, url, end, model, match):
        writer = make(url + end, model, n_connections=1)
        with pytest.raises(EndpointError, match=rf"^{url}{end} must answer with .*{match}"):
            write(writer, PROMPTS[3:4])

    def test_that_end_too_early(self, url):
        options = WritingOptions(max_tokens=12, min_tokens=5)
        with pytest.raises(EndpointError, match=r"5 tokens at least .* the server takes no min_to"):
            write(make(url, "reason-stop", extra={"min_tokens": 0}), options=options)

    @pytest.mark.parametrize("reason", ["stop", "eos", "eos_token", "end_turn"])
    def test_that_have_ended(self, url, reason):
        assert all(text.ended for text in write(make(url, f"reason-{reason}")).values())

    def test_that_were_filtered_are_counted(self, url):
        with pytest.warns(MauveWarning, match=r"stopped 17 of 17 texts for what they say"):
            written = write(make(url, "reason-content_filter"))
        assert not any(text.ended for text in written.values())


class TestStopping:
    @pytest.mark.slow
    def test_ctrl_c_does_not_wait_for_the_server(self, url, seen):
        # A job in the background ignores SIGINT, and so does every process that it starts.
        script = (
            "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
            "from mauve.lm.decoding import parse_decoder\n"
            "from mauve.lm.endpoint_writer import EndpointWriter\n"
            "from mauve.lm.writing import WritingOptions\n"
            f"writer = EndpointWriter({url!r}, model='slow:ctrl-c', n_connections=4)\n"
            "for _ in writer.write(['a'] * 9, parse_decoder('greedy'), WritingOptions(9)): pass"
        )
        command = [sys.executable, "-W", "error", "-c", script]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            try:
                deadline = time.monotonic() + 60
                while len(seen("slow:ctrl-c")) < 4 and time.monotonic() < deadline:
                    time.sleep(0.05)
                process.send_signal(signal.SIGINT)
                began = time.monotonic()
                _, errors = process.communicate(timeout=20)  # the server takes 30 s
            finally:
                process.kill()
        assert time.monotonic() - began < 10
        assert errors.rstrip().endswith("KeyboardInterrupt")
        assert "Exception ignored" not in errors
        assert len(seen("slow:ctrl-c")) == 4  # one for each connection, and no more

    def test_closing_ends_all_requests_that_have_not_begun(self, url, seen):
        texts = make(url, "normal:closed", n_connections=1).write(PROMPTS * 50, NUCLEUS, OPTIONS)
        next(texts)
        texts.close()
        time.sleep(0.3)
        n_seen = len(seen("normal:closed"))
        time.sleep(0.3)
        assert len(seen("normal:closed")) == n_seen < 50 * 17
