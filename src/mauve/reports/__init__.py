"""Results as one page: a file that opens anywhere and needs nothing else."""
