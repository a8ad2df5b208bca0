"""The human evaluation of the paper: a study that collects ratings, and its analysis.

``mauve.study.store`` keeps a study in a database and needs the ``study`` extra; the analysis of
ratings needs nothing but the package.
"""
