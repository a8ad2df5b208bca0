"""Addresses, keys, proxies, redirects and retries, over real HTTP."""

import random
import socket
import time

import numpy as np
import pytest
from endpoint_samples import KEY, REFERENCE, TEXTS, make, message_of

from mauve.calls import Command, command_line
from mauve.embed.endpoint import EndpointEmbedder
from mauve.embed.endpoint_address import authorization, split_url
from mauve.embed.endpoint_client import EndpointError
from mauve.errors import InvalidParameterError

pytestmark = pytest.mark.usefixtures("no_keys_and_proxies")


class TestAddress:
    @pytest.mark.parametrize(
        ("url", "address"),
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
    def test_is_completed(self, url, address):
        assert EndpointEmbedder(url).url == address

    @pytest.mark.parametrize("end", ["", "/v1", "/v1/embeddings"])
    def test_any_form_is_reached(self, url, end):
        embedded = make(url + end, "normal").embed(TEXTS[:1])
        np.testing.assert_array_equal(embedded.features, REFERENCE[:1])

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


class TestKey:
    @pytest.mark.parametrize("name", ["MAUVE_API_KEY", "OPENAI_API_KEY"])
    def test_comes_from_the_environment(self, url, monkeypatch, name):
        monkeypatch.setenv(name, f"{KEY}\n")  # as a file of secrets may leave it
        np.testing.assert_array_equal(make(url, "locked").embed(TEXTS).features, REFERENCE)

    def test_of_the_argument_comes_first_then_mauve_api_key(self, url, seen, monkeypatch):
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

    def test_on_the_command_line_it_is_a_variable(self, url, monkeypatch):
        with command_line(Command("mauve embed", {"embedder": "--embedder"})):
            assert message_of(make(url, "locked:x")).endswith(": set $MAUVE_API_KEY.")
            monkeypatch.setenv("MAUVE_API_KEY", KEY)
            with pytest.raises(
                InvalidParameterError, match=r"no key with an empty \$MAUVE_API_KEY"
            ):
                EndpointEmbedder("http://host")

    def test_is_nowhere_to_be_read(self, url):
        for mode in ["down", "refused", "html", "nan", "few", "absent", "dropped", "quota"]:
            embedder = make(url, f"{mode}:key", api_key=KEY, retries=0)
            texts = [message_of(embedder), repr(embedder), str(embedder), embedder.signature]
            assert KEY not in "".join(texts)
        embedder = make(url.replace("//", "//ann:p%40ss@"), "down", retries=0)
        text = message_of(embedder) + repr(embedder) + embedder.signature
        assert "ann" not in text
        assert "ss@" not in text

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
        rule = "of api_key must be ASCII without spaces"
        with pytest.raises(InvalidParameterError, match=rule) as caught:
            EndpointEmbedder("https://host", api_key=key)
        assert "sk" not in str(caught.value)


class TestProxies:
    def test_are_not_used_for_this_machine(self, url, monkeypatch):
        monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")  # nobody listens there
        embedded = make(url, "normal").embed(TEXTS[:1])
        np.testing.assert_array_equal(embedded.features, REFERENCE[:1])

    def test_are_used_for_other_hosts(self, url, seen, monkeypatch):
        monkeypatch.setenv("http_proxy", url)
        embedded = make("http://host.invalid", "normal:proxy").embed(TEXTS)
        np.testing.assert_array_equal(embedded.features, REFERENCE)
        monkeypatch.delenv("http_proxy")
        assert seen("normal:proxy")[0]["path"] == "http://host.invalid/v1/embeddings"

    def test_that_cannot_be_used_are_named_without_the_password(self, monkeypatch):
        monkeypatch.setenv("http_proxy", "gopher://ann:secret@proxy")
        text = message_of(make("http://host.invalid", "normal"))
        assert "proxy" in text
        assert "unset" in text
        assert "secret" not in text


class TestRedirects:
    def test_to_another_host_leave_the_key_behind(self, url, seen):
        make(f"{url}/elsewhere", "normal:away", api_key=KEY).embed(TEXTS)
        first, second = seen("normal:away")
        assert first["key"] == f"Bearer {KEY}"
        assert second["host"].startswith("localhost:")
        assert second["key"] is None
        assert second["input"] == TEXTS

    def test_on_the_same_host_carry_it(self, url, seen):
        embedded = make(f"{url}/moved", "locked:moved", api_key=KEY).embed(TEXTS)
        np.testing.assert_array_equal(embedded.features, REFERENCE)
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

    @pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
    def test_repeat_the_request_with_any_status(self, url, seen, status):
        embedded = make(f"{url}/moved-{status}", f"normal:{status}").embed(TEXTS)
        np.testing.assert_array_equal(embedded.features, REFERENCE)
        assert [request["input"] for request in seen(f"normal:{status}")] == [TEXTS, TEXTS]


class TestRetries:
    @pytest.mark.slow
    def test_wait_as_long_as_the_server_asks(self, url, seen):
        began = time.monotonic()
        embedded = make(url, "busy:1").embed(TEXTS)
        assert time.monotonic() - began >= 0.4  # twice 0.2
        np.testing.assert_array_equal(embedded.features, REFERENCE)
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

    @pytest.mark.slow
    def test_after_a_timeout(self, url, seen):
        embedded = make(url, "slow-once:1", timeout=0.5).embed(TEXTS)
        np.testing.assert_array_equal(embedded.features, REFERENCE)
        assert len(seen("slow-once:1")) >= 2

    def test_end(self, url, seen):
        match = r"embeddings answered with 500 \(The model has crashed\) at try 3: check the server"
        with pytest.raises(EndpointError, match=match):
            make(url, "down:1", retries=2).embed(TEXTS)
        assert len(seen("down:1")) == 3

    def test_none_at_all(self, url):
        with pytest.raises(EndpointError, match=r"gave no answer \(.*disconnected.*\) at try 1:"):
            make(url, "dropped:2", retries=0).embed(TEXTS)
        with pytest.raises(EndpointError, match=r"answer \(timed out\) at try 1: .*timeout"):
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
