"""Embed texts: embedders by name, batches, and a cache of features."""
