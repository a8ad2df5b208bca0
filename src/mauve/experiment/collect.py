"""Collect the files of finished steps into the results of an experiment."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args

from mauve.experiment.directory import Directory
from mauve.experiment.plan import Cell, Plan
from mauve.experiment.results import ExperimentResults, GridRow, HumanRow, MeasureInfo
from mauve.measures.intervals import Measured
from mauve.measures.protocol import Need
from mauve.measures.registry import MAUVE, MAUVE_CLASSIFIER, get_measures
from mauve.measures.saved import measured_from_dict, measurements_from_dict

#: Numbers of a score that are no measures of their own, by name: title and direction.
COMPANIONS = {
    "mauve-plugin": ("MAUVE (plug-in)", "higher"),
    "mauve-star": ("MAUVE*", "higher"),
    "frontier-integral": ("frontier integral", "lower"),
    "js": ("JS divergence", "lower"),
    "type-1": ("type I error", "lower"),
    "type-2": ("type II error", "lower"),
    "p-value": ("p (= human)", "higher"),
    "ceiling": ("ceiling", "higher"),
}


def collect_results(plan: Plan, directory: Directory) -> ExperimentResults:
    """Return the results of all settings that are scored or measured.

    Parameters
    ----------
    plan : Plan
    directory : Directory
    """
    rows: list[GridRow] = []
    human: dict[tuple[Any, ...], HumanRow] = {}
    found: set[str] = set()
    for cell in plan.cells:
        if not directory.is_done(cell.score):
            continue
        row = _row(cell, directory, human)
        found |= {*row.values}
        rows.append(row)
    base = {**plan.config.scores.base, "n": plan.config.scores.n[0] or plan.n}
    is_complete = all(directory.is_done(step) for step in plan.steps)
    return ExperimentResults(
        plan.config.name, base, _measures(plan, found), tuple(rows), tuple(human.values()),
        is_complete,
    )  # fmt: skip


def _row(cell: Cell, directory: Directory, human: dict[tuple[Any, ...], HumanRow]) -> GridRow:
    content = _read(directory.file(cell.score))
    values: dict[str, Measured] = {
        name: measured_from_dict(value) for name, value in content.get("values", {}).items()
    }
    records = [directory.record(step) for step in (cell.score, cell.measure) if step is not None]
    done = [record for record in records if record is not None]
    warnings = [message for record in done for message in record.warnings]
    if "undefined" in content:
        warnings.append(content["undefined"])
    result: Mapping[str, Any] = content.get("result", {})
    signature = result.get("signature", "")
    if cell.measure is not None and directory.is_done(cell.measure):
        measurements = measurements_from_dict(_read(directory.file(cell.measure)))
        values |= next(iter(measurements.values()))
        signature = signature or measurements.signature
        setting = cell.setting
        key = (setting.task, setting.length, setting.embedder, setting.n)
        known = human.get(key)
        merged = {**(known.values if known else {}), **measurements.human}
        human[key] = HumanRow(*key, merged)
    return GridRow(
        cell.setting,
        values,
        tuple((x, y) for x, y in result.get("divergence_curve", ())),
        tuple(content.get("p_hist", ())),
        tuple(content.get("q_hist", ())),
        signature,
        tuple(dict.fromkeys(warnings)),
        tuple(record.key for record in done),
    )


def _measures(plan: Plan, found: set[str]) -> tuple[MeasureInfo, ...]:
    """Return what is known of the measures with values: the score, measures, its companions."""
    scores = [
        MeasureInfo(each.name, each.title, each.direction, each.is_statistic)
        for each in (MAUVE, MAUVE_CLASSIFIER)
    ]
    names = [name for step in plan.steps for name in step.settings.get("measures", ())]
    chosen = [
        MeasureInfo(each.name, each.title, each.direction, each.is_statistic)
        for name in dict.fromkeys(names)
        for each in get_measures([name], get_args(Need))
    ]
    others = [
        MeasureInfo(name, title, direction, False)
        for name, (title, direction) in COMPANIONS.items()
    ]
    return tuple(each for each in (*scores, *chosen, *others) if each.name in found)


def _read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(path.read_bytes())
    return content
