"""Compare samples of any size: the same stages over shards, out of core or on Ray."""
