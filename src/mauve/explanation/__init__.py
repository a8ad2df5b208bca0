"""Explain why a system scores as it does, by clusters of texts and their words."""
