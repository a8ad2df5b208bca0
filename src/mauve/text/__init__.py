"""Texts in: files read, checked for differences of form, normalised."""
