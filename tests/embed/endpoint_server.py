"""Serve embeddings, with the failure that the name of the model asks for.

``python endpoint_server.py`` takes a free port, prints it, and serves until it is terminated.
A model is named ``MODE`` or ``MODE:ANYTHING``. The server counts requests by the whole name, so
that tests do not share a count. ``GET /seen/MODEL`` lists the requests for a model.
"""

import base64
import hashlib
import json
import struct
import threading
import time
from collections import defaultdict
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

WIDTH = 8
KEY = "sk-a-key-that-no-message-may-show"

SEEN = defaultdict(list)
LOCK = threading.Lock()
THREE_AT_ONCE = threading.Barrier(3, timeout=10)


def embedding(text, width=WIDTH):
    """Return numbers that depend on the text only, and differ for different texts."""
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return [number / 2**31 - 1 for number in struct.unpack(f"<{width}I", digest[: 4 * width])]


def rows(vectors, numbers=None):
    numbers = range(len(vectors)) if numbers is None else numbers
    data = [
        {"object": "embedding", "index": number, "embedding": vector}
        for number, vector in zip(numbers, vectors, strict=True)
    ]
    return {"object": "list", "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}}


def failure(status, message, headers=None):
    return status, headers or {}, {"error": {"message": message, "type": "invalid"}}


def in_base64(vector):
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


def misbehave(mode, n_before, texts, key):
    """Return status, headers and body of a mode that fails, or None where it does not."""
    if mode == "busy" and n_before < 2:
        return failure(429, "Slow down", {"Retry-After": "0.2"})
    if mode == "busy-until-the-past" and n_before < 2:
        return failure(429, "Slow down", {"Retry-After": formatdate(0, usegmt=True)})
    if mode == "busy-for-ever" and n_before < 2:
        return failure(429, "Slow down", {"Retry-After": ["soon", "nan"][n_before]})
    if mode == "quota":
        return failure(429, "Quota", {"Retry-After": "3600"})
    if mode == "quota-until-a-date":
        return failure(503, "Quota", {"Retry-After": formatdate(time.time() + 3600, usegmt=True)})
    if mode == "down":
        return failure(500, "The model has crashed")
    if mode == "locked" and key != f"Bearer {KEY}":
        return failure(401, f"Incorrect API key provided: {(key or 'none').rpartition(' ')[2]}.")
    if mode == "locked-long" and key is not None:  # the cut at 200 falls inside the key
        return failure(401, "x" * 190 + key)
    if mode == "login" and key != "Basic " + base64.b64encode(b"ann:p@ss").decode():
        return failure(401, "Who are you?")
    if mode == "absent":
        return failure(404, "The model does not exist")
    if mode == "refused":
        return failure(400, "Not\x1b[31m\nso" + "!" * 300)
    if mode == "refused-by-tei":
        return 422, {}, {"message": "Tokenizer error", "code": 422, "type": "Tokenizer"}
    if mode == "refused-by-fastapi":
        return 422, {}, {"detail": [{"msg": "Field required"}]}
    if mode == "refused-in-words":
        return 400, {}, b"Bad gateway configuration"
    if mode == "small" and len(texts) > 3:
        words = f"batch size {len(texts)} > maximum allowed batch size 3"
        return 413, {}, {"message": words, "code": 413, "type": "Validation"}
    if mode == "small-400" and len(texts) > 3:
        return failure(400, "Invalid 'input': array too long.")
    if mode == "small-422" and len(texts) > 3:
        return failure(422, "Too many inputs. The max number of inputs is 3.")
    if mode == "short" and any("long" in text for text in texts):
        return failure(413, "`inputs` must have less than 512 tokens. Given: 600")
    if mode == "html":
        return 200, {}, b"<!doctype html><title>Welcome</title>"
    if mode == "error-with-200":
        return 200, {}, {"error": "Unexpected endpoint or method. (POST /v1/embeddings)"}
    if mode == "deep":
        return 200, {}, b"[" * 100_000
    if mode == "silent":
        return 200, {}, b""
    return None


def answer(mode, n_before, texts):
    """Return the body of an answer with rows, good or bad."""
    vectors = [embedding(text) for text in texts]
    if mode == "shuffled":
        order = sorted(range(len(texts)), key=lambda i: texts[i][::-1])[::-1]
        return rows([vectors[i] for i in order], order)
    if mode == "unnumbered":
        return {"data": [{"embedding": vector} for vector in vectors]}
    if mode == "base64":
        return rows([in_base64(vector) for vector in vectors])
    if mode == "not-base64":
        return rows(["?" for _ in vectors])
    if mode == "few":
        return rows(vectors[:-1])
    if mode == "numbered-twice":
        return rows(vectors, [0] * len(vectors))
    if mode in ("nan", "null", "huge"):
        vectors[-1][3] = {"nan": float("nan"), "null": None, "huge": 1e39}[mode]
    if mode == "huge-int":
        vectors[-1][3] = 10**400
    if mode == "words":
        vectors[-1] = {"not": "numbers"}
    if mode == "ragged":
        vectors[-1] = vectors[-1][:-1]
    if mode == "ragged-between":
        vectors = [vector[: WIDTH - min(n_before, 1)] for vector in vectors]
    if mode == "nested":
        vectors = [[vector, vector] for vector in vectors]
    if mode == "empty":
        vectors = [[] for _ in vectors]
    return rows(vectors)


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        models = {
            "/v1/models": ["only"],
            "/locked/v1/models": ["locked"],
            "/several/v1/models": ["first", "second\x1b[31m", "third"],
            "/none/v1/models": [],
        }
        if self.path.startswith("/seen/"):
            self.reply(200, SEEN[unquote(self.path.removeprefix("/seen/"))])
        elif self.path in models:
            self.reply(200, {"data": [{"id": name} for name in models[self.path]]})
        else:
            self.reply(404, b"Not found")

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        model, texts = request["model"], request["input"]
        mode, key = model.partition(":")[0], self.headers["Authorization"]
        with LOCK:
            n_before = len(SEEN[model])
            entry = {"path": self.path, "n": len(texts), "key": key, "host": self.headers["Host"]}
            SEEN[model].append(entry | {"agent": self.headers["User-Agent"]} | request)
        target = {
            "/elsewhere/v1/embeddings": f"http://localhost:{self.server.server_port}/v1/embeddings",
            "/moved/v1/embeddings": "/v1/embeddings",
            "/circle/v1/embeddings": "/circle/v1/embeddings",
            "/nowhere/v1/embeddings": f"http://{'a' * 64}/v1/embeddings",
        }.get(self.path)
        if target:
            self.reply(307, b"Look there", {"Location": target})
        elif self.path.startswith("/moved-"):  # and the status
            self.reply(int(self.path[7:10]), b"Look there", {"Location": "/v1/embeddings"})
        elif mode == "dropped" and n_before < 1:
            return
        elif mode == "cut" and n_before < 1:
            self.reply(200, b"{", {"Content-Length": "1000"})
        else:
            if mode == "slow" or (mode == "slow-once" and n_before < 1):
                time.sleep(30)
            if mode == "slow-later" and n_before > 0:
                time.sleep(30)
            if mode == "together":
                THREE_AT_ONCE.wait()
            good = (200, {}, answer(mode, n_before, [*texts]))
            status, headers, body = misbehave(mode, n_before, texts, key) or good
            if "dimensions" in request and mode == "shortens":
                body = rows([embedding(text, request["dimensions"]) for text in texts])
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
    def handle_error(self, request, client_address):
        """Log nothing: clients that give up while a mode is slow are expected."""


if __name__ == "__main__":
    with Server(("127.0.0.1", 0), Handler) as server:
        print(server.server_port, flush=True)  # noqa: T201 - how the tests learn it
        server.serve_forever()
