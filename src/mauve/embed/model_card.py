"""Read the languages of a model from its model card, a README.md with YAML at its top."""

import re
from pathlib import Path

_FRONT_MATTER = re.compile(r"\A\s*---[ \t]*\n(.*?)\n---[ \t]*(?:\n|\Z)", re.DOTALL)


def card_languages(model: str, commit: str | None = None) -> tuple[frozenset[str] | None, bool]:
    """Return the languages that a model's card lists, and whether code is among them.

    Parameters
    ----------
    model : str
        Folder, or name on the hub; of the latter the card is read only if it is in the cache of
        the hub, since nothing is downloaded for it.
    commit : str, optional
        Commit of a model on the hub.

    Returns
    -------
    languages : frozenset of str, or None
        Codes as the card writes them; None without a card, without a list in it, or for
        "multilingual", which does not say which.
    code : bool
        Whether the card lists "code".

    Examples
    --------
    >>> card_languages("no-such-folder")
    (None, False)
    """
    card = _find_card(model, commit)
    try:
        text = "" if card is None else card.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None, False
    return parse_languages(text)


def parse_languages(card: str) -> tuple[frozenset[str] | None, bool]:
    r"""Return the languages in the text of a model card, as :func:`card_languages` does.

    Examples
    --------
    >>> languages, code = parse_languages("---\nlanguage:\n- en\n- de\n- code\n---\n# A model")
    >>> sorted(languages), code
    (['de', 'en'], True)
    >>> parse_languages("---\nlanguage: multilingual\n---\n")
    (None, False)
    """
    import yaml  # type: ignore[import-untyped]  # comes with huggingface_hub

    found = _FRONT_MATTER.match(card)
    if found is None:
        return None, False
    try:
        fields = yaml.safe_load(found[1])
    except (yaml.YAMLError, ValueError):  # the latter for a date that does not exist
        return None, False
    listed = fields.get("language") if isinstance(fields, dict) else None
    # "no" is Norwegian, and False in YAML.
    items = listed if isinstance(listed, list) else [] if listed is None else [listed]
    codes = {"no" if item is False else str(item).strip().lower() for item in items}
    languages = frozenset(codes - {"code"})
    if not languages or "multilingual" in languages:
        return None, "code" in codes
    return languages, "code" in codes


def _find_card(model: str, commit: str | None) -> Path | None:
    folder = Path(model)
    if folder.is_dir():
        return folder / "README.md"
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        path = try_to_load_from_cache(model, "README.md", revision=commit)
    except HFValidationError:  # no name of a model
        return None
    return Path(path) if isinstance(path, str) else None
