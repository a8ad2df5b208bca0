"""Options and samples that all tests share."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

# A busy machine must not fail a test by the time that an example takes.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")
# For `make quick`, which is run often.
settings.register_profile("quick", max_examples=20, deadline=None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--no-skips", action="store_true", help="count a skipped test or file as a failure"
    )


def _fail_if_skipped(report, config: pytest.Config) -> None:
    # An expected failure is reported as a skip too, but it did run.
    if config.getoption("no_skips") and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{reason}: skips count as failures with --no-skips"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item):
    report = yield
    _fail_if_skipped(report, item.config)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector):
    report = yield
    _fail_if_skipped(report, collector.config)
    return report


@pytest.fixture(scope="session", autouse=True)
def _temporary_cache(tmp_path_factory: pytest.TempPathFactory):
    """Keep tests from the user's cache of features, and from each other's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MAUVE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session")
def feature_files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with features of human texts and of a good and a bad system."""
    folder = tmp_path_factory.mktemp("features")
    rng = np.random.default_rng(0)
    for name, shift in {"human": 0.0, "good": 0.0, "bad": 1.0}.items():
        features = rng.normal(size=(200, 8)) + shift
        np.save(folder / f"{name}.npy", features.astype(np.float32))
    return folder
