"""Experiments: models, decoders, seeds and lengths in a grid, scored in several ways."""
