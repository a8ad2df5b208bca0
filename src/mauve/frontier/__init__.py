"""Turn buckets into histograms, divergences, the divergence curve and the score."""
