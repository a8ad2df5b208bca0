"""Differences between texts that are not about what they say, and remedies for them."""
