"""What the tests of the server share: a study of odd texts, visitors, and a server process."""

import os
import re
import signal
import subprocess
import sys
import time

from starlette.testclient import TestClient

from mauve.study.server.app import create_app
from mauve.study.server.limits import Limits
from mauve.study.settings import StudySettings
from mauve.study.store.creation import create_study

#: Names that appear in nothing but the database.
SYSTEMS = ("zebra-9b", "quagga-2")
HOSTILE = (
    "<script>document.title='run'</script><img src=x onerror=\"document.title='run'\"> & <b>b</b>"
)

PAGE = {"Origin": "http://testserver", "X-Mauve-Study": "1"}


def records(words, n):
    return [
        {"prompt": f"Story {i} begins <i>here</i>:", "text": f" {words} It is number {i}."}
        for i in range(n)
    ]


def make_study(location, n_prompts=6, **settings):
    """Create a study of human texts and two systems, one of which wrote markup and scripts."""
    usual = {
        "ratings_per_pair": n_prompts, "overlap": 0, "min_tokens": 3, "well_formed": False,
        "repeat_every": 0, "attention_every": 0, "min_active_seconds": 0, "enrolment": "open",
        "title": "A study of stories", "completion_code": "C0DE-42",
    }  # fmt: skip
    samples = dict(zip(SYSTEMS, [HOSTILE, "Nobody came, and nobody minded."], strict=True))
    return create_study(
        location,
        StudySettings(**{**usual, **settings}),
        records("The bus was late,\n\nand so were we.", n_prompts),
        {name: records(words, n_prompts) for name, words in samples.items()},
    )


class Visitor:
    """A browser of one person, who sends what the page would send."""

    def __init__(self, study, *, headers=PAGE, limits=None, **options):
        self.study = study
        app = create_app(study, limits=limits or Limits(annotator_rate=1000), **options)
        base = options.get("public_url") or "http://testserver"
        self.client = TestClient(app, base_url=base, headers=headers)

    def close(self):
        self.client.close()

    def get(self, address, **options):
        return self.client.get(address, **options)

    def post(self, address, content=None, **options):
        return self.client.post(address, json={} if content is None else content, **options)

    def join_only(self):
        """Agree to take part."""
        consent = self.get("/api/state").json()["consent"]
        state = self.post("/api/consent", {"version": consent["version"]}).json()
        assert state["stage"] == "ready", state

    def join(self):
        """Agree to take part, and return the first pair."""
        self.join_only()
        return self.post("/api/next").json()["item"]

    def rate(self, lease, **changes):
        return self.post("/api/submit", {**submission(lease), **changes})


def submission(lease):
    number = time.monotonic_ns()
    return {
        "lease": lease, "submission_id": f"submission-{number}", "answers": [1, 3, 5],
        "active_seconds": 30.5, "wall_seconds": 40, "comment": "fine",
    }  # fmt: skip


class Process:
    """``mauve study serve`` as its own process."""

    def __init__(self, location, *options, port=0):
        command = [sys.executable, "-m", "mauve", "study", "serve", str(location)]
        self.process = subprocess.Popen(
            [*command, "--port", str(port), *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "COLUMNS": "80"},
        )
        # Both lines: what Python has read ahead, `communicate` would not return.
        self.lines = [self.process.stdout.readline() for _ in ("page", "dashboard")]
        if not self.lines[1]:
            raise AssertionError(f"the server did not start: {self.kill()}")
        self.address = self.lines[0].removeprefix("page:").strip()
        port = re.search(r":(\d+)/$", self.address)  # a public address has none
        self.port = int(port[1]) if port else None

    def kill(self):
        """End the process without warning; return all that it wrote."""
        return self._end(signal.SIGKILL)

    def stop(self, how=signal.SIGINT):
        """Ask the process to end; return all that it wrote."""
        return self._end(how)

    def _end(self, how):
        if self.process.stdout.closed:
            return ""
        if self.process.poll() is None:
            self.process.send_signal(how)
        out, err = self.process.communicate(timeout=30)
        return "".join(self.lines) + out + err
