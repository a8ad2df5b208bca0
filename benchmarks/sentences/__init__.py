"""Check what the package says of texts in words against counts that share no code with it.

A sentence is read for what it claims: a share, a mean, quartiles, an exact number, a beginning, a
word. What it claims is then counted in the texts and compared with the printed numbers. What
cannot be read is reported as not checked, never as true.
"""

from .check import Counted, check_explanation, check_properties, holds

__all__ = ["Counted", "check_explanation", "check_properties", "holds"]
