"""Scripts and languages of texts that are plainly in one."""

from itertools import combinations

import pytest

from mauve.text.language import ANOTHER, FUNCTION_WORDS, language_of, script_of

# Article 1 of the Universal Declaration of Human Rights, and a line of common prose each.
SENTENCES = {
    "English": "All human beings are born free and equal in dignity and rights. They are endowed "
    "with reason and conscience and should act towards one another in a spirit of brotherhood.",
    "German": "Alle Menschen sind frei und gleich an Würde und Rechten geboren. Sie sind mit "
    "Vernunft und Gewissen begabt und sollen einander im Geist der Brüderlichkeit begegnen.",
    "French": "Tous les êtres humains naissent libres et égaux en dignité et en droits. Ils sont "
    "doués de raison et doivent agir les uns envers les autres dans un esprit de fraternité.",
    "Spanish": "Todos los seres humanos nacen libres e iguales en dignidad y derechos y, dotados "
    "como están de razón y conciencia, deben comportarse fraternalmente los unos con los otros.",
    "Italian": "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Essi sono "
    "dotati di ragione e di coscienza e devono agire gli uni verso gli altri.",
    "Portuguese": "Todos os seres humanos nascem livres e iguais em dignidade e em direitos. "
    "Dotados de razão e de consciência, devem agir uns para com os outros em espírito.",
    "Dutch": "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Het is niet "
    "van belang waar zij zijn geboren, maar wat zij voor een ander zijn.",
    "Swedish": "Alla människor är födda fria och lika i värde och rättigheter. De har utrustats "
    "med förnuft och samvete och bör handla gentemot varandra i en anda av broderskap.",
    "Polish": "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności. Nie jest ważne, "
    "że są obdarzeni rozumem, ale jak postępują wobec innych, i to przez całe życie.",
    "Turkish": "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana "
    "sahiptirler ve birbirlerine karşı kardeşlik için bir zihniyet ile hareket etmelidirler.",
}
FINNISH = (
    "Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan. Heille on "
    "annettu järki ja omatunto, ja heidän on toimittava toisiaan kohtaan veljeyden hengessä. "
    "Jokainen on oikeutettu kaikkiin tässä julistuksessa esitettyihin oikeuksiin ja vapauksiin "
    "ilman minkäänlaista rotuun, väriin, sukupuoleen, kieleen, uskontoon, poliittiseen tai muuhun "
    "mielipiteeseen, kansalliseen tai yhteiskunnalliseen alkuperään perustuvaa erotusta."
)


@pytest.mark.parametrize("language", FUNCTION_WORDS)
def test_every_language_is_recognised(language):
    assert language_of(SENTENCES[language]) == language
    assert language_of(SENTENCES[language].upper()) == language


def test_other_languages_are_another():
    assert language_of(FINNISH) == ANOTHER


@pytest.mark.parametrize("text", ["", "Yes.", "the", "the und", "word " * 500, "foo bar " * 30])
def test_nothing_is_said_of_too_little(text):
    assert language_of(text) == ""


def test_function_words_speak_for_one_language_each():
    for (_, first), (_, second) in combinations(FUNCTION_WORDS.items(), 2):
        assert not first & second
    assert {len(words) >= 20 for words in FUNCTION_WORDS.values()} == {True}


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
