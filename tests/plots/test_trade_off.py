"""Perplexity against entropy: a line for each model, in the order of its temperatures."""

import warnings

import numpy as np
import pytest

import mauve
from mauve.errors import InvalidParameterError
from mauve.plots.trade_off import frontiers, plot_trade_off, setting_of

_WORDS = "the a river house old man saw came into night rain and then he she went home far".split()  # noqa: SIM905


def texts(n_words, seed, n=30):
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(_WORDS[:n_words], 30)) for _ in range(n)]


@pytest.fixture(scope="module")
def measured():
    systems = {"m@t=1.0": texts(12, 1), "m@t=0.5": texts(4, 2), "other": texts(8, 3)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mauve.MauveWarning)
        return mauve.measure(texts(18, 0), systems, "token-entropy,rep-2,frechet", progress=False)


def test_names_hold_models_and_settings():
    assert setting_of("a@temperature=0.7") == ("a", 0.7)
    assert setting_of("a@top-p:0.9") == ("a", 0.9)
    assert setting_of("a@nucleus") is None
    assert setting_of("@1") is None
    assert frontiers(["x@t=10", "x@t=9"]) == {"x": ["x@t=9", "x@t=10"]}


def test_a_model_is_one_line_in_the_order_of_its_settings(measured):
    ax = plot_trade_off(measured, y="rep-2")
    lines = {line.get_label(): line for line in ax.lines}
    x, y = lines["m"].get_data()
    for i, name in enumerate(("m@t=0.5", "m@t=1.0")):
        assert x[i] == measured[name]["token-entropy"].value
        assert y[i] == measured[name]["rep-2"].value
    assert len(lines["other"].get_xdata()) == 1
    human = lines["_human"]
    assert human.get_xdata()[0] == measured.human["token-entropy"].value
    assert {"0.5", "1", "human"} <= {text.get_text() for text in ax.texts}
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["m", "other"]
    ax.figure.canvas.draw()


def test_both_must_be_statistics_that_were_measured(measured):
    with pytest.raises(InvalidParameterError, match=r"'token-entropy', 'rep-2'. Got 'perplexity'"):
        plot_trade_off(measured)
    with pytest.raises(InvalidParameterError, match="Got 'frechet' instead"):
        plot_trade_off(measured, y="frechet")
