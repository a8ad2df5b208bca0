"""Put into wheels, but not into editable installs, what answers for deleted files."""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class StandIn(BuildHookInterface):
    """Install ``mauve_eval/stand_in.py`` as ``mauve.py``, found if ``mauve/__init__.py`` is gone.

    An editable install finds ``mauve`` later on the path than the file, which would win.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the file to the wheel."""
        if version == "standard":
            build_data["force_include"]["src/mauve_eval/stand_in.py"] = "mauve.py"
