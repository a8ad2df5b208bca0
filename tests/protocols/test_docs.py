"""docs/protocols.md: its table names all protocols, and its example is one."""

import re
import tomllib
from dataclasses import fields
from pathlib import Path

from mauve.protocols.catalogue import NAMES, built_in
from mauve.protocols.protocol import Protocol, ReportRules, SampleRules, ScoreRules

PAGE = (Path(__file__).parents[2] / "docs" / "protocols.md").read_text(encoding="utf-8")


def test_the_table_has_every_protocol_with_its_basis():
    rows = dict(re.findall(r"^\| `([a-z0-9-]+)` \|.*\| ([^|]+) \|$", PAGE, re.MULTILINE))
    assert [*rows] == [*NAMES]
    for name, basis in rows.items():
        if name != "default":
            assert built_in()[name].basis in basis


def test_the_example_has_every_key():
    (block,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    table = tomllib.loads(block)
    for part, kind in (("samples", SampleRules), ("score", ScoreRules), ("report", ReportRules)):
        assert [*table[part]] == [field.name for field in fields(kind)]
    protocol = Protocol.from_table("lab", table)
    assert protocol.samples.join_prompt
    assert protocol.score.seeds == (25,)
