"""How far a score can be trusted: resampling, intervals, tests, differences."""
