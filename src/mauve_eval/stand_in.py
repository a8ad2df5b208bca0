"""Answer for the package ``mauve`` where its ``__init__.py`` was deleted.

Wheels install this file as ``mauve.py`` beside the folder ``mauve``. Python prefers the folder
as long as it has an ``__init__.py``; without one it would be an empty namespace package.
"""

import sys

from mauve_eval.installation import DamagedInstallError

if __name__ == "mauve":
    raise DamagedInstallError
if __name__ == "__main__":  # python -m mauve
    sys.exit(f"error: {DamagedInstallError()}")
