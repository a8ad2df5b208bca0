"""Languages that model cards list."""

import shutil

import pytest

from mauve import compare
from mauve.embed.model_card import card_languages, parse_languages
from mauve.embed.registry import get_embedder
from mauve.errors import InvalidParameterError

GERMAN = "Das ist nicht das Haus, das wir gesucht haben, aber es ist auch sehr schön und alt."


@pytest.mark.parametrize(
    ("fields", "languages", "has_code"),
    [
        ("language: en", {"en"}, False),
        ("language: [en, DE]", {"en", "de"}, False),
        ("license: mit\nlanguage:\n- en\n- no\n- code\ntags: [a]", {"en", "no"}, True),
        ("language: multilingual", None, False),
        ("language:\n- multilingual\n- en", None, False),
        ("language: []", None, False),
        ("language: code", None, True),
        ("license: mit", None, False),
        ("- a list", None, False),
        ("language: [en", None, False),  # no YAML
        ("language: en\ndate: 2024-02-31", None, False),  # no such day
    ],
)
def test_front_matter(fields, languages, has_code):
    assert parse_languages(f"---\n{fields}\n---\n# A model\n") == (languages, has_code)


@pytest.mark.parametrize("card", ["", "# A model\nlanguage: en\n", "---\nlanguage: en\n"])
def test_cards_without_front_matter(card):
    assert parse_languages(card) == (None, False)


def test_folders(tmp_path):
    assert card_languages(str(tmp_path)) == (None, False)
    (tmp_path / "README.md").write_text("---\nlanguage: de\n---\n")
    assert card_languages(str(tmp_path)) == ({"de"}, False)


def test_cache_of_the_hub(tmp_path, monkeypatch):
    snapshot = tmp_path / "models--org--name" / "snapshots" / ("a" * 40)
    snapshot.mkdir(parents=True)
    (snapshot / "README.md").write_text("---\nlanguage: fr\n---\n")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    assert card_languages("org/name", "a" * 40) == ({"fr"}, False)
    assert card_languages("org/other", "a" * 40) == (None, False)
    assert card_languages("no name: at all") == (None, False)


@pytest.mark.slow
@pytest.mark.parametrize("prefix", ["", "sentence:"])
def test_embedders_read_what_their_card_says(tiny, tmp_path, prefix):
    folder = shutil.copytree(tiny("bert"), tmp_path / "model")
    reads = get_embedder(f"{prefix}{folder}", device="cpu").reads
    assert (reads.languages, reads.code) == (None, None)
    (folder / "README.md").write_text("---\nlanguage: [en, code]\n---\n")
    embedder = get_embedder(f"{prefix}{folder}", device="cpu")
    assert (embedder.reads.languages, embedder.reads.code) == ({"en"}, True)
    assert embedder.reads.max_tokens == embedder.max_length
    with pytest.raises(InvalidParameterError, match="German, and the embedder reads English"):
        compare([f"{GERMAN} {i}" for i in range(20)], [GERMAN] * 20, embedder=embedder, cache=False)
