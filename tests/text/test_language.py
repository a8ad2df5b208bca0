"""Languages of texts that are plainly in one, and English of many kinds that is in no other."""

import random
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mauve.text.function_words import (
    FUNCTION_WORDS,
    LANGUAGE_ALIASES,
    LANGUAGE_NAMES,
    SHARED_WORDS,
)
from mauve.text.language import ANOTHER, foreign_language, known_languages, language_of

ENGLISH = known_languages(["en"])

# Article 1 of the Universal Declaration of Human Rights, or a line of common prose.
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
    "Dotados de razão e de consciência, devem agir uns para com os outros em espírito; não há "
    "outra coisa que seja mais importante.",
    "Dutch": "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Het is niet "
    "van belang waar zij zijn geboren, maar wat zij voor een ander zijn.",
    "Swedish": "Alla människor är födda fria och lika i värde och rättigheter. De har utrustats "
    "med förnuft och samvete och bör handla gentemot varandra i en anda av broderskap.",
    "Danish": "Alle mennesker er født frie og lige i værdighed og rettigheder. De er udstyret med "
    "fornuft og samvittighed, og de bør handle mod hverandre i en broderskabets ånd; det er noget, "
    "som ikke skal blive glemt af nogle.",
    "Norwegian": "Alle mennesker er født frie og med samme menneskeverd. De er utstyrt med fornuft "
    "og samvittighet og bør handle mot hverandre; det er noe som vi ikke skal glemme, og noen har "
    "vært gode til det av seg selv.",
    "Icelandic": "Hver maður er borinn frjáls og jafn öðrum að virðingu og réttindum. Menn eru "
    "gæddir vitsmunum og samvisku, og það sem þeir hafa verið að gera er ekki alltaf við hæfi.",
    "Finnish": "Kaikki ihmiset syntyvät vapaina ja tasavertaisina arvoltaan ja oikeuksiltaan. "
    "Heille on annettu järki ja omatunto, ja heidän on toimittava niin, että se on myös muille "
    "hyvä, mutta ei enemmän.",
    "Estonian": "Kõik inimesed sünnivad vabadena ja võrdsetena oma väärikuselt. Neile on antud "
    "mõistus ja see ei ole veel kõik, sest nad peavad ka teiste vastu head olema.",
    "Latvian": "Visi cilvēki piedzimst brīvi un vienlīdzīgi savā pašcieņā. Viņi ir apveltīti ar "
    "saprātu, un tas nav viss, jo arī citi var būt tādi, kas to saprot.",
    "Lithuanian": "Visi žmonės gimsta laisvi ir lygūs savo orumu. Jiems yra suteiktas protas, bet "
    "tai dar ne viskas, nes jie taip pat gali būti geri, kaip ir kiti.",
    "Polish": "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności. Nie jest ważne, "
    "że są obdarzeni rozumem, ale jak postępują wobec innych, i to przez całe życie.",
    "Czech": "Všichni lidé se rodí svobodní a sobě rovní co do důstojnosti. Jsou nadáni rozumem, "
    "který není jen pro ně, protože každý může být také dobrý, když chce.",
    "Slovak": "Všetci ľudia sa rodia slobodní a sebe rovní, čo sa týka ich dôstojnosti. Sú "
    "obdarení "
    "rozumom, ktorý nie je len pre nich, pretože každý môže byť tiež dobrý, keď chce.",
    "Slovenian": "Vsi ljudje se rodijo svobodni in imajo enako dostojanstvo. Obdarjeni so z "
    "razumom, ki ni samo za njih, ker je lahko tudi vsak drugi zelo dober, če to želi biti.",
    "Croatian": "Sva ljudska bića rađaju se slobodna i jednaka u dostojanstvu. Ona su obdarena "
    "razumom, koji nije samo za njih, jer svatko može biti dobar ako to želi, kao što je već bio.",
    "Hungarian": "Minden emberi lény szabadon születik, és egyenlő méltósága van. Az emberek "
    "ésszel bírnak, de ez nem minden, mert egy jó szó is kell, hogy legyen még valami.",
    "Romanian": "Toate ființele umane se nasc libere și egale în demnitate. Ele sunt înzestrate cu "
    "rațiune, dar nu este de ajuns, pentru că trebuie să se poarte frumos după cum au fost "
    "crescute.",
    "Albanian": "Të gjithë njerëzit lindin të lirë dhe të barabartë në dinjitet. Ata kanë arsye "
    "dhe "
    "ndërgjegje, por kjo nuk është e gjitha, që të mund të jetojnë si vëllezër me njëri-tjetrin.",
    "Turkish": "Bütün insanlar hür, haysiyet ve haklar bakımından eşit doğarlar. Akıl ve vicdana "
    "sahiptirler ve birbirlerine karşı kardeşlik için bir zihniyet ile hareket etmelidirler.",
    "Vietnamese": "Tất cả mọi người sinh ra đều được tự do và bình đẳng. Mọi người được phú cho lý "
    "trí, nhưng không phải là tất cả, vì họ cũng cần đến những người khác trong cuộc sống này.",
    "Indonesian": "Semua orang dilahirkan merdeka dan mempunyai martabat yang sama. Mereka "
    "dikaruniai akal, tetapi itu tidak cukup untuk hidup dengan orang lain dalam persaudaraan.",
    "Tagalog": "Ang lahat ng tao ay isinilang na malaya at pantay sa karangalan. Sila ay may "
    "pag-iisip, pero hindi ito sapat para sa mga tao kung wala silang budhi.",
    "Swahili": "Watu wote wamezaliwa huru, hadhi na haki zao ni sawa. Wote wamejaliwa akili, "
    "lakini "
    "si hii tu katika maisha yao, kwa kuwa kila mtu pia ana wajibu kwa wengine kama ndugu.",
    "Catalan": "Tots els éssers humans neixen lliures i iguals en dignitat. Són dotats de raó, "
    "però "
    "això no és tot, perquè també han de viure amb els altres com aquest qui és més gran.",
    "Galician": "Tódolos seres humanos nacen libres e iguais en dignidade. Están dotados de razón, "
    "pero non é todo, porque tamén teñen que vivir cos outros dunha maneira máis boa, e isto pode "
    "ser unha cousa moi importante.",
    "Basque": "Gizon-emakume guztiak aske jaiotzen dira, eta duintasun bera dute. Adimena ere "
    "badute "
    "baina hori ez da dena, beste bat bezala izan behar baitute, eta gero hobeto egin.",
    "Welsh": "Mae pawb wedi cael eu geni yn rhydd ac yn gydradd. Mae gan bawb reswm, ond nid yw "
    "hyn "
    "yn ddigon, a rhaid i ni fod fel brodyr gyda phawb sydd yn y byd hwn.",
    "Irish": "Saolaítear gach duine saor agus comhionann i ndínit. Tá bua an réasúin acu, ach ní "
    "leor é seo, mar gur cheart dóibh féin a bheith ag obair leis na daoine eile, agus tá siad "
    "ann.",
    "Afrikaans": "Alle menslike wesens word vry gebore. Hulle het rede en gewete, maar dit is nie "
    "al "
    "wat hulle moet hê nie, want ons sal ook baie vir mekaar wees, en jy met ons.",
    "Esperanto": "Ĉiuj homoj estas denaske liberaj kaj egalaj laŭ digno. Ili posedas racion, sed "
    "tio "
    "ne estas ĉio, ĉar oni ankaŭ devas konduti kun aliaj tiel, kiel ili kun ni.",
    "Latin": "Omnes homines liberi aequique dignitate nascuntur. Ratione enim sunt praediti, sed "
    "hoc "
    "non est satis, quia etiam inter se agere debent ut fratres, nec quisquam est qui hoc neget.",
}  # fmt: skip

# English that a check by lack of English would call something else.
ENGLISH_TEXTS = {
    "story": "She had not meant to stay. The rain came down on the tin roof, and when the kettle "
    "boiled over nobody moved, as if the whole house were waiting for him to speak.",
    "news": "Shares of the company fell 4.2% on Tuesday after it reported a third-quarter loss of "
    "$1.3 billion, wider than analysts had expected, the Wall Street Journal reported.",
    "poem": "O wind, rend open the heat;\ncut apart the air;\nno fruit can drop\nthrough this air;",
    "dialogue": '"You? Here?" "Why not?" "No reason." "Well then." "Well." "Tea?" "Please."',
    "tweet": "omg sooo tired lol cant even rn #monday #nope",
    "lower case": "so i was like no way and he was like yes way and i just died im not even "
    "kidding",
    "capitals": "THE COMMITTEE SHALL REPORT TO THE ASSEMBLY NO LATER THAN THE THIRD OF JUNE.",
    "loop": "the man said that the man said that the man said that the man said that the man said",
    "one word": "die die die die die die die die die die die die die die die die die die die die",
    "random words": "gravel tulip sideways bandage monsoon electric pewter lagoon thimble orchard",
    "fragments": "ing ed ly tion ment un re pre dis con est er al en ic ous ive ful ness able",
    "places": "Los Angeles, San Diego, El Paso, Las Vegas, La Jolla, Santa Fe, Del Rio, Des "
    "Moines, "
    "Baton Rouge, Buenos Aires, Rio de Janeiro, Le Mans, Den Haag, Van Nuys, Sierra Leone",
    "people": "Ludwig van Beethoven, Vincent van Gogh, Otto von Bismarck, Leonardo da Vinci, José "
    "García Márquez, Simone de Beauvoir, Ursula von der Leyen, Charles de Gaulle, Beyoncé, Björk",
    "numbers": "12 34 56 78 90 11 22 33 44 55 66 77 88 99 100 3.14 2.71 1.41 1,000 2,000",
    "table": "| name | age | city |\n|---|---|---|\n| Ann | 31 | Oslo |\n| Ben | 28 | Paris |",
    "quotation": "Voltaire ends his book with a shrug: « Cela est bien dit, mais il faut cultiver "
    "notre jardin ». It is not clear what the reader is meant to do with this advice.",
    "menu": "Café au lait, crème brûlée, soupe du jour, pâté, jalapeño poppers, piña colada, à la "
    "carte specials and our famous apple pie. Ask your server about the wines that we have.",
    "references": "Smith et al. 2004; Müller et al. 2010; De la Cruz et al. 2015; Le et al. 2019.",
    "old": "Whan that Aprille with his shoures soote the droghte of March hath perced to the roote",
    "mathematics": "Let α, β and γ be the angles; then α + β + γ = π, and sin α / a = sin β / b.",
    "emoji": "🎉🎉🎉 😂😂 ❤️ 🔥🔥🔥 👏👏👏",
    "laughter": "hahahaha ha ha ha he he no no no no me me me la la la la de da de da",
    "empty": " \n\t ",
}  # fmt: skip


@pytest.mark.parametrize("language", FUNCTION_WORDS)
def test_every_language_is_recognised(language):
    assert language_of(SENTENCES[language]) == language
    assert language_of(SENTENCES[language].upper()) == language


@pytest.mark.parametrize("language", FUNCTION_WORDS)
def test_every_language_is_foreign_to_a_reader_of_english(language):
    foreign = foreign_language(SENTENCES[language], ENGLISH)
    assert foreign == ("" if language == "English" else language)


@pytest.mark.parametrize("code", [code for code in LANGUAGE_NAMES if code != "en"])
def test_no_language_is_foreign_to_its_reader(code):
    assert foreign_language(SENTENCES[LANGUAGE_NAMES[code]], known_languages(["en", code])) == ""


def test_english_is_foreign_to_a_reader_of_german():
    assert foreign_language(SENTENCES["English"], known_languages(["de"])) == "English"


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("Кошка сидит на окне.", "Cyrillic"),
        ("Η γάτα κάθεται στο παράθυρο.", "Greek"),
        ("猫が窓のそばに座っています。", "Kana"),
        ("猫坐在窗边看着外面的雨。", "Han"),
        ("고양이가 창가에 앉아 있다.", "Hangul"),
        ("القطة تجلس عند النافذة", "Arabic"),
        ("החתולה יושבת ליד החלון", "Hebrew"),
        ("बिल्ली खिड़की पर बैठी है।", "Devanagari"),
        ("แมวนั่งอยู่ที่หน้าต่าง", "Thai"),
        ("ബിലാൽ ജനലിനരികിൽ ഇരിക്കുന്നു", "Malayalam"),
    ],
)
def test_scripts_are_foreign(text, script):
    assert foreign_language(text, ENGLISH) == f"{script} script"


def test_japanese_and_chinese_share_han():
    japanese = known_languages(["ja"])
    assert foreign_language("猫が窓のそばに座っています。", japanese) == ""
    assert foreign_language("東京都知事選挙公報", japanese) == ""  # no kana in a headline
    assert (
        foreign_language("猫が窓のそばに座っています。", known_languages(["zh"])) == "Kana script"
    )


@pytest.mark.parametrize("kind", ENGLISH_TEXTS)
def test_english_of_any_kind_is_not_foreign(kind):
    text = ENGLISH_TEXTS[kind]
    for variant in (text, text.lower(), text.upper(), text.replace(".", "").replace(",", "")):
        assert foreign_language(variant, ENGLISH) == ""


WORDS = [word for text in ENGLISH_TEXTS.values() for word in text.split()]
PROSE = [*chain(SENTENCES["English"].split(), ENGLISH_TEXTS["story"].split())]


@pytest.mark.slow
@settings(max_examples=200)
@given(st.permutations(PROSE), st.integers(1, 30))
def test_shuffled_and_repeated_english_is_not_foreign(words, times):
    assert foreign_language(" ".join(words * times), ENGLISH) == ""


@pytest.mark.slow
@settings(max_examples=300)
@given(st.lists(st.sampled_from(PROSE), min_size=1, max_size=60))
def test_any_words_of_english_prose_are_not_foreign(words):
    assert foreign_language(" ".join(words), ENGLISH) == ""


@settings(max_examples=200)
@given(st.text(alphabet=st.characters(codec="ascii"), max_size=300))
def test_noise_in_ascii_raises_nothing(text):
    assert foreign_language(text, ENGLISH) in {"", *FUNCTION_WORDS}


def test_a_shuffle_of_german_remains_german():
    words = SENTENCES["German"].split()
    random.Random(0).shuffle(words)
    assert foreign_language(" ".join(words), ENGLISH) == "German"


def test_a_text_of_two_languages_is_the_one_it_is_mostly_in():
    german, english = SENTENCES["German"], SENTENCES["English"]
    assert foreign_language(f"{english} {german[:60]}", ENGLISH) == ""
    assert foreign_language(f"{german} {german} {english[:60]}", ENGLISH) == "German"


@pytest.mark.parametrize("text", ["", "Yes.", "the", "the und", "word " * 500, "foo bar " * 30])
def test_nothing_is_said_of_too_little(text):
    assert language_of(text) == ""


def test_unlisted_languages_are_another():
    somali = (
        "Aadanaha dhammaantiis wuxuu dhashaa isagoo xor ah kana siman xagga sharafta iyo xuquuqda. "
        "Waxaa Alle siiyay aqoon iyo wacyi, waana in qof la arkaa qofka kale ula dhaqmaa si "
        "walaaltinimo ah. Qof kasta wuxuu xaq u leeyahay dhammaan xuquuqda iyo xorriyaadka ku cad "
        "baaqan, iyadoon loo eegin midab, jinsi, luqad, diin ama aragti siyaasadeed."
    )
    assert language_of(somali) == ANOTHER


def test_lists_of_words():
    english = FUNCTION_WORDS["English"]
    for name, words in FUNCTION_WORDS.items():
        assert len(words) >= 25
        assert not words & SHARED_WORDS.get(name, frozenset())
        assert name == "English" or not words & english
    assert set(LANGUAGE_ALIASES.values()) <= set(LANGUAGE_NAMES)


@pytest.mark.parametrize(
    ("codes", "names", "scripts"),
    [
        (["en"], {"English"}, {"Latin"}),
        (["pt-BR", "zh_CN"], {"Portuguese"}, {"Latin", "Han"}),
        (["nb", "sr"], {"Norwegian", "Croatian"}, {"Latin", "Cyrillic"}),
        (["ru"], set(), {"Cyrillic"}),
    ],
)
def test_known_languages(codes, names, scripts):
    known = known_languages(codes)
    assert (known.names, known.scripts) == (names, scripts)


def test_a_code_that_is_not_known_leaves_all_open():
    assert known_languages(["en", "tlh"]) is None
