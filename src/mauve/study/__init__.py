"""The human evaluation of the paper: a study that collects ratings, and its analysis."""
