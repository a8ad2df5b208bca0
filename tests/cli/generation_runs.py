"""Files and options for the tests of mauve generate and mauve evaluate."""

import json
import time

from running import ENV, start

from mauve.lm.reference import split_reference

QUICK = ["--prompt-tokens", "8", "--max-tokens", "12"]


def write_passages(path, n=60):
    """Write passages of the Python language reference, one record a line."""
    passages = split_reference(n).passages
    records = [{"id": f"p{i}", "text": "".join(passage)} for i, passage in enumerate(passages)]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def start_and_wait(folder, path, *arguments, n_lines=1, **settings):
    """Start a command that writes texts; return it when the file has some lines."""
    process = start(*arguments, cwd=folder, env={**ENV, "OMP_NUM_THREADS": "1"}, **settings)
    end = time.monotonic() + 120
    while not path.exists() or path.read_bytes().count(b"\n") < n_lines:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.01)
    return process
