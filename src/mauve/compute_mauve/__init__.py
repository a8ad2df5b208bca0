"""The authors' name of the module with `compute_mauve`, so that their imports work.

It also shows that their package was installed over this one: their ``__init__.py`` imports
``mauve.compute_mauve``, and Python prefers this folder to their file of that name.
"""

import sys

from mauve_eval.installation import OURS, DamagedInstallError

if getattr(sys.modules["mauve"], "__distribution__", None) != OURS:
    raise DamagedInstallError

from mauve.comparison.paper import PaperResult, compute_mauve

__all__ = ["PaperResult", "compute_mauve"]
