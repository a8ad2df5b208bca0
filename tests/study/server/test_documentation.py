"""The commands of docs/study.md run, and print what stands there."""

import re
import signal
import sys
from pathlib import Path

import pytest
from serving import Process

sys.path.insert(0, str(Path(__file__).parents[2]))  # tests are no package

from pages import PAGES, assert_printed, blocks, commands, run_command, run_python

PAGE = PAGES["docs/study.md"]


@pytest.mark.slow
def test_the_page_on_studies(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for block in blocks(PAGE):
        if block.language == "python":
            run_python(block.text, "study.md", {})
        elif block.language == "console":
            for command, documented in commands(block):
                assert_printed(run_command(command), documented)
    served = re.findall(r"^mauve study serve study.sqlite(.*)$", PAGE.read_text("utf-8"), re.M)
    assert len(served) == 3
    # All options at once, as each start takes a second; the port may be taken here.
    words = [word.strip("'") for options in served for word in options.split()]
    words = [word for word in words if word not in ("--port", "8000")]
    # A shell that runs tests in the background has SIGINT ignored until the server handles it.
    assert "dashboard:" in Process("study.sqlite", *words).stop(signal.SIGTERM)
