"""The authors' package, which has the same import name, beside, over and instead of ours."""

import os
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

import mauve
from mauve_eval.installation import repair_command

ROOT = Path(__file__).parents[2]
REPAIR = "pip uninstall -y mauve-text && pip install --force-reinstall --no-deps "
TAKEN = "mauve-text 9.9 has taken the import name 'mauve' from mauve-eval. To repair it: "
MISSING = "Files of mauve-eval are missing: uninstalling mauve-text, which has the same "
SHARED = "mauve-text 9.9 is installed too, and has the same import name 'mauve'. Uninstalling it "
ENV = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}


def make_their_wheel(folder):
    """Write a wheel with the name and the file names of the authors' package."""
    info = "mauve_text-9.9.dist-info"
    files = {
        "mauve/__init__.py": "from .compute_mauve import compute_mauve\n",
        "mauve/compute_mauve.py": "def compute_mauve():\n    return 'theirs'\n",
        "mauve/utils.py": "",
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: mauve-text\nVersion: 9.9\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
    path = folder / "mauve_text-9.9-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)
    return path


class Environment:
    """A virtual environment with pip, where everything that mauve needs can be imported."""

    def __init__(self, folder):
        run(sys.executable, "-m", "venv", str(folder / "venv"))
        self.folder, self.bin = folder, folder / "venv" / "bin"
        [site] = (folder / "venv").glob("lib/python*/site-packages")
        # Folders in a .pth file come last, and .pth files in them are not read: the editable
        # install of the tests' environment is not found.
        (site / "needed.pth").write_text(sysconfig.get_path("purelib") + "\n")
        build = ("wheel", "--no-deps", "--no-build-isolation", "-w", str(folder), str(ROOT))
        run(sys.executable, "-m", "pip", "-q", "--disable-pip-version-check", *build)
        [self.ours] = folder.glob("mauve_eval-*.whl")
        self.theirs = make_their_wheel(folder)

    def pip(self, *arguments):
        run(self.bin / "python", "-m", "pip", "-q", "--disable-pip-version-check", *arguments)

    def install(self, wheel):
        self.pip("install", "--no-deps", "--no-index", "--force-reinstall", str(wheel))

    def uninstall(self, *names):
        self.pip("uninstall", "-y", *names)

    def mauve(self, *arguments):
        return self._result(self.bin / "mauve", *arguments)

    def python(self, *arguments):
        return self._result(self.bin / "python", *arguments)

    def _result(self, *command):
        done = subprocess.run(
            [*map(str, command)], capture_output=True, text=True, cwd=self.folder, env=ENV,
            timeout=120,
        )  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    def assert_damaged(self, message):
        """Check that command and import answer with `message`; return the command in it."""
        code, out, err = self.mauve("--version")
        assert (code, out, err.count("\n")) == (1, "", 1)
        assert err.startswith(f"error: {message}")
        code, out, err = self.python("-m", "mauve", "--version")
        assert (code, out, err.count("\n")) == (1, "", 1)
        assert message in err
        for statement in ("import mauve", "from mauve import compare", "import mauve.comparison"):
            code, _, err = self.python("-c", statement)
            assert code == 1
            last = err.splitlines()[-1]
            assert last.startswith(f"mauve_eval.installation.DamagedInstallError: {message}")
        return re.search("To repair it: (.*)", last)[1]

    def assert_whole(self):
        assert self.mauve("--version") == (0, f"mauve {mauve.__version__}\n", "")
        assert self.python("-W", "error", "-c", "import mauve; mauve.compare") == (0, "", "")

    def shell(self, command):
        """Run a command as printed, where `pip` is that of this environment."""
        env = ENV | {"PATH": f"{self.bin}{os.pathsep}{ENV['PATH']}", "PIP_NO_INDEX": "1"}
        subprocess.run(command, shell=True, check=True, capture_output=True, env=env)


def run(*command):
    subprocess.run([*map(str, command)], check=True, capture_output=True, env=ENV, timeout=240)


@pytest.fixture(scope="module")
def only_environment(tmp_path_factory):
    return Environment(tmp_path_factory.mktemp("environment"))


@pytest.fixture
def environment(only_environment):
    """Return an environment where ours alone is installed."""
    only_environment.uninstall("mauve-text", "mauve-eval")
    only_environment.install(only_environment.ours)
    return only_environment


@pytest.mark.slow
def test_theirs_after_ours(environment):
    environment.assert_whole()
    environment.install(environment.theirs)
    command = environment.assert_damaged(TAKEN)
    assert command == f"{REPAIR}{environment.ours.as_uri()}"
    environment.shell(command)
    environment.assert_whole()


@pytest.mark.slow
def test_theirs_uninstalled_after_ours(environment):
    environment.install(environment.theirs)
    environment.uninstall("mauve-text")
    environment.shell(environment.assert_damaged(MISSING))
    environment.assert_whole()


@pytest.mark.slow
def test_ours_after_theirs(environment):
    environment.uninstall("mauve-eval")
    environment.install(environment.theirs)
    environment.install(environment.ours)
    code, out, err = environment.mauve("--version")
    assert (code, out) == (0, f"mauve {mauve.__version__}\n")
    assert err.startswith(f"warning: {SHARED}")
    assert err.count("\n") == 1
    script = environment.folder / "script.py"
    script.write_text("import mauve\nprint(mauve.compute_mauve.__module__)\n")
    code, out, err = environment.python(script)
    assert (code, out) == (0, "mauve.comparison.paper\n")
    assert err.startswith(f"{script}:1: MauveWarning: {SHARED}")
    environment.shell(re.search("To keep mauve-eval alone: (.*)", err)[1])
    environment.assert_whole()


@pytest.mark.slow
def test_their_files_without_their_metadata_are_harmless(environment):
    [package] = (environment.folder / "venv").glob("lib/python*/site-packages/mauve")
    (package / "compute_mauve.py").write_text("")
    environment.assert_whole()
    (package / "compute_mauve.py").unlink()


START = "import mauve_eval; mauve_eval.main()"


def start_beside(folder, source):
    """Start the command line where Python finds another package `mauve` first."""
    (folder / "mauve").mkdir()
    (folder / "mauve" / "__init__.py").write_text(source)
    path = os.pathsep.join([str(folder), str(ROOT / "src")])
    done = subprocess.run(
        [sys.executable, "-c", START, "--version"], capture_output=True, text=True,
        env=os.environ | {"PYTHONPATH": path},
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("source", ["", "import a_package_that_is_not_there\n"])
def test_another_package_is_found_first(tmp_path, source):
    # As with an editable install of ours, whose folder comes after that of theirs.
    code, out, err = start_beside(tmp_path, source)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert err.startswith("error: ")
    assert "pip uninstall -y mauve-text" in err


def test_a_missing_requirement_keeps_its_traceback(tmp_path):
    source = '__distribution__ = "mauve-eval"\nimport a_package_that_is_not_there\n'
    code, _, err = start_beside(tmp_path, source)
    assert code == 1
    assert err.startswith("Traceback")
    assert err.endswith("ModuleNotFoundError: No module named 'a_package_that_is_not_there'\n")


def test_their_import_path_works():
    statement = "from mauve.compute_mauve import compute_mauve as f; import mauve; "
    statement += "assert mauve.compute_mauve is f; assert callable(f)"
    subprocess.run([sys.executable, "-W", "error", "-c", statement], check=True)


@pytest.mark.parametrize(
    ("origin", "command"),
    [
        (None, f"{REPAIR}mauve-eval"),
        ('{"url": "file:///a%20b", "dir_info": {"editable": true}}', REPAIR.partition(" &&")[0]),
        ('{"url": "file:///a b", "dir_info": {}}', f"{REPAIR}'file:///a b'"),
        (
            '{"url": "https://x.org/m", "vcs_info": {"vcs": "git", "commit_id": "12ab"}}',
            f"{REPAIR}git+https://x.org/m@12ab",
        ),
    ],
)
def test_it_is_repaired_from_where_it_was_installed(tmp_path, monkeypatch, origin, command):
    info = tmp_path / "mauve_eval-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mauve-eval\nVersion: 0.1.0\n")
    if origin is not None:
        (info / "direct_url.json").write_text(origin)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert repair_command() == command
