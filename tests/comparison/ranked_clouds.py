"""Features of human texts and of systems at growing distances."""

import numpy as np

# 100 texts per sample in 8 buckets raise no warning.
QUICK = {"num_buckets": 8, "n_clusterings": 5, "n_permutations": 20}


def clouds(seed, n=150, d=4):
    rng = np.random.default_rng(seed)
    systems = {
        name: rng.normal(size=(n, d)) + shift
        for name, shift in (("far", 1.5), ("near", 0.1), ("middle", 0.6))
    }
    return rng.normal(size=(n, d)), systems
