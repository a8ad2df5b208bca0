"""Languages that model cards list."""

import pytest

from mauve.embed.model_card import card_languages, parse_languages


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
