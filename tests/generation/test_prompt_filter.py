"""Prompts are well-formed English, or the filter says why they are not."""

import re
from pydoc_data.topics import topics

import pytest

from mauve.generation.prompt_filter import is_well_formed, prompt_problem

# The language reference of Python.
TEXTS = [*topics.values()]

# The two that the paper quotes, in its appendix on the human evaluation.
VIDEO = (
    "Having trouble viewing the video? Try disabling any ad blocking extensions currently running "
    "on your browser"
)
MENU = "Front Page Torrents Favorites My Home My Galleries Toplists Bounties News Forums Wiki"


class TestPaper:
    def test_both_examples_are_excluded(self):
        assert prompt_problem(VIDEO) == "words of a page about itself"
        assert prompt_problem(MENU) == "few function words"


class TestWellFormed:
    @pytest.mark.parametrize(
        "prompt",
        [
            "It rained all day, and in the evening the river was higher than it had been for ye",
            "“I wish I was a child again,” she said, “so that I would not have to worry about it.”",
            'He asked her: "Is that all?"\n\nNobody in the room had an answer to the question that',
            '"Sorry to show you this," he wrote beneath a photo that he posted on his own page.',
            "POLICE must be given the power to arrest suspects on the spot, according to a report.",
            "After 12 years at Intel, Mr. O'Neil said on Monday that he will leave the company i",
            "The court ruled 5-4 that the law of 1998 is valid — and that it has to be enforced. M",
            "RIYADH (Reuters) - More than 1 million people are now receiving benefits, the minist",
        ],
    )
    def test_is_kept(self, prompt):
        assert prompt_problem(prompt) == ""

    @pytest.mark.parametrize(
        ("prompt", "problem"),
        [
            ("", "fewer than 8 words"),
            ("It rained all day.", "fewer than 8 words"),
            ("and then it rained all day, so that the river was high", "no capital letter"),
            ("2013/12/18 09:58 It rained all day, and the river was high again", "no capital"),
            ("It is all at https://example.com/news, so that you can read it there", "an address"),
            ("Write to me@example.com if you think that this is not what you want", "an address"),
            ("If x == 3 then the loop is over, and you can return to the caller {", "markup"),
            ("Home | About us | The team | Where to find us and how to get to us", "markup"),
            ("On 12.10.2013, 4500 of 9800, and 2017, 2018, 2019 of them, it was so", "many digits"),
            (
                "Armenia Aruba Australia Austria Bahamas Bahrain Barbados Belarus Belgium",
                "function",
            ),
            (
                "IT WAS THE BEST OF TIMES, it was the worst of times, it was the age of",
                "in capitals",
            ),
            (
                "What The New Book Of The Year Should Do With Its Most Boring Part Of All",
                "begin with",
            ),
            (
                "Luxury goods in trouble\n\nA friend sent me an article that says how it is",
                "no sentence",
            ),
            (
                "By Ann Li\n\nIt rained all day, and in the evening the river was higher than",
                "no sent",
            ),
            (
                "Title: It is a hand that I have played on the bubble of the tournament",
                "no sentence",
            ),
            (
                "CLOSE Five of the states are expected to have one company that sells this",
                "no sent",
            ),
            (
                "Written by Ann Li, who has been there and who says that it was not so bad",
                "no sent",
            ),
            ("Sign up for our letters, and we will send you all the news of the day", "page about"),
            (
                "This page uses JavaScript, and it is not enabled in the program you use",
                "page about",
            ),
            ("Der Hund und die Katze sind nicht in dem Haus, sagte die Frau ihr", "function"),
        ],
    )
    def test_is_excluded_with_the_reason(self, prompt, problem):
        assert problem in prompt_problem(prompt)
        assert not is_well_formed(prompt)

    def test_most_beginnings_of_prose_are_kept(self):
        # Names and program code have marks around them, and are left out.
        paragraphs = [" ".join(p.split()) for text in TEXTS for p in text.split("\n\n")]
        prose = re.compile(r"[A-Z][^*{}<>=|~^_@\\]{170}")
        kept = [is_well_formed(begin[0]) for p in paragraphs if (begin := prose.match(p))]
        assert len(kept) > 100
        assert sum(kept) > 0.9 * len(kept)

    def test_shuffled_characters_are_not(self):
        texts = ["".join(reversed(text[:200])) for text in TEXTS]
        assert not any(map(is_well_formed, texts))
