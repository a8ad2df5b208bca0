"""Protocols: how papers compute and report MAUVE, and scores by them beside ours."""
