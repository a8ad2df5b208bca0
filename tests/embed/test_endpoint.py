"""Features over real HTTP, from a server of its own process that can misbehave."""

import dataclasses
import json
import pickle
import random
import runpy
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote
from urllib.request import urlopen

import numpy as np
import pytest

from mauve.embed.endpoint import EndpointEmbedder, EndpointError, authorization, split_url
from mauve.embed.protocol import Embedder
from mauve.errors import InvalidParameterError, MauveError

SERVER = Path(__file__).with_name("endpoint_server.py")
server = runpy.run_path(str(SERVER))
KEY = server["KEY"]
TEXTS = [f"text {i} é\n{'x' * i}" for i in range(23)]
REFERENCE = np.array([server["embedding"](text) for text in TEXTS], np.float32)


@pytest.fixture(autouse=True)
def _no_keys_and_proxies(monkeypatch):
    names = "MAUVE_API_KEY", "OPENAI_API_KEY", "http_proxy", "HTTP_PROXY", "all_proxy", "no_proxy"
    for name in names:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def url():
    """Return the address of a running server."""
    command = [sys.executable, str(SERVER)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}"
        process.terminate()


@pytest.fixture
def seen(url):
    """Return a function that asks the server which requests it had for a model."""

    def ask(model):
        with urlopen(f"{url}/seen/{quote(model)}") as answer:
            return json.load(answer)

    return ask


def make(url, model, **options):
    return EndpointEmbedder(url, model=model, **{"backoff": 0.001, "timeout": 20.0} | options)


def message_of(embedder):
    with pytest.raises(MauveError) as caught:
        embedder.embed(TEXTS)
    return str(caught.value)


class TestFeatures:
    @pytest.mark.parametrize("batch_size", [1, 2, 7, 23, 64])
    @pytest.mark.parametrize("n_connections", [1, 4])
    def test_equal_the_reference_for_any_batch_and_connections(
        self, url, batch_size, n_connections
    ):
        found = make(url, "normal", batch_size=batch_size, n_connections=n_connections).embed(TEXTS)
        assert found.features.dtype == np.float32
        np.testing.assert_array_equal(found.features, REFERENCE)

    @pytest.mark.parametrize("model", ["shuffled", "base64", "unnumbered"])
    def test_do_not_depend_on_the_form_of_the_answer(self, url, model):
        found = make(url, model, batch_size=5).embed(TEXTS)
        np.testing.assert_array_equal(found.features, REFERENCE)

    def test_nothing_is_said_of_lengths(self, url):
        found = make(url, "normal").embed(TEXTS)
        assert found.n_tokens.tolist() == [-1] * len(TEXTS)
        assert found.n_tokens.dtype == np.int64
        assert found.truncated.tolist() == [False] * len(TEXTS)

    def test_no_texts_have_no_rows(self, url):
        found = make(url, "normal").embed([])
        assert (len(found), found.n_truncated) == (0, 0)

    def test_half_a_surrogate_pair_does_not_break_the_request(self, url):
        found = make(url, "normal").embed(["\ud83d"])
        assert found.features[0].tolist() == pytest.approx(server["embedding"]("\ud83d"))

    def test_dimensions_are_asked_for(self, url, seen):
        found = make(url, "shortens:3", dimensions=3).embed(TEXTS)
        np.testing.assert_array_equal(found.features, REFERENCE[:, :3])
        assert seen("shortens:3")[0]["dimensions"] == 3

    def test_request_is_as_openai_has_it(self, url, seen):
        make(url, "normal:request", batch_size=10, n_connections=1).embed(TEXTS)
        requests = seen("normal:request")
        assert [request["n"] for request in requests] == [10, 10, 3]
        assert requests[0]["input"] == TEXTS[:10]
        assert requests[0]["encoding_format"] == "float"
        assert requests[0]["agent"] == "mauve-eval"
        assert "dimensions" not in requests[0]

    def test_connections_work_at_once(self, url):
        # The server answers only when three requests are there.
        found = make(url, "together", batch_size=1, n_connections=3).embed(TEXTS[:3])
        np.testing.assert_array_equal(found.features, REFERENCE[:3])

    def test_progress_counts_texts(self, url):
        calls = []
        make(url, "normal", batch_size=10).embed(TEXTS, lambda *call: calls.append(call))
        assert [call[0] for call in calls] == ["embedding"] * 3
        assert calls[-1] == ("embedding", 23, 23)
        assert all(n == 23 for _, _, n in calls)


class TestAddress:
    @pytest.mark.parametrize(
        ("given", "address"),
        [
            ("http://host:8000", "http://host:8000/v1/embeddings"),
            ("http://host:8000/", "http://host:8000/v1/embeddings"),
            ("http://host:8000/v1", "http://host:8000/v1/embeddings"),
            ("http://host:8000/v1/", "http://host:8000/v1/embeddings"),
            ("http://host:8000/v1/embeddings", "http://host:8000/v1/embeddings"),
            ("https://HOST:443/api/v3", "https://host/api/v3/embeddings"),
            ("http://[::1]:80/proxy", "http://[::1]/proxy/v1/embeddings"),
            ("https://ann:p%40ss@host/v1#model=a/b%23c", "https://host/v1/embeddings"),
        ],
    )
    def test_is_completed(self, given, address):
        assert EndpointEmbedder(given).url == address

    @pytest.mark.parametrize("end", ["", "/v1", "/v1/embeddings"])
    def test_any_form_is_reached(self, url, end):
        found = make(url + end, "normal").embed(TEXTS[:1])
        np.testing.assert_array_equal(found.features, REFERENCE[:1])

    @pytest.mark.parametrize(
        "bad",
        [
            "host:8000",
            "ftp://host",
            "http://",
            "http://host:port",
            "http://host:0",
            "http://[::1",
            "http://host/v1?version=2",
            "http://host/a b",
            "http://host/\n",
            "http://hóst",
            "http://host#bge-small",
            None,
            8000,
        ],
    )
    def test_that_cannot_be_used_is_named(self, bad):
        with pytest.raises(InvalidParameterError, match=r"'url' .* must be an http:// or https://"):
            EndpointEmbedder(bad)

    @pytest.mark.parametrize(
        "bad", ["http://ann:p@ss@host:port", "http://ann:p/ss@host", "ftp://ann:p?ss@host"]
    )
    def test_password_of_a_bad_one_is_not_shown(self, bad):
        with pytest.raises(InvalidParameterError, match=r"Got 'host.*' instead"):
            EndpointEmbedder(bad)

    def test_model_may_stand_behind_it(self, url, seen):
        embedder = EndpointEmbedder(f"{url}/v1#model=normal:a/b%23c")
        assert embedder.model == "normal:a/b#c"
        embedder.embed(TEXTS[:1])
        assert len(seen("normal:a/b#c")) == 1

    def test_model_of_the_argument_comes_first(self):
        assert EndpointEmbedder("http://host#model=a", model="b").model == "b"

    def test_proxy_is_not_asked_for_this_machine(self, url, monkeypatch):
        monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")  # nobody listens there
        found = make(url, "normal").embed(TEXTS[:1])
        np.testing.assert_array_equal(found.features, REFERENCE[:1])


class TestModel:
    def test_the_only_one_is_taken(self, url, seen):
        n_before = len(seen("only"))
        embedder = EndpointEmbedder(url)
        assert embedder.signature == f"endpoint:only@{url.removeprefix('http://')}"
        embedder.embed(TEXTS[:1])
        assert len(seen("only")) == n_before + 1

    def test_several_are_listed(self, url):
        match = r"Got first, second\\x1b\[31m, third instead: name one with model=NAME, or with #m"
        with pytest.raises(InvalidParameterError, match=match):
            EndpointEmbedder(f"{url}/several").embed(TEXTS)

    @pytest.mark.parametrize(
        ("path", "found"),
        [("none", r'status 200 with \{"data": \[\]\}'), ("strange", "status 404 with Not found")],
    )
    def test_none_is_an_error(self, url, path, found):
        with pytest.raises(InvalidParameterError, match=rf"/models must list .*Got {found} inst"):
            EndpointEmbedder(f"{url}/{path}").signature  # noqa: B018 - reading it asks the server

    def test_name_that_is_empty_or_no_name(self):
        with pytest.raises(InvalidParameterError, match=r"'model' .* not empty\. Got '' instead"):
            EndpointEmbedder("http://host#model=")
        with pytest.raises(InvalidParameterError, match=r"'model' .* not empty\. Got 3 instead"):
            EndpointEmbedder("http://host", model=3)


class TestSignature:
    @pytest.mark.parametrize(
        ("given", "options", "signature"),
        [
            ("http://host:8000#model=a", {}, "endpoint:a@host:8000"),
            ("https://host/v1#model=a", {"dimensions": 64}, "endpoint:a@host-64"),
            ("https://ann:secret@host/b/v1#model=a", {}, "endpoint:a@host/b"),
            ("https://host/v3#model=a|b\n", {}, r"endpoint:a%7Cb@host/v3"),
            ("https://host", {"model": "a|b\x1b"}, r"endpoint:a%7Cb\x1b@host"),
            ("http://[::1]:80#model=a", {}, "endpoint:a@[::1]"),
        ],
    )
    def test_names_model_host_and_width(self, given, options, signature):
        assert EndpointEmbedder(given, **options).signature == signature

    def test_needs_no_server_when_the_model_is_named(self):
        embedder = EndpointEmbedder("http://localhost:9", model="a")
        assert isinstance(embedder, Embedder)
        assert embedder.signature == "endpoint:a@localhost:9"


class TestParameters:
    @pytest.mark.parametrize(
        ("name", "value", "rule"),
        [
            ("batch_size", 0, "an int of at least 1"),
            ("n_connections", 0, r"an int in \[1, 1000\]"),
            ("retries", -1, r"an int in \[0, 100\]"),
            ("timeout", 0, "a real number above 0"),
            ("timeout", 1e9, "at most 86400"),
            ("backoff", -1.0, "a real number above 0"),
            ("dimensions", 0, "an int of at least 1"),
        ],
    )
    def test_are_checked(self, name, value, rule):
        with pytest.raises(InvalidParameterError, match=rf"'{name}' .* must be .*{rule}.* Got"):
            EndpointEmbedder("http://host", **{name: value})

    def test_cannot_be_changed(self):
        with pytest.raises(dataclasses.FrozenInstanceError, match="url"):
            EndpointEmbedder("http://host").url = "http://other"

    def test_survive_pickle(self, url):
        embedder = pickle.loads(pickle.dumps(make(url, "locked", api_key=KEY)))
        np.testing.assert_array_equal(embedder.embed(TEXTS).features, REFERENCE)


class TestRetries:
    def test_wait_as_long_as_the_server_asks(self, url, seen):
        began = time.monotonic()
        found = make(url, "busy:1").embed(TEXTS)
        assert time.monotonic() - began >= 0.4  # twice 0.2
        np.testing.assert_array_equal(found.features, REFERENCE)
        assert len(seen("busy:1")) == 3

    @pytest.mark.parametrize("model", ["busy-until-the-past", "busy-for-ever"])
    def test_a_date_that_is_over_or_no_date_at_all_asks_for_nothing(self, url, model):
        np.testing.assert_array_equal(make(url, model).embed(TEXTS).features, REFERENCE)

    @pytest.mark.parametrize("model", ["quota", "quota-until-a-date"])
    def test_nobody_waits_an_hour(self, url, seen, model):
        with pytest.raises(EndpointError, match=r"\(Quota\), asked to wait 3\d+\S* s, at try 1:"):
            make(url, model).embed(TEXTS)
        assert len(seen(model)) == 1

    @pytest.mark.parametrize("model", ["dropped:1", "cut:1"])
    def test_after_a_connection_that_broke(self, url, seen, model):
        np.testing.assert_array_equal(make(url, model).embed(TEXTS).features, REFERENCE)
        assert len(seen(model)) == 2

    def test_after_a_timeout(self, url, seen):
        found = make(url, "slow-once:1", timeout=0.5).embed(TEXTS)
        np.testing.assert_array_equal(found.features, REFERENCE)
        assert len(seen("slow-once:1")) >= 2

    def test_end(self, url, seen):
        match = r"embeddings answered with 500 \(The model has crashed\) at try 3: check the server"
        with pytest.raises(EndpointError, match=match):
            make(url, "down:1", retries=2).embed(TEXTS)
        assert len(seen("down:1")) == 3

    def test_none_at_all(self, url):
        with pytest.raises(EndpointError, match=r"gave no answer \(Remote end closed .* at try 1:"):
            make(url, "dropped:2", retries=0).embed(TEXTS)
        with pytest.raises(
            EndpointError, match=r"gave no answer \(timed out\) at try 1: .*timeout"
        ):
            make(url, "slow:2", retries=0, timeout=0.2).embed(TEXTS)

    def test_are_of_no_use_where_nobody_listens(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        began = time.monotonic()
        with pytest.raises(EndpointError, match=r"gave no answer \(.*[Rr]efused.*\) at try 1: che"):
            make(f"http://127.0.0.1:{port}", "a", backoff=10).embed(TEXTS)
        assert time.monotonic() - began < 5

    def test_leave_the_generator_of_the_user_alone(self, url):
        random.seed(0)
        before = random.getstate()
        make(url, "dropped:3").embed(TEXTS)
        assert random.getstate() == before


class TestRefusals:
    @pytest.mark.parametrize(
        ("model", "match"),
        [
            ("absent", r"404 \(The model does not exist\): check address and model\.$"),
            ("refused", r"position 0 and others with 400 \(Not\\x1b\[31m\\nso!{185}\)\.$"),
            ("refused-by-tei", r"with 422 \(Tokenizer error\)\.$"),
            ("refused-by-fastapi", r"with 422 \(.*Field required.*\)\.$"),
            ("refused-in-words", r"with 400 \(Bad gateway configuration\)\.$"),
        ],
    )
    def test_show_what_the_server_says_and_are_not_tried_again(self, url, seen, model, match):
        n_before = len(seen(model))
        with pytest.raises(EndpointError, match=match):
            make(url, model).embed(TEXTS)
        assert len(seen(model)) == n_before + 1

    @pytest.mark.parametrize("model", ["small:1", "small-400:1", "small-422:1"])
    def test_batch_that_is_too_large_is_halved_once_for_all(self, url, seen, model):
        found = make(url, model, batch_size=10, n_connections=1).embed(TEXTS)
        np.testing.assert_array_equal(found.features, REFERENCE)
        sizes = [request["n"] for request in seen(model)]
        assert sizes == [10, 5, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1]

    def test_batch_that_is_too_large_on_several_connections(self, url):
        found = make(url, "small:2", batch_size=8).embed(TEXTS)
        np.testing.assert_array_equal(found.features, REFERENCE)

    def test_text_that_is_too_long_is_found(self, url):
        match = r"refused the text at position 5 with 413 \(`inputs` must have less than 512 tok"
        with pytest.raises(EndpointError, match=match):
            make(url, "short").embed([*TEXTS[:5], "a long text", *TEXTS[5:]])


class TestAnswers:
    @pytest.mark.parametrize(
        ("model", "match"),
        [
            ("few", r"a row for each text.* Got 22 rows \(0, 1, .*, 21\) instead"),
            ("numbered-twice", r"from 0 to 22 by 'index'\. Got 23 rows \(0\) instead"),
            ("nan", r"must return 8 finite numbers .* Got NaN .* at position 22 instead"),
            ("null", r"must return 8 finite numbers .* Got NaN .* at position 22 instead"),
            ("huge", r"Got NaN or what does not fit 32 bits for the text at position 22 instead"),
            ("ragged", r"must return 8 finite numbers .* Got 7 for the text at position 22 inst"),
            ("html", r"must answer with JSON .* Got <!doctype html><title>Welcome</title> inst"),
            ("error-with-200", r"must answer with JSON .* Got Unexpected endpoint or method"),
            ("silent", r"must answer with JSON .* Got nothing instead"),
            ("deep", r"must answer with JSON .* Got \[{200} instead"),
            ("huge-int", r"must answer with JSON that holds a row of numbers"),
            ("nested", r"must answer with JSON that holds a row of numbers"),
            ("empty", r"must answer with JSON that holds a row of numbers"),
            ("words", r"must answer with JSON that holds a row of numbers"),
            ("not-base64", r"must answer with JSON that holds a row of numbers"),
        ],
    )
    def test_that_cannot_be_used(self, url, model, match):
        with pytest.raises(EndpointError, match=rf"^{url}/v1/embeddings .*{match}"):
            make(url, model).embed(TEXTS)

    def test_of_different_widths(self, url):
        with pytest.raises(
            EndpointError, match=r"must return 8 finite .* Got 7 for the text at po"
        ):
            make(url, "ragged-between:1", batch_size=9, n_connections=1).embed(TEXTS)

    def test_that_ignore_the_dimensions(self, url):
        with pytest.raises(EndpointError, match=r"must return 3 finite numbers .* Got 8 for the t"):
            make(url, "normal", dimensions=3).embed(TEXTS)


class TestKey:
    @pytest.mark.parametrize("name", ["MAUVE_API_KEY", "OPENAI_API_KEY"])
    def test_comes_from_the_environment(self, url, monkeypatch, name):
        monkeypatch.setenv(name, f"{KEY}\n")  # as a file of secrets may leave it
        np.testing.assert_array_equal(make(url, "locked").embed(TEXTS).features, REFERENCE)

    def test_of_the_argument_comes_first_then_our_own(self, url, seen, monkeypatch):
        monkeypatch.setenv("OPENAI_API_KEY", "openai")
        monkeypatch.setenv("MAUVE_API_KEY", "mauve")
        make(url, "normal:env").embed(TEXTS[:1])
        make(url, "normal:env", api_key="argument").embed(TEXTS[:1])
        make(url, "normal:env", api_key="").embed(TEXTS[:1])
        monkeypatch.setenv("MAUVE_API_KEY", "")
        make(url, "normal:env").embed(TEXTS[:1])
        keys = [request["key"] for request in seen("normal:env")]
        assert keys == ["Bearer mauve", "Bearer argument", None, None]

    def test_user_and_password_are_sent_as_such(self, url):
        with_login = url.replace("http://", "http://ann:p%40ss@")
        np.testing.assert_array_equal(make(with_login, "login").embed(TEXTS).features, REFERENCE)

    @pytest.mark.parametrize("model", ["locked:x", "locked-long"])
    def test_that_the_server_repeats_is_not_shown(self, url, model):
        text = message_of(make(url, model, api_key="sk-wrong-one"))
        assert "401" in text
        assert ": set $MAUVE_API_KEY or pass api_key." in text
        assert "***" in text
        assert "sk-w" not in text

    def test_is_nowhere_to_be_read(self, url):
        for mode in ["down", "refused", "html", "nan", "few", "absent", "dropped", "quota"]:
            embedder = make(url, f"{mode}:key", api_key=KEY, retries=0)
            shown = [message_of(embedder), repr(embedder), str(embedder), embedder.signature]
            assert KEY not in "".join(shown)
        embedder = make(url.replace("//", "//ann:p%40ss@"), "down", retries=0)
        shown = message_of(embedder) + repr(embedder) + embedder.signature
        assert "ann" not in shown
        assert "ss@" not in shown

    @pytest.mark.parametrize(
        "address",
        ["https://host", "http://localhost:1", "http://127.0.0.7", "http://[::1]:1"],
    )
    def test_may_go_over_https_and_to_this_machine(self, address):
        assert KEY not in repr(EndpointEmbedder(address, api_key=KEY))

    @pytest.mark.parametrize("address", ["http://host", "http://10.0.0.1", "http://localhost.org"])
    def test_goes_nowhere_else(self, address, monkeypatch):
        rule = r"only sent over https or to localhost\. Got http://.* instead: use https, tunnel"
        with pytest.raises(InvalidParameterError, match=rf"The key of api_key is {rule}") as caught:
            EndpointEmbedder(address, api_key=KEY)
        assert KEY not in str(caught.value)
        with pytest.raises(InvalidParameterError, match=rf"The key of the URL is {rule}") as caught:
            EndpointEmbedder(address.replace("//", "//ann:secret@"))
        assert "secret" not in str(caught.value)
        monkeypatch.setenv("MAUVE_API_KEY", KEY)
        with pytest.raises(InvalidParameterError, match=rf"of \$MAUVE_API_KEY is {rule}"):
            EndpointEmbedder(address)
        assert EndpointEmbedder(address, api_key="")

    @pytest.mark.parametrize(
        ("host", "sent"),
        [
            ("api.openai.com", True), ("localhost", True), ("example.org", False),
            ("openai.com.example.org", False), ("notopenai.com", False),
        ],
    )  # fmt: skip
    def test_of_openai_goes_to_openai_and_this_machine_alone(self, host, sent, monkeypatch):
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        parts = split_url(f"https://{host}/v1")
        assert authorization(None, parts) == (f"Bearer {KEY}" if sent else "")

    @pytest.mark.parametrize("key", ["sk a", "sk\nHost: other", "sk-é"])
    def test_that_no_header_can_carry_is_not_shown(self, key):
        with pytest.raises(InvalidParameterError, match=r"of api_key must be escaped ASCII") as e:
            EndpointEmbedder("https://host", api_key=key)
        assert "sk" not in str(e.value)


class TestRedirects:
    def test_to_another_host_leave_the_key_behind(self, url, seen):
        make(f"{url}/elsewhere", "normal:away", api_key=KEY).embed(TEXTS)
        first, second = seen("normal:away")
        assert first["key"] == f"Bearer {KEY}"
        assert second["host"].startswith("localhost:")
        assert second["key"] is None
        assert second["input"] == TEXTS

    def test_on_the_same_host_carry_it(self, url, seen):
        found = make(f"{url}/moved", "locked:moved", api_key=KEY).embed(TEXTS)
        np.testing.assert_array_equal(found.features, REFERENCE)
        assert [request["path"] for request in seen("locked:moved")] == [
            "/moved/v1/embeddings",
            "/v1/embeddings",
        ]

    def test_in_a_circle_end(self, url):
        with pytest.raises(EndpointError, match=r"and others with 307 \(Look there\)\.$"):
            make(f"{url}/circle", "normal:circle").embed(TEXTS)

    def test_to_what_is_no_address(self, url):
        with pytest.raises(EndpointError, match=r"gave no answer \(.*label.*\) at try 1:"):
            make(f"{url}/nowhere", "normal:nowhere").embed(TEXTS)


class TestStopping:
    def test_ctrl_c_does_not_wait_for_the_server(self, url, seen):
        script = (
            "from mauve.embed.endpoint import EndpointEmbedder\n"
            f"EndpointEmbedder({url!r}, model='slow:ctrl-c', batch_size=1).embed(['a'] * 9)"
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

    def test_an_error_ends_all_requests_that_have_not_begun(self, url, seen):
        def fail(what, n_done, n):
            raise KeyError(n_done)

        began = time.monotonic()
        with pytest.raises(KeyError, match="1"):
            make(url, "slow-later:1", batch_size=1, n_connections=3).embed(TEXTS, fail)
        assert time.monotonic() - began < 10
        assert len(seen("slow-later:1")) <= 4

    def test_a_retry_that_waits_is_given_up(self, url, seen):
        embedder = make(url, "down:stop", batch_size=1, n_connections=2, retries=1, backoff=0.2)
        message_of(embedder)
        n_seen = len(seen("down:stop"))
        time.sleep(0.5)  # longer than the longest back-off, of 0.3 s
        assert len(seen("down:stop")) <= n_seen + 1
