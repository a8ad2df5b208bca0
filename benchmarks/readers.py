"""Time and memory of reading log files with 100,000 samples.

    python benchmarks/readers.py [--n 100000]

Writes a file of each kind to a temporary folder and reads it in a process of its own. Texts have
about 200 words. An .eval log needs the package zstandard (extra `inspect`), lighteval's details
need pyarrow (extra `parquet`).
"""

import argparse
import json
import random
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

READ = """
import resource, sys, time
from mauve.text.read import read_texts
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
started = time.perf_counter()
file = read_texts(sys.argv[1])
seconds = time.perf_counter() - started
held = sum(map(sys.getsizeof, file.texts)) / 2**20
peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
print(f"{len(file)} {seconds:.1f} {held:.0f} {peak:.0f}")
"""


def texts(n: int) -> Iterator[tuple[int, str, str]]:
    """Yield a number, a prompt and a text of about 200 words."""
    rng = random.Random(0)
    words = [f"word{i}" for i in range(2000)]
    for i in range(n):
        yield i, f"Question {i}?", " ".join(rng.choices(words, k=200))


def write_lines(path: Path, rows: Iterator[dict[str, object]]) -> None:
    """Write JSON lines."""
    with path.open("w") as file:
        for row in rows:
            file.write(json.dumps(row) + "\n")


def plain(path: Path, n: int) -> None:
    """Write texts with prompts, to compare with."""
    write_lines(path, ({"text": text, "prompt": prompt, "id": i} for i, prompt, text in texts(n)))


def harness(path: Path, n: int) -> None:
    """Write samples of lm-evaluation-harness with two filters."""
    rows = (
        {
            "doc_id": i, "doc": {"question": prompt}, "target": "yes",
            "arguments": {"gen_args_0": {"arg_0": prompt, "arg_1": {"until": []}}},
            "resps": [[text]], "filtered_resps": [text], "filter": name, "metrics": ["em"],
            "doc_hash": "0" * 64, "prompt_hash": "0" * 64, "target_hash": "0" * 64, "em": 0.0,
        }
        for name in ("strict", "flexible")
        for i, prompt, text in texts(n)
    )  # fmt: skip
    write_lines(path, rows)


def batch(path: Path, n: int) -> None:
    """Write the output of OpenAI's batch API."""
    rows = (
        {
            "id": f"b{i}", "custom_id": f"r{i}", "error": None,
            "response": {"status_code": 200, "body": {
                "object": "chat.completion", "model": "m", "usage": {"total_tokens": 300},
                "choices": [{"index": 0, "message": {"role": "assistant", "content": text}}]}},
        }
        for i, _, text in texts(n)
    )  # fmt: skip
    write_lines(path, rows)


def conversations(path: Path, n: int) -> None:
    """Write conversations of two messages."""
    rows = (
        {"messages": [{"role": "user", "content": p}, {"role": "assistant", "content": t}]}
        for _, p, t in texts(n)
    )
    write_lines(path, rows)


def lighteval(path: Path, n: int) -> None:
    """Write details of lighteval with log-probabilities, which are not read."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [
        {"doc": {"query": p, "id": str(i), "task_name": "t"},
         "model_response": {"text": [t], "logprobs": [0.5] * 50}, "metric": {"em": 0.0}}
        for i, p, t in texts(n)
    ]  # fmt: skip
    pq.write_table(pa.Table.from_pylist(rows), path)


def inspect(path: Path, n: int) -> None:
    """Write a log of inspect_ai whose samples have 10 kB of events each."""
    event = {"event": "span_begin", "id": "x" * 20, "timestamp": "2026-01-01T00:00:00"}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for i, prompt, text in texts(n):
            sample = {
                "id": i, "epoch": 1, "input": prompt, "target": "", "output": {"completion": text},
                "events": [event] * 90,
            }  # fmt: skip
            file.writestr(f"samples/{i}_epoch_1.json", json.dumps(sample))
        file.writestr("header.json", json.dumps({"version": 2, "status": "success", "eval": {}}))


KINDS: dict[str, tuple[str, Callable[[Path, int], None]]] = {
    "plain JSON lines": (".jsonl", plain),
    "lm-evaluation-harness": (".jsonl", harness),
    "OpenAI batch": (".jsonl", batch),
    "conversations": (".jsonl", conversations),
    "lighteval": (".parquet", lighteval),
    "inspect_ai": (".eval", inspect),
}


def main() -> None:
    """Print a row for each kind of file."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--n", type=int, default=100_000, help="samples in a file")
    parser.add_argument("--write", nargs=2, metavar=("KIND", "PATH"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    n = arguments.n
    if arguments.write:  # in a process of its own, whose memory the one that reads does not inherit
        kind, path = arguments.write
        KINDS[kind][1](Path(path), n)
        return
    print(f"{'file':24}{'MB':>7}{'texts':>9}{'seconds':>9}{'texts MB':>10}{'peak MB':>9}")
    for kind, (suffix, _) in KINDS.items():
        with TemporaryDirectory() as folder:
            path = Path(folder, f"log{suffix}")
            writing = [sys.executable, __file__, "--n", str(n), "--write", kind, str(path)]
            subprocess.run(writing, check=True)
            size = path.stat().st_size / 2**20
            command = [sys.executable, "-c", READ, str(path)]
            done = subprocess.run(command, check=True, capture_output=True, text=True)
        n_texts, seconds, held, peak = done.stdout.split()
        print(f"{kind:24}{size:7.0f}{n_texts:>9}{seconds:>9}{held:>10}{peak:>9}", flush=True)


if __name__ == "__main__":
    main()
