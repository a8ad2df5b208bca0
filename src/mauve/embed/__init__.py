"""From texts to features: embedders by name, batches, the cache."""
