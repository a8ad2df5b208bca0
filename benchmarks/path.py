"""How much of the package one comparison runs, and how often it reads and hashes its texts.

    python benchmarks/path.py

Runs ``mauve compare HUMAN SYSTEM --report FILE`` on two small files of texts, which are written
here, and ``mauve.compare`` on two arrays of features. Texts are embedded by the bundled model,
with an empty cache. Each comparison runs in a process of its own, on one thread.

Functions are those of the package: methods and lambdas count, code of modules and classes and
comprehensions do not. A generator counts as called once for each value. Digests are all results
of ``hashlib`` in code of the package, the keys and checksums of the cache among them.
"""

import argparse
import contextlib
import inspect
import io
import multiprocessing
import os
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

os.environ["OMP_NUM_THREADS"] = "1"  # a profile is of one thread

import numpy as np

HASH_FUNCTION = "text_hashes"
N_TEXTS = 200  # of each sample; fewer have other buckets, and a warning
_COMPREHENSIONS = {"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}
_WORDS = [f"word{number}" for number in range(50)]


@dataclass(frozen=True)
class Trace:
    """What one comparison did.

    Attributes
    ----------
    modules, functions, calls : int
        Modules of the package of which a function was called, these functions, and their calls.
    opens : dict from str to int
        How often each input file was opened.
    hash_calls : int or None
        Calls of :data:`HASH_FUNCTION`; None if the package has no function of that name.
    hashed : int
        Texts that these calls got.
    digests : int
        Digests of ``hashlib``.
    connections : int
        Connections to an SQLite database.
    """

    modules: int
    functions: int
    calls: int
    opens: dict[str, int]
    hash_calls: int | None
    hashed: int
    digests: int
    connections: int


def traced(work: Callable[[], object], inputs: list[Path]) -> Trace:
    """Run a comparison and count what it does."""
    import mauve

    package = str(Path(mauve.__file__).parent) + os.sep
    calls: Counter[tuple[str, str, int]] = Counter()
    opens = Counter({path.name: 0 for path in inputs})
    events: Counter[str] = Counter()
    paths = {str(path): path.name for path in inputs}

    def profile(frame: FrameType, event: str, called: object) -> None:
        code = frame.f_code
        if not code.co_filename.startswith(package):
            return
        if event == "c_call" and getattr(called, "__name__", "") in ("digest", "hexdigest"):
            events["digest"] += 1
        # Code of modules and classes lacks this flag.
        is_function = code.co_flags & inspect.CO_OPTIMIZED and code.co_name not in _COMPREHENSIONS
        if event != "call" or not is_function:
            return
        calls[code.co_filename, code.co_name, code.co_firstlineno] += 1
        if code.co_name == HASH_FUNCTION:
            events["hash call"] += 1
            events["hashed"] += len(frame.f_locals[code.co_varnames[0]])

    def audit(event: str, arguments: tuple[object, ...]) -> None:
        if event == "sqlite3.connect":
            events["connection"] += 1
        elif event == "open" and str(arguments[0]) in paths:
            opens[paths[str(arguments[0])]] += 1

    sys.addaudithook(audit)  # it cannot be removed, so the process ends with the comparison
    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
    known = any(
        hasattr(module, HASH_FUNCTION)
        for name, module in sys.modules.items()
        if name.partition(".")[0] == "mauve"
    )
    return Trace(
        modules=len({file for file, _, _ in calls}),
        functions=len(calls),
        calls=calls.total(),
        opens=dict(opens),
        hash_calls=events["hash call"] if known else None,
        hashed=events["hashed"],
        digests=events["digest"],
        connections=events["connection"],
    )


def command_line() -> Trace:
    """Compare two files of texts on the command line, with a report."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["MAUVE_CACHE"] = str(folder / "cache")
        rng = np.random.default_rng(0)
        inputs = [folder / "human.txt", folder / "system.txt"]
        for path in inputs:
            rows = rng.choice(_WORDS, size=(N_TEXTS, 40))
            path.write_text("".join(" ".join(row) + ".\n" for row in rows), encoding="utf-8")
        from mauve.cli import app

        report = folder / "report.html"
        command = ["compare", *map(str, inputs), "--report", str(report)]

        def work() -> None:
            output = io.StringIO()
            with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
                app(command, standalone_mode=False)

        trace = traced(work, inputs)
        if not report.exists():
            raise SystemExit("mauve compare has written no report")
        return trace


def from_python() -> Trace:
    """Compare two arrays of features."""
    import mauve

    rng = np.random.default_rng(0)
    human, model = rng.standard_normal((2, N_TEXTS, 16))
    return traced(lambda: mauve.compare(human, model), [])


def cells(trace: Trace) -> list[str]:
    """Return the column of the table for one comparison."""
    n = N_TEXTS * len(trace.opens)
    if trace.hash_calls is None:
        hashed = f"no function `{HASH_FUNCTION}`"
    else:
        hashed = f"{trace.hash_calls}" + (f" ({trace.hashed / n:g} times each)" if n else "")
    opens = ", ".join(f"{times} × {name}" for name, times in trace.opens.items())
    return [
        f"{trace.modules:,}",
        f"{trace.functions:,}",
        f"{trace.calls:,}",
        opens or "no files",
        hashed,
        f"{trace.digests:,}" + (f" ({trace.digests / n:.2f} for each text)" if n else ""),
        f"{trace.connections:,}",
    ]


def main() -> None:
    """Print the table."""
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    warnings.simplefilter("ignore")
    columns = {
        "`mauve compare --report`": command_line,
        "`mauve.compare(features, features)`": from_python,
    }
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawned, max_tasks_per_child=1) as pool:
        traces = [pool.submit(work).result() for work in columns.values()]
    rows = (
        "modules",
        "functions",
        "calls of functions",
        "inputs opened",
        f"calls of `{HASH_FUNCTION}`",
        "digests",
        "cache opened",
    )
    print("|", " | ".join(["one comparison", *columns]), "|")
    print("|---" * (1 + len(columns)) + "|")
    for row in zip(rows, *map(cells, traces), strict=True):
        print("|", " | ".join(row), "|")


if __name__ == "__main__":
    main()
