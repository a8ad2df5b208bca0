"""Each step of normalisation removes its difference of form and nothing else."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mauve.errors import InvalidParameterError
from mauve.text.normalize import normalize_texts, prepare_texts
from mauve.text.steps import JOINT_STEPS, NORMALIZE_STEPS, check_steps, normalize_text

OF_ONE_TEXT = [step for step in NORMALIZE_STEPS if step not in JOINT_STEPS]
# All that the steps look at, and letters whose forms depend on each other.
MARKS = (
    "ab A1.!?\"'*_`~#>|-–—…“”’′″•[](x)\\\n\t\r \u00a0\u200b\u00ad\ufeff½ﬁßŉİＡ＊´¨。！,;<&😀★\ufe0f"
)
MARKED = st.text(st.sampled_from(MARKS), max_size=40)


class TestNames:
    def test_every_step_has_a_line(self):
        assert [*NORMALIZE_STEPS] == [
            "prompt", "markup", "emoji", "typography", "unicode", "space", "ends", "case",
            "sentences", "length",
        ]  # fmt: skip
        assert all(line and "\n" not in line for line in NORMALIZE_STEPS.values())

    @given(st.permutations([*NORMALIZE_STEPS]))
    def test_order_does_not_matter(self, names):
        assert check_steps(names) == check_steps(",".join(names)) == tuple(NORMALIZE_STEPS)

    @pytest.mark.parametrize(
        ("value", "end"),
        [
            ("spce", "Got 'spce' instead: write 'space'."),
            ("ends,quotes", "Got 'quotes' instead: write 'typography'."),
            ("", "Got '' instead."),
            (["ends", 3], "Got 3 instead."),
            (7, "Got 7 instead."),
            ({"ends": True}, "Got {'ends': True} instead."),
        ],
    )
    def test_bad_names_are_answered_with_all_steps(self, value, end):
        with pytest.raises(InvalidParameterError) as caught:
            normalize_texts({"human": ["a"]}, value)
        message = str(caught.value)
        assert message.startswith("'normalize' must be names of steps, prompt, markup, emoji, typo")
        assert message.endswith(end)

    def test_steps_of_several_texts_can_be_excluded(self):
        with pytest.raises(InvalidParameterError, match=r"names of steps, markup, .* Got 'length'"):
            check_steps("length", without=JOINT_STEPS)


@pytest.mark.parametrize(
    ("step", "text", "expected"),
    [
        ("ends", "\n a  b\u00a0", "a  b"),
        ("space", " a\n\n\tb\u00a0 c", " a b c"),
        ("space", 'So , "no  ?" he said . . . \n.', 'So, "no?" he said....'),
        ("space", "a .NET :-) - ,x 5 .5", "a .NET :-) - ,x 5 .5"),
        ("emoji", "✅ Done 🎉 well 👩‍🚀. ★★ 1️⃣ I ❤️ it", "Done well. I it"),
        ("emoji", "\n🎉 a\n b 🇩🇪\n", "\na\n b\n"),
        ("emoji", "½ … © • 10% é #1 *", "½ … © • 10% é #1 *"),
        ("markup", "<p>One<br/>two</p>", "\nOne\ntwo\n"),
        ("markup", "a <b>b</b> <a href='x?y=1' id=2>c</a><!-- no -->", "a b c"),
        ("markup", "1 &lt; 2 &amp;amp; &#39;3&#x27;", "1 < 2 & '3'"),
        ("markup", "<sic> a<b and c>d, <3 R&D; &c; x<br", "<sic> a<b and c>d, <3 R&D; &c; x<br"),
        ("typography", "“It’s 5′ 3″” – no — so…", "\"It's 5' 3\"\" - no -- so..."),
        ("typography", "ﬁnd «the» ‘oﬃce’", "find \"the\" 'office'"),
        ("typography", "naïve • “”", 'naïve • ""'),
        ("unicode", "\ufeffso\u00adft Ａ①\u200b e\u0301", "soft A1 é"),
        ("case", "The Straße IS", "the strasse is"),
        ("sentences", "One. Two? Thr", "One. Two?"),
        ("sentences", 'He said: "Go!" And th', 'He said: "Go!"'),
        ("sentences", "Yes. We met Mr. Smith of the U.S. in 3.5 ho", "Yes."),
        ("sentences", "So it was I. And th", "So it was I."),
        ("sentences", "我喜欢猫。我也", "我喜欢猫。"),
        ("sentences", "no end", "no end"),
        ("sentences", "Done. \n", "Done. \n"),
        ("markup", "# Title #\n\ntext", "Title\n\ntext"),
        ("markup", "- one\n* two\n  + 3\n10) four\n• five\n•six", "one\ntwo\n3\nfour\nfive\nsix"),
        ("markup", "**a** b*c*d *e f* __g__ _h_ i_j_k", "a b*c*d e f g h i_j_k"),
        ("markup", "use `x = 1` and ```y```", "use x = 1 and y"),
        ("markup", "```python\nx = 1\n```\nend", "x = 1\nend"),
        ("markup", "see [the page](http://a.org/b) and ![a cat](c.png)", "see the page and a cat"),
        ("markup", "> > quoted\n> more", "quoted\nmore"),
        ("markup", "a\n\n---\n* * *\nb", "a\n\nb"),
        ("markup", "| a | b |\n|---|:--|\n| 1 | 2 |", "a b\n1 2"),
        ("markup", "the **unfin", "the unfin"),
        ("markup", "- [x] done\n- [ ] not", "done\nnot"),
        *(
            ("markup", text, text)
            for text in ("2 * 3 * 4 - 5, 5*3*2", "a_b_c, C#, a > b | c", "1984. It was cold")
        ),
    ],
)  # fmt: skip
def test_step(step, text, expected):
    assert normalize_text(text, [step]) == expected


@given(MARKED, st.sets(st.sampled_from(OF_ONE_TEXT), min_size=1))
def test_twice_is_once(text, names):
    steps = check_steps([*names])
    once = normalize_text(text, steps)
    assert normalize_text(once, steps) == once
    for step in steps:
        assert normalize_text(once, [step]) == once


@given(st.text(), st.sets(st.sampled_from(OF_ONE_TEXT), min_size=1))
def test_twice_is_once_for_any_text(text, names):
    steps = check_steps([*names])
    once = normalize_text(text, steps)
    assert normalize_text(once, steps) == once


@given(st.lists(MARKED.filter(lambda text: text.split()), min_size=1))
def test_cut_to_one_length_once(texts):
    samples, recipe = normalize_texts({"human": texts}, "length")
    assert normalize_texts(samples, "length") == (samples, recipe)


@given(st.text(st.sampled_from("abc DE.,!?\n"), max_size=40))
def test_plain_text_has_neither_typography_nor_marks(text):
    assert normalize_text(text, ["typography", "unicode"]) == text


class TestSamples:
    def test_shortcuts_are_steps(self):
        given = {"human": [" one two", "one "], "model": ["one two three", "one"]}
        shortcuts = prepare_texts(given, strip=True, same_length=True)
        assert shortcuts == normalize_texts(given, "length,ends")
        assert shortcuts[1] == "strip+words1"
        assert prepare_texts(given, strip=True)[1] == normalize_texts(given, "ends")[1] == "strip"
        assert prepare_texts(given, strip=True, normalize="ends,case")[1] == "strip+case"

    def test_recipe_names_the_steps_in_their_order(self):
        steps = "length,space,markup,prompt,unicode,typography,ends,case,sentences"
        _, recipe = normalize_texts({"human": ["One, two."], "m": ["A text."]}, steps)
        assert recipe == "prompt+markup+typography+unicode+space+strip+case+sentences+words2"

    def test_no_steps(self):
        assert normalize_texts({"human": [" a"]}, None) == ({"human": [" a"]}, "")

    @pytest.mark.parametrize(
        ("steps", "step", "texts"),
        [
            ("markup,space", "markup", ["a", "---"]),
            ("ends,case", "ends", ["a", " \n"]),
            ("unicode", "unicode", ["a", "\u200b"]),
            ("prompt", "prompt", ["The old house by the sea b", "The old house by the sea"]),
        ],
    )
    def test_a_text_that_a_step_empties_names_the_step(self, steps, step, texts):
        human = ["The old house by the sea was empty."] * 2
        with pytest.raises(
            InvalidParameterError,
            match=rf"'m' must hold texts that are not empty\. Got ones that the step '{step}' "
            "leaves empty at position 1 instead: remove them",
        ):
            prepare_texts({"human": human, "m": texts}, normalize=steps)
        kept, _ = prepare_texts({"human": human, "m": texts}, normalize=steps, empty="keep")
        assert kept["m"][1] == ""


PROMPTS = ["The old house by the sea", "In the town of my youth, long ago"]
HUMAN = [f"{prompt} {word} was here." for prompt in PROMPTS for word in ("somebody", "a man")]
MODEL = [f"{prompt} {word} and so on." for prompt in PROMPTS for word in ("it rains", "noise")]


class TestPrompts:
    def test_found(self):
        samples, _ = normalize_texts({"human": HUMAN, "m": MODEL}, "prompt")
        assert samples["human"] == ["somebody was here.", "a man was here."] * 2
        assert samples["m"] == ["it rains and so on.", "noise and so on."] * 2

    def test_given(self):
        prompts = {"human": ["The old", "The old", "In the", "In the"], "m": ["x"] * 4}
        samples, _ = normalize_texts({"human": HUMAN, "m": MODEL}, "prompt", prompts)
        assert samples["human"][0] == "house by the sea somebody was here."
        assert samples["m"] == MODEL

    def test_given_that_no_text_begins_with_are_looked_for(self):
        prompts = {"human": [*"1122"], "m": [*"1122"]}
        given = {"human": HUMAN, "m": MODEL}
        assert normalize_texts(given, "prompt", prompts) == normalize_texts(given, "prompt")

    def test_a_prompt_ends_with_a_word(self):
        given = {"human": ["It was a bright cold day."], "m": ["It was a bright cold dawn."]}
        samples, _ = normalize_texts(given, "prompt")
        assert samples == {"human": ["day."], "m": ["dawn."]}

    def test_texts_without_a_prompt_stay(self):
        odd = "Nothing of the kind."
        samples, _ = normalize_texts({"human": HUMAN, "m": [*MODEL, odd]}, "prompt")
        assert samples["m"][-1] == odd

    def test_a_few_texts_that_begin_alike_have_no_prompt(self):
        others = [f"{i} texts that begin as they like." for i in range(4)]
        given = {"human": [*HUMAN, *others], "m": [f"Another {t}" for t in others] * 2}
        assert normalize_texts(given, "prompt")[0] == given

    def test_copies_share_no_prompt(self):
        given = {"human": HUMAN[:1], "m": HUMAN[:1]}
        assert normalize_texts(given, "prompt")[0] == given

    def test_systems_that_begin_alike_beyond_the_prompt_keep_what_they_wrote(self):
        prompt = PROMPTS[0]
        given = {
            "human": [f"{prompt} stood."],
            "a": [f"{prompt} the same long continuation."],
            "b": [f"{prompt} the same long continuation, too."],
        }
        samples, _ = normalize_texts(given, "prompt")
        assert samples["a"] == ["the same long continuation."]
        assert samples["b"] == ["the same long continuation, too."]


def test_every_pair_of_steps_is_its_two_steps():
    text = "  ## “The END” …\n\n- **of** it all. And th"
    for pair in combinations(OF_ONE_TEXT, 2):
        both = normalize_text(text, pair)
        assert all(normalize_text(both, [step]) == both for step in pair)
