"""Numbered changes of the tables of a study, applied in order; each is an SQL file beside this."""
