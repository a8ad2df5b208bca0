"""Recognise notebooks, where a kernel and not a terminal shows what is displayed."""

import sys


def in_notebook() -> bool:
    """Return whether this code runs in the kernel of a notebook.

    IPython is looked for and not imported: where nobody has imported it there is no kernel.

    Examples
    --------
    >>> in_notebook()
    False
    """
    ipython = sys.modules.get("IPython")
    get_shell = getattr(ipython, "get_ipython", None)
    shell = None if get_shell is None else get_shell()
    # IPython in a terminal has a shell too, but no kernel.
    return getattr(shell, "kernel", None) is not None
