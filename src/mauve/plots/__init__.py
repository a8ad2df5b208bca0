"""Pictures, one module for each kind; :mod:`mauve.plot` has all of them."""
