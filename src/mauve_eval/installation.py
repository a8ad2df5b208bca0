"""Detect that the authors' package, which has the same import name, damages this one.

Both distributions, mauve-eval and the authors' mauve-text, install ``mauve/__init__.py``.
Whichever is installed last replaces that file, and uninstalling either deletes it.
"""

import shlex
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

#: The distribution of this package, which ``mauve.__distribution__`` names too.
OURS = "mauve-eval"
#: The distribution of the authors' package.
THEIRS = "mauve-text"
#: A file of theirs that lies in the folder of ours if both are installed.
_THEIR_FILE = "compute_mauve.py"


class DamagedInstallError(ImportError):
    """The package ``mauve`` that Python finds is not, or not all of, the one of mauve-eval."""

    def __init__(self) -> None:
        if (version := _installed(THEIRS)) is not None:
            cause = f"{THEIRS} {version} has taken the import name 'mauve' from {OURS}."
        else:
            cause = (
                f"Files of {OURS} are missing: uninstalling {THEIRS}, which has the same import "
                "name 'mauve', deletes them."
            )
        # With the name of the module, `python -m mauve` prints this without a traceback.
        super().__init__(f"{cause} To repair it: {repair_command()}", name="mauve")


def check_package() -> None:
    """Import ``mauve``, and raise a DamagedInstallError if it is not the one of mauve-eval."""
    try:
        package = import_module("mauve")
    except DamagedInstallError:
        raise
    except ImportError as error:
        if _is_ours():
            raise  # ours, and something that it needs is missing
        raise DamagedInstallError from error
    if getattr(package, "__distribution__", None) != OURS:
        raise DamagedInstallError


def sharing_warning(package: Path) -> str | None:
    """Return a warning if uninstalling the authors' package would delete files in `package`.

    Parameters
    ----------
    package : Path
        Folder of the package ``mauve``.

    Examples
    --------
    >>> sharing_warning(Path("a folder without files of theirs"))
    """
    # Metadata are searched only if a file of theirs is there, so that importing stays quick.
    if not (package / _THEIR_FILE).is_file() or (version := _installed(THEIRS)) is None:
        return None
    return (
        f"{THEIRS} {version} is installed too, and has the same import name 'mauve'. Uninstalling "
        f"it deletes files of {OURS}. To keep {OURS} alone: {repair_command()}"
    )


def repair_command() -> str:
    """Return the command that leaves this package installed alone and whole.

    It installs again from where this package was installed: an index, a file or a repository.
    In an editable install no file is shared, and removing the authors' package is enough.
    """
    import json
    from importlib.metadata import PackageNotFoundError, distribution

    uninstall = f"pip uninstall -y {THEIRS}"
    source = OURS
    try:
        recorded = distribution(OURS).read_text("direct_url.json")
    except PackageNotFoundError:
        recorded = None
    if recorded:
        origin = json.loads(recorded)
        if origin.get("dir_info", {}).get("editable"):
            return uninstall
        source = origin["url"]
        if vcs := origin.get("vcs_info"):
            source = f"{vcs['vcs']}+{source}@{vcs['commit_id']}"
    return f"{uninstall} && pip install --force-reinstall --no-deps {shlex.quote(source)}"


def _installed(name: str) -> str | None:
    """Return the version of a distribution, or None if it is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _is_ours() -> bool:
    """Return whether the ``__init__.py`` that Python finds is that of this package."""
    spec = find_spec("mauve")
    if spec is None or spec.origin is None or spec.submodule_search_locations is None:
        return False
    return f'__distribution__ = "{OURS}"' in Path(spec.origin).read_text("utf-8", "replace")
