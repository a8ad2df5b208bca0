"""A limit draws texts at random, by content alone, and keeps prompts and metadata in step."""

import numpy as np
import pandas as pd
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from mauve.embed.limit import draw_rows
from mauve.embed.load import load_samples
from mauve.errors import InvalidParameterError
from mauve.hashes import text_hashes


def lengths(texts):
    """An embedder that needs no model."""
    return np.array([[len(text), 1.0] for text in texts])


def records(n, name="text"):
    return [{"text": f"{name} {i}", "number": i} for i in range(n)]


def drawn(texts, limit, seed=0, prompts=None):
    of_prompts = None if prompts is None else {"a": prompts}
    return draw_rows({"a": text_hashes(texts)}, of_prompts, limit, seed)["a"]


class TestDraw:
    @settings(max_examples=50)
    @given(
        st.lists(st.sampled_from("abcdefghij"), min_size=1, max_size=40),
        st.integers(1, 40),
        st.integers(0, 5),
        st.randoms(use_true_random=False),
    )
    def test_the_order_of_the_texts_does_not_matter(self, texts, limit, seed, random):
        other = random.sample(texts, len(texts))
        taken = [sorted(ts[i] for i in drawn(ts, limit, seed)) for ts in (texts, other)]
        assert taken[0] == taken[1]
        assert len(taken[0]) == min(limit, len(texts))

    def test_a_larger_limit_adds_texts(self):
        texts = [str(i) for i in range(500)]
        assert set(drawn(texts, 100)) < set(drawn(texts, 101))

    def test_seeds_draw_different_texts(self):
        texts = [str(i) for i in range(1000)]
        shared = set(drawn(texts, 100, 0)) & set(drawn(texts, 100, 1))
        # Hypergeometric with mean 10: beyond 30 once in 10^9 seeds.
        assert len(shared) <= 30

    def test_every_text_is_drawn_equally_often(self):
        counts = np.zeros(50)
        for seed in range(400):
            counts[drawn([str(i) for i in range(50)], 10, seed)] += 1
        # Of 400 draws with probability 1/5; the seeds are fixed, so this cannot vary.
        assert scipy.stats.chisquare(counts).pvalue > 0.001

    def test_copies_are_drawn_by_their_share(self):
        """Drawn by hash alone, all copies of a text would be taken or none."""
        texts = ["copy"] * 500 + [str(i) for i in range(500)]
        shares = [np.mean(drawn(texts, 100, seed) < 500) for seed in range(50)]
        assert np.mean(shares) == pytest.approx(0.5, abs=0.03)  # four standard errors of 0.007
        assert 0.3 < min(shares) < max(shares) < 0.7

    def test_prompts_stay_whole(self):
        prompts = [f"prompt {i // 5}" for i in range(100)]
        rows = drawn([str(i) for i in range(100)], 32, 0, prompts)
        sizes = np.unique([prompts[row] for row in rows], return_counts=True)[1]
        assert sorted(sizes) == [2, 5, 5, 5, 5, 5, 5]

    def test_samples_of_the_same_prompts_keep_the_same_ones(self):
        rng = np.random.default_rng(0)
        prompts = {"a": [f"p{i}" for i in range(200)], "b": [f"p{i}" for i in rng.permutation(200)]}
        hashes = {name: text_hashes([name + p for p in of]) for name, of in prompts.items()}
        rows = draw_rows(hashes, prompts, 50, 3)
        taken = [{prompts[name][row] for row in rows[name]} for name in "ab"]
        assert taken[0] == taken[1]
        assert len(taken[0]) == 50


class TestLoad:
    def test_texts_metadata_and_prompts_stay_together(self):
        sources = {"human": records(60), "m": records(40, "other"), "few": records(15, "few")}
        prompts = {name: [f"p{r['number']}" for r in of] for name, of in sources.items()}
        samples = load_samples(sources, limit=20, prompts=prompts, embedder=lengths)
        assert samples.sizes == {"human": 20, "m": 20, "few": 15}
        assert samples.n_given == {"human": 60, "m": 40, "few": 15}
        assert [*samples.kept] == ["human", "m"]
        for name, texts in samples.texts.items():
            numbers = samples.metadata[name]["number"]
            assert [text.split()[-1] for text in texts] == [str(n) for n in numbers]
            assert samples.prompts[name] == [f"p{n}" for n in numbers]

    def test_the_recipe_names_it(self):
        sources = {"human": records(60), "m": records(40)}
        assert load_samples(sources, limit=20, strip=True, embedder=lengths).recipe == (
            "limit20+strip"
        )
        assert load_samples(sources, limit=60, embedder=lengths).recipe == ""

    def test_features(self):
        features = np.random.default_rng(0).normal(size=(2, 50, 3))
        first = load_samples({"human": features[0], "m": features[1]}, limit=20)
        shuffled = load_samples({"human": features[0, ::-1], "m": features[1]}, limit=20)
        assert first.recipe == "features-3:limit20"
        assert {*map(tuple, first.features["human"])} == {*map(tuple, shuffled.features["human"])}
        assert {*map(tuple, first.features["human"])} < {*map(tuple, features[0])}
        other_seed = load_samples({"human": features[0], "m": features[1]}, limit=20, seed=1)
        assert {*first.kept["human"]} != {*other_seed.kept["human"]}

    @pytest.mark.parametrize("as_type", [list, np.array, pd.Series])
    def test_metadata_of_all_texts_is_cut_to_those_drawn(self, as_type):
        sources = {"human": records(60), "m": records(15)}
        samples = load_samples(sources, limit=20, embedder=lengths)
        given = {"human": {"n": as_type(range(60))}, "m": {"n": as_type(range(15))}}
        aligned = samples.aligned(given)
        assert aligned["human"]["n"] == samples.metadata["human"]["number"]
        assert aligned["m"] is not None
        assert list(aligned["m"]["n"]) == [*range(15)]

    @pytest.mark.parametrize("seed", range(5))
    def test_empty_texts_are_named_by_their_position_before_the_draw(self, seed):
        texts = [f"text {i}" for i in range(58)] + [" ", "last"]
        sources = {"human": texts, "m": records(40)}
        with pytest.raises(InvalidParameterError, match=r"'human' .* leaves empty at position 58 "):
            load_samples(sources, limit=20, seed=seed, strip=True, embedder=lengths)
        assert load_samples(sources, limit=20, seed=seed, embedder=lengths).sizes["human"] == 20

    @pytest.mark.parametrize("limit", [0, 9, 2.5, "20", True])
    def test_limits_that_are_none(self, limit):
        with pytest.raises(InvalidParameterError, match=r"'limit' .* an int of at least 10"):
            load_samples({"human": records(60)}, limit=limit, min_texts=10, embedder=lengths)
