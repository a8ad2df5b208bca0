"""Load a served study with many annotators at once, kill its server, and check every rating.

Annotators answer over loopback, each after a pause of random length, and send a submission again
until it is acknowledged, some of them twice. The server process is ended with SIGKILL under way
and started again. Then the database is compared with what was acknowledged.

    python benchmarks/study_load.py                       # 200 annotators, 20,000 ratings, SQLite
    python benchmarks/study_load.py --study postgresql://user@host/empty_database
    python benchmarks/study_load.py --annotators 20 --ratings 400 --kills 1 --rate 50

Needs the extra `study`; `postgresql` for a URL.
"""

import argparse
import asyncio
import json
import platform
import random
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path

import httpx2
import numpy as np

import mauve
from mauve.study.settings import StudySettings
from mauve.study.store.collected import study_ratings
from mauve.study.store.creation import create_study
from mauve.study.store.opening import open_study
from mauve.study.store.people import create_invites
from mauve.study.store.reports import pair_progress, study_progress

WORDS = ["the", "a", "cat", "dog", "sat", "ran", "under", "over", "green", "table", "while", "it"]
RECOVERY = 15.0  # seconds after a restart that, with the outage, `submit ms undisturbed` leaves out
SENT_TWICE = 0.05  # share of the submissions that are sent twice, as by a double click


@dataclass
class Log:
    """What the annotators saw."""

    latencies: list[tuple[float, float]] = field(default_factory=list)  # when it began, seconds
    outages: list[tuple[float, float]] = field(default_factory=list)  # from a kill to the restart
    acknowledged: Counter = field(default_factory=Counter)
    retries: int = 0
    refused: list[str] = field(default_factory=list)
    ends: Counter = field(default_factory=Counter)


class Server:
    """A server process that can be killed and started again on the same port."""

    def __init__(self, location):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.command = [
            sys.executable, "-m", "mauve", "study", "serve", str(location),
            "--port", str(self.port), "--requests-per-second", "100000",
        ]  # fmt: skip
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = None

    async def start(self):
        """Start the process, and return once it listens."""
        self.process = subprocess.Popen(self.command, stdout=subprocess.DEVNULL)
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except OSError:
                if self.process.poll() is not None:
                    raise SystemExit("the server has ended") from None
                await asyncio.sleep(0.05)

    def kill(self):
        """End the process as a power cut would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


async def post(client, path, content, log):
    """Send a request until it is answered; return the answer and the seconds it took."""
    pause = 0.2
    while True:
        started = time.perf_counter()
        try:
            reply = await client.post(path, json=content)
        except httpx2.TransportError:
            reply = None
        if reply is not None and reply.status_code not in (429, 500, 502, 503):
            return reply, time.perf_counter() - started
        log.retries += 1
        await asyncio.sleep(pause * random.uniform(0.5, 1.5))
        pause = min(2 * pause, 2.0)


async def annotate(url, invite, mean_pause, log):
    """Be one annotator, from the invitation to the last item."""
    headers = {"Origin": url, "X-Mauve-Study": "1"}
    async with httpx2.AsyncClient(base_url=url, headers=headers, timeout=30) as client:
        await asyncio.sleep(random.uniform(0, mean_pause))
        reply, _ = await post(client, "/api/enrol", {"invite": invite}, log)
        version = reply.json()["consent"]["version"]
        await post(client, "/api/consent", {"version": version}, log)
        reply, _ = await post(client, "/api/next", {}, log)
        state = reply.json()
        while True:
            if state.get("stage") == "waiting":
                await asyncio.sleep(1)
                reply, _ = await post(client, "/api/next", {}, log)
                state = reply.json()
                continue
            if state.get("stage") != "item":
                log.ends[state.get("reason") or json.dumps(state)[:80]] += 1
                return
            pause = random.uniform(0.5, 1.5) * mean_pause
            await asyncio.sleep(pause)
            state = await answer(client, state["item"], pause, log)


async def answer(client, item, seconds, log):
    """Submit answers, some of them twice at once, and return the next state."""
    content = {
        "lease": item["lease"], "submission_id": secrets.token_urlsafe(12),
        "answers": [random.randint(1, 5) for _ in range(3)], "comment": "",
        "active_seconds": seconds, "wall_seconds": seconds,
    }  # fmt: skip
    times = 1 + (random.random() < SENT_TWICE)
    replies = await asyncio.gather(
        *(post(client, "/api/submit", content, log) for _ in range(times))
    )
    for reply, seconds_taken in replies:
        if reply.status_code == 200:
            log.latencies.append((time.perf_counter() - seconds_taken, seconds_taken))
            log.acknowledged[content["submission_id"]] += 1
        else:
            log.refused.append(f"{reply.status_code} {reply.text[:120]}")
    last = replies[-1][0]
    if last.status_code == 200:
        return last.json()
    reply, _ = await post(client, "/api/next", {}, log)
    return reply.json()


async def run(server, invites, arguments, n_expected):
    """Run all annotators, and the killer beside them; return what they saw."""
    log = Log()
    await server.start()
    mean_pause = arguments.annotators / arguments.rate

    async def kill_under_way():
        for k in range(1, arguments.kills + 1):
            while len(log.acknowledged) < n_expected * k / (arguments.kills + 1):
                await asyncio.sleep(0.05)
            server.kill()
            killed = time.perf_counter()
            await asyncio.sleep(0.5)
            await server.start()
            log.outages.append((killed, time.perf_counter()))

    killer = asyncio.create_task(kill_under_way())
    await asyncio.gather(*(annotate(server.url, i, mean_pause, log) for i in invites))
    await killer
    return log


def check(location, log):
    """Compare the database with what was acknowledged; return counts and problems."""
    study = open_study(location)
    with study.reading() as connection:
        stored = Counter(
            connection.exec_driver_sql("SELECT submission_id FROM rating").scalars().all()
        )
        twice = connection.exec_driver_sql(
            "SELECT count(*) FROM (SELECT annotator_id, item_id FROM assignment "
            "WHERE kind <> 'repeat' GROUP BY annotator_id, item_id HAVING count(*) > 1) AS seen"
        ).scalar_one()
        kinds = dict(
            connection.exec_driver_sql(
                "SELECT kind, count(*) FROM assignment WHERE n_revisions > 0 GROUP BY kind"
            ).all()
        )
    pairs, ratings = pair_progress(study), study_ratings(study).counted()
    by_pair = Counter(row.pair for row in ratings.rows)
    off_target = {
        f"{p.system_a} and {p.system_b}": [p.n_valid, p.target]
        for p in pairs
        if p.n_valid != p.target or by_pair[tuple(sorted((p.system_a, p.system_b)))] != p.target
    }
    progress = study_progress(study)
    study.close()
    return {
        "acknowledged": len(log.acknowledged),
        "stored": sum(stored.values()),
        "acknowledged_not_stored": len(log.acknowledged.keys() - stored.keys()),
        "stored_not_acknowledged": len(stored.keys() - log.acknowledged.keys()),
        "stored_twice": sum(n > 1 for n in stored.values()),
        "items_twice_for_one_person": twice,
        "pairs_off_target": off_target,
        "pairs_at_target": len(pairs) - len(off_target),
        "valid_ratings": progress.n_valid,
        "kinds": kinds,
    }


def prepare(location, arguments):
    """Create the study; return invitations, and the submissions that complete it."""
    n_pairs = arguments.systems * (arguments.systems + 1) // 2
    target = ceil(arguments.ratings / n_pairs)
    rng = random.Random(0)
    prompts = [f"On day {i} of that year, in the evening, she said" for i in range(target)]

    def sample():
        return [{"prompt": p, "text": " ".join(rng.choices(WORDS, k=220))} for p in prompts]

    settings = StudySettings(
        ratings_per_pair=target, min_tokens=100, well_formed=False, min_active_seconds=0.0,
        max_failed_checks=10_000, enrolment="invite",
    )  # fmt: skip
    systems = {f"system-{i}": sample() for i in range(arguments.systems)}
    study = create_study(location, settings, sample(), systems)
    invites = create_invites(study, arguments.annotators)
    study.close()
    return invites, n_pairs * target


def in_milliseconds(latencies):
    """Return quantiles of the times that submissions took."""
    quantiles = np.quantile(latencies, [0.5, 0.9, 0.99, 1]) * 1000
    return dict(zip(("p50", "p90", "p99", "max"), np.round(quantiles, 1).tolist(), strict=True))


def main():
    """Print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--annotators", type=int, default=200)
    parser.add_argument("--ratings", type=int, default=20_000, help="valid ratings of all pairs")
    parser.add_argument("--systems", type=int, default=8, help="beside human text")
    parser.add_argument("--kills", type=int, default=3, help="how often the server is killed")
    parser.add_argument("--rate", type=float, default=50, help="submissions in a second, of all")
    parser.add_argument("--study", help="file or URL; by default a temporary file")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    with ExitStack() as stack:
        location = arguments.study
        if location is None:
            location = Path(stack.enter_context(tempfile.TemporaryDirectory()), "study.sqlite")
        invites, n_expected = prepare(location, arguments)
        server = Server(location)
        started = time.perf_counter()
        try:
            log = asyncio.run(run(server, invites, arguments, n_expected))
        finally:
            if server.process is not None:
                server.kill()
        seconds = time.perf_counter() - started
        checked = check(location, log)
    # After a restart everybody who has waited comes at once.
    undisturbed = [
        seconds
        for began, seconds in log.latencies
        if not any(killed <= began < restart + RECOVERY for killed, restart in log.outages)
    ]
    figures = {
        **checked,
        "requests_retried": log.retries,
        "refused": len(log.refused),
        "ends": dict(log.ends),
        "seconds": round(seconds, 1),
        "submit_ms": in_milliseconds([seconds for _, seconds in log.latencies]),
        "submit_ms_undisturbed": in_milliseconds(undisturbed),
    }
    if arguments.json:
        print(json.dumps(figures))
        return
    kind = "PostgreSQL" if "://" in str(location) else "SQLite"
    print(f"mauve {mauve.__version__}, Python {platform.python_version()}, {kind}")
    print(f"{arguments.annotators} annotators, {arguments.kills} times SIGKILL")
    for name, value in figures.items():
        print(f"{name.replace('_', ' '):28} {value}")
    for message, n in Counter(log.refused).most_common(5):
        print(f"refused {n} times: {message}")


if __name__ == "__main__":
    main()
