"""Scripts of texts."""

import pytest

from mauve.text.scripts import script_of


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Plain text", "Latin"),
        ("Tiếng Việt", "Latin"),
        ("Ελληνικά", "Greek"),
        ("Русский текст", "Cyrillic"),
        ("Հայերեն", "Armenian"),
        ("עברית", "Hebrew"),
        ("العربية", "Arabic"),
        ("हिन्दी", "Devanagari"),
        ("বাংলা", "Bengali"),
        ("தமிழ்", "Tamil"),
        ("తెలుగు", "Telugu"),
        ("ภาษาไทย", "Thai"),
        ("ქართული", "Georgian"),
        ("አማርኛ", "Ethiopic"),
        ("ភាសាខ្មែរ", "Khmer"),
        ("한국어", "Hangul"),
        ("日本語を話します", "Kana"),
        ("我说中文", "Han"),
        ("𠀀𠀁", "Han"),
        ("", ""),
        ("42 × 3 ÷ 7 = 18 🎉", ""),
        ("\ud800", ""),
    ],
)
def test_scripts(text, script):
    assert script_of(text) == script


def test_most_letters_decide():
    assert script_of("GPT-4 говорит по-русски") == "Cyrillic"
    assert script_of("The word Привет is Russian") == "Latin"
