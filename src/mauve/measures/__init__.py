"""Comparison measures beside MAUVE: one file for each, all with intervals."""
