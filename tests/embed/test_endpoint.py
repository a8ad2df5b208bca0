"""Features over real HTTP, from a server in another process that can misbehave."""

import dataclasses
import pickle
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from endpoint_samples import KEY, REFERENCE, TEXTS, make, message_of, server

from mauve.embed.endpoint import EndpointEmbedder
from mauve.embed.endpoint_client import EndpointError
from mauve.embed.protocol import Embedder
from mauve.errors import InvalidParameterError

pytestmark = pytest.mark.usefixtures("no_keys_and_proxies")


class TestFeatures:
    @pytest.mark.parametrize("batch_size", [1, 2, 7, 23, 64])
    @pytest.mark.parametrize("n_connections", [1, 4])
    def test_equal_the_reference_for_any_batch_and_connections(
        self, url, batch_size, n_connections
    ):
        embedded = make(url, "normal", batch_size=batch_size, n_connections=n_connections).embed(
            TEXTS
        )
        assert embedded.features.dtype == np.float32
        np.testing.assert_array_equal(embedded.features, REFERENCE)

    @pytest.mark.parametrize("model", ["shuffled", "base64", "unnumbered"])
    def test_do_not_depend_on_the_form_of_the_answer(self, url, model):
        embedded = make(url, model, batch_size=5).embed(TEXTS)
        np.testing.assert_array_equal(embedded.features, REFERENCE)

    def test_numbers_of_tokens_are_not_known(self, url):
        embedded = make(url, "normal").embed(TEXTS)
        assert embedded.n_tokens.tolist() == [-1] * len(TEXTS)
        assert embedded.n_tokens.dtype == np.int64
        assert embedded.truncated.tolist() == [False] * len(TEXTS)

    def test_no_texts_have_no_rows(self, url):
        embedded = make(url, "normal").embed([])
        assert (len(embedded), embedded.n_truncated) == (0, 0)

    def test_half_a_surrogate_pair_does_not_break_the_request(self, url):
        embedded = make(url, "normal").embed(["\ud83d"])
        assert embedded.features[0].tolist() == pytest.approx(server["embedding"]("\ud83d"))

    def test_dimensions_are_asked_for(self, url, seen):
        embedded = make(url, "shortens:3", dimensions=3).embed(TEXTS)
        np.testing.assert_array_equal(embedded.features, REFERENCE[:, :3])
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
        embedded = make(url, "together", batch_size=1, n_connections=3).embed(TEXTS[:3])
        np.testing.assert_array_equal(embedded.features, REFERENCE[:3])

    def test_progress_counts_texts(self, url):
        calls = []
        make(url, "normal", batch_size=10).embed(TEXTS, lambda *call: calls.append(call))
        assert [call[0] for call in calls] == ["embedding"] * 3
        assert calls[-1] == ("embedding", 23, 23)
        assert all(n == 23 for _, _, n in calls)


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
        ("path", "got"),
        [("none", r'status 200 with \{"data": \[\]\}'), ("strange", "status 404 with Not found")],
    )
    def test_none_is_an_error(self, url, path, got):
        with pytest.raises(InvalidParameterError, match=rf"/models must list .*Got {got} inst"):
            EndpointEmbedder(f"{url}/{path}").signature  # noqa: B018 - reading it asks the server

    def test_name_that_is_empty_or_no_name(self):
        with pytest.raises(InvalidParameterError, match=r"'model' .* not empty\. Got '' instead"):
            EndpointEmbedder("http://host#model=")
        with pytest.raises(InvalidParameterError, match=r"'model' .* not empty\. Got 3 instead"):
            EndpointEmbedder("http://host", model=3)


class TestSignature:
    @pytest.mark.parametrize(
        ("url", "options", "signature"),
        [
            ("http://host:8000#model=a", {}, "endpoint:a@host:8000"),
            ("https://host/v1#model=a", {"dimensions": 64}, "endpoint:a@host-64"),
            ("https://ann:secret@host/b/v1#model=a", {}, "endpoint:a@host/b"),
            ("https://host/v3#model=a|b\n", {}, r"endpoint:a%7Cb@host/v3"),
            ("https://host", {"model": "a|b\x1b"}, r"endpoint:a%7Cb\x1b@host"),
            ("http://[::1]:80#model=a", {}, "endpoint:a@[::1]"),
        ],
    )
    def test_names_model_host_and_width(self, url, options, signature):
        assert EndpointEmbedder(url, **options).signature == signature

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
        embedded = make(url, model, batch_size=10, n_connections=1).embed(TEXTS)
        np.testing.assert_array_equal(embedded.features, REFERENCE)
        sizes = [request["n"] for request in seen(model)]
        assert sizes == [10, 5, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1]

    def test_batch_that_is_too_large_on_several_connections(self, url):
        embedded = make(url, "small:2", batch_size=8).embed(TEXTS)
        np.testing.assert_array_equal(embedded.features, REFERENCE)

    def test_position_of_a_text_that_is_too_long_is_named(self, url):
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
            ("huge", r"Got NaN or a number beyond 32 bits for the text at position 22 instead"),
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


class TestStopping:
    @pytest.mark.slow
    def test_ctrl_c_does_not_wait_for_the_server(self, url, seen):
        # A job in the background ignores SIGINT, and so does every process that it starts.
        script = (
            "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
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

    @pytest.mark.slow
    def test_a_retry_that_waits_is_given_up(self, url, seen):
        embedder = make(url, "down:stop", batch_size=1, n_connections=2, retries=1, backoff=0.2)
        message_of(embedder)
        n_seen = len(seen("down:stop"))
        time.sleep(0.5)  # longer than the longest back-off, of 0.3 s
        assert len(seen("down:stop")) <= n_seen + 1
