"""Serve completions, with the failure that the name of the model asks for.

``python completions_server.py`` takes a free port, prints it, and serves until it is terminated.
A model is named ``MODE`` or ``MODE:ANYTHING``. The server counts requests by the whole name, so
that tests do not share a count. ``GET /seen/MODEL`` lists the requests for a model.
"""

import hashlib
import json
import random
import threading
import time
from collections import defaultdict
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

KEY = "sk-a-key-that-no-message-may-show"
WORDS = "the a river town rain stone light house door night day wind".split()  # noqa: SIM905

SEEN = defaultdict(list)
LOCK = threading.Lock()
THREE_AT_ONCE = threading.Barrier(3, timeout=10)
OTHERS_ARE_DONE = threading.Event()


def continuation(prompt, request):
    """Return words, their number, and whether they end: a model of one token a word."""
    settings = {name: request.get(name) for name in ("temperature", "top_p", "top_k", "seed")}
    digest = hashlib.sha256(f"{prompt}{settings}".encode("utf-8", "surrogatepass")).digest()
    rng = random.Random(digest)
    least, most = request.get("min_tokens", 0), request["max_tokens"]
    wanted = max(least, rng.randrange(0, 2 * most))
    words = [f" {rng.choice(WORDS)}" for _ in range(min(wanted, most))]
    return "".join(words), len(words), wanted < most


def failure(status, message, headers=None):
    return status, headers or {}, {"error": {"message": message, "type": "invalid"}}


def refusal(mode, n_before, prompt, key):
    """Return status, headers and body of a mode that fails, or None where it does not."""
    if mode == "busy" and n_before < 2:
        return failure(429, "Slow down", {"Retry-After": "0.2"})
    if mode == "quota":
        return failure(429, "Quota", {"Retry-After": "3600"})
    if mode == "down":
        return failure(500, "The model has crashed")
    if mode == "down-later" and n_before > 3:
        return failure(500, "The model has crashed")
    if mode == "locked" and key != f"Bearer {KEY}":
        return failure(401, f"Incorrect API key provided: {(key or 'none').rpartition(' ')[2]}.")
    if mode == "absent":
        return failure(404, "The model does not exist")
    if mode == "short" and len(prompt) > 100:
        return failure(400, "This model's maximum context length is 25 tokens.")
    bodies = {
        "html": b"<!doctype html><title>Welcome</title>",
        "silent": b"",
        "deep": b"[" * 100_000,
        "list": [],
        "error-with-200": {"error": "Unexpected endpoint or method."},
        "no-choices": {"object": "text_completion", "usage": {"completion_tokens": 1}},
        "empty-choices": {"choices": []},
        "null-choices": {"choices": None},
    }
    return (200, {}, bodies[mode]) if mode in bodies else None


def spoil(mode, choice, body):
    """Change an answer as a mode asks for."""
    if mode == "no-text":
        choice.pop("text", None)
        choice.pop("message", None)
    if mode in ("null", "number", "empty"):
        value = {"null": None, "number": 3, "empty": ""}[mode]
        choice.update({"text": value, "message": {"content": value}, "finish_reason": "length"})
    if mode.startswith("reason-"):
        choice["finish_reason"] = {"none": None}.get(mode[7:], mode[7:])
    if mode == "no-reason":
        del choice["finish_reason"]
    if mode == "no-usage":
        del body["usage"]
    if mode.startswith("tokens-"):
        body["usage"] = {"completion_tokens": json.loads(mode[7:])}


def answer(mode, prompt, request, is_chat):
    text, n_tokens, ended = continuation(prompt, request)
    choice = {"index": 0, "finish_reason": "stop" if ended else "length"}
    choice |= {"message": {"role": "assistant", "content": text}} if is_chat else {"text": text}
    body = {"choices": [choice], "usage": {"prompt_tokens": 1, "completion_tokens": n_tokens}}
    spoil(mode, choice, body)
    return body


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/others-are-done":
            OTHERS_ARE_DONE.set()
            self.reply(200, {})
            return
        models = {
            "/v1/models": [{"id": "only"}],
            "/several/v1/models": [{"id": "first"}, {"id": "second"}],
            "/vllm/v1/models": [{"id": "normal", "owned_by": "vllm"}],
        }
        if self.path.startswith("/seen/"):
            self.reply(200, SEEN[unquote(self.path.removeprefix("/seen/"))])
        elif self.path in models:
            self.reply(200, {"data": models[self.path]})
        else:
            self.reply(404, b"Not found")

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        is_chat = self.path.endswith("/chat/completions")
        prompt = request["messages"][0]["content"] if is_chat else request["prompt"]
        model, key = request["model"], self.headers["Authorization"]
        mode = model.partition(":")[0]
        with LOCK:
            n_before = len(SEEN[model])
            SEEN[model].append({"path": self.path, "key": key} | request)
        if not self.path.endswith("/completions"):
            self.reply(404, b"Not found")
            return
        if mode == "dropped" and n_before < 1:
            return
        if mode == "cut" and n_before < 1:
            self.reply(200, b"{", {"Content-Length": "1000"})
            return
        if mode == "slow" or (mode == "slow-once" and n_before < 1):
            time.sleep(30)
        if mode == "together":
            THREE_AT_ONCE.wait()
        if mode == "first-is-last" and prompt == "0":
            OTHERS_ARE_DONE.wait(60)
        good = (200, {}, answer(mode, prompt, request, is_chat))
        status, headers, body = refusal(mode, n_before, prompt, key) or good
        self.reply(status, body, headers)

    def reply(self, status, body, headers=None):
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        for name, value in ({"Content-Length": str(len(content))} | (headers or {})).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args):
        """Log nothing: the tests ask for the requests instead."""


class Server(ThreadingHTTPServer):
    request_queue_size = 64  # with fewer, some of many connections at once wait for a second

    def handle_error(self, request, client_address):
        """Log nothing: clients that give up while a mode is slow are expected."""


if __name__ == "__main__":
    with Server(("127.0.0.1", 0), Handler) as server:
        print(server.server_port, flush=True)  # noqa: T201 - how the tests learn it
        server.serve_forever()
