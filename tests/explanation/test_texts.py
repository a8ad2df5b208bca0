"""Ranking of texts: ties, and copies of one text."""

import numpy as np
from numpy.testing import assert_allclose

from mauve.explanation.texts import PairTexts


class TestPairTexts:
    def test_ties_go_to_the_more_typical(self):
        pair = PairTexts(
            ("human", "model"), 1, np.array([0.0, 0.2, 0.2, 0.1]),
            np.array([1.0, 0.3, 0.8, 0.9]), np.ones(4, dtype=np.int64), ["a", "b", "c", "b"],
        )  # fmt: skip
        rows = np.arange(1, 4)
        assert [share.index for share in pair.most(rows, pair.contributions, None)] == [1, 0, 2]
        assert [share.text for share in pair.most(rows, pair.contributions, 3)] == ["c", "b"]
        assert_allclose(pair.log_ratios, [0.0, 0.6, 0.6, 0.3])

    def test_features_have_no_copies(self):
        pair = PairTexts(
            ("human", "model"), 1, np.zeros(4), np.zeros(4), np.ones(4, dtype=np.int64), None
        )
        shares = pair.most(np.arange(4), pair.contributions, 4)
        assert [share.sample for share in shares] == ["human", "model", "model", "model"]
        assert shares[0].text is None
