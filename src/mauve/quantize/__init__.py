"""Assign features to buckets: reduction, quantizers, and clusterings of several samples."""
