"""Write the outcome of checks as JUnit XML and as annotations of GitHub Actions."""

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from pathlib import Path

from mauve.atomic import atomic_write
from mauve.comparison.gate import Check, Outcome
from mauve.escape import escaped

_LEVELS = {Outcome.NOT_WORSE: "notice", Outcome.WORSE: "error", Outcome.TOO_FEW: "warning"}


def write_junit(checks: Sequence[Check], path: Path) -> None:
    """Write a test suite with a case for each system, atomically.

    A system that is worse is a failure; one with too few texts to tell is an error, as nothing
    was shown about it.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_junit([], Path(folder, "check.xml"))
    ...     "tests" in ElementTree.parse(Path(folder, "check.xml")).getroot()[0].attrib
    True
    """
    counts = {outcome: sum(check.outcome is outcome for check in checks) for outcome in Outcome}
    suites = ElementTree.Element("testsuites")
    suite = ElementTree.SubElement(
        suites,
        "testsuite",
        name="mauve check",
        tests=str(len(checks)),
        failures=str(counts[Outcome.WORSE]),
        errors=str(counts[Outcome.TOO_FEW]),
        skipped="0",
    )
    for check in checks:
        case = ElementTree.SubElement(
            suite, "testcase", classname="mauve.check", name=escaped(check.name), time="0"
        )
        kind = {Outcome.WORSE: "failure", Outcome.TOO_FEW: "error"}.get(check.outcome)
        if kind is not None:
            problem = ElementTree.SubElement(
                case, kind, type=str(check.outcome), message=check.message
            )
            problem.text = check.message
        else:
            ElementTree.SubElement(case, "system-out").text = check.message
    ElementTree.indent(suites)
    with atomic_write(path) as file:
        ElementTree.ElementTree(suites).write(file, encoding="utf-8", xml_declaration=True)
        file.write(b"\n")


def github_annotation(check: Check) -> str:
    """Return a workflow command of GitHub Actions, with its special characters encoded.

    Examples
    --------
    >>> check = Check("a,b", "m", 0.9, 0.9, 0.0, (-0.01, 0.01), 0.02, 0.05, Outcome.NOT_WORSE,
    ...               500, 90)
    >>> github_annotation(check).partition("::'")[0]
    '::notice title=mauve check%3A a%2Cb'
    """
    title = _encoded(f"mauve check: {escaped(check.name)}").replace(":", "%3A").replace(",", "%2C")
    return f"::{_LEVELS[check.outcome]} title={title}::{_encoded(check.message)}"


def _encoded(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
