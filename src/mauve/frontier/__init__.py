"""Buckets in, divergence curve and score out."""
