"""Quantify the uncertainty of scores: resampling, intervals, tests, paired differences."""
