"""Examples of the tasks: drawn, split, cut, counted."""

import json
import warnings

import numpy as np
import pytest
from generation_tokenizers import Bundled, Bytes, Letters

from mauve.errors import InvalidParameterError, MauveWarning
from mauve.generation.tasks import TASKS, Task, get_task, read_examples

TEXTS = [f"{i} is the number of a text that has a few words more than others." for i in range(50)]


def read(source, task="text", tokenizer=None, **options):
    return read_examples(task, source, tokenizer=tokenizer or Letters(), **options)


class TestTasks:
    def test_of_the_paper(self):
        sizes = {name: (task.prompt_tokens, task.max_tokens) for name, task in TASKS.items()}
        assert sizes["webtext"] == (35, 989)
        assert sizes["news"] == (None, 1024)
        assert sizes["stories"] == (50, 462)

    def test_of_ones_own(self):
        task = Task("mine", 2, 3)
        assert get_task(task) is task
        assert read(["abcdefgh"], task)[0].reference == "cde"

    @pytest.mark.parametrize("bad", ["story", None, 3])
    def test_that_is_none(self, bad):
        with pytest.raises(
            InvalidParameterError, match=r"'task' .* one of 'webtext', 'news', 'stor"
        ):
            read(TEXTS, bad)

    @pytest.mark.parametrize(("name", "tokens"), [("webtext", 35), ("stories", 50)])
    def test_prompt_and_reference_have_the_tokens_of_the_task(self, name, tokens):
        text = " ".join(TEXTS) * 3
        [example] = read([text], name, Bundled())
        assert len(Bundled().encode(example.prompt)) == example.n_prompt_tokens == tokens
        assert example.n_tokens == TASKS[name].max_tokens
        assert text.startswith(example.prompt + example.reference)
        assert not example.ended

    def test_stories_follow_their_situation(self):
        record = {"prompt": "The sun does not rise.", "text": "It was dark."}
        [example] = read([record], "stories", prompt_tokens=26, max_tokens=100)
        assert (example.prompt, example.reference) == ("The sun does not rise.\n\nIt", " was dark.")
        assert example.ended

    def test_news_follow_title_and_metadata(self):
        article = {"title": "Rain", "domain": "a.org", "article": "It rained.", "url": "a.org/1"}
        [example] = read([article], "news", max_tokens=5)
        assert (example.prompt, example.reference) == ("a.org\n\nRain\n\n", "It ra")
        assert (example.id, example.n_prompt_tokens, example.n_tokens) == ("a.org/1", None, 5)
        assert example.metadata == {"title": "Rain", "domain": "a.org", "url": "a.org/1"}
        with pytest.raises(InvalidParameterError, match="leave it out, or use another task"):
            read([article], "news", prompt_tokens=3)

    def test_texts_with_prompts_keep_them(self):
        rows = [{"prompt": "Once", "text": " upon a time"}]
        assert read(rows, max_tokens=5)[0].prompt == "Once"
        assert read(rows, max_tokens=5)[0].reference == " upon"
        [example] = read(rows, prompt_tokens=6, max_tokens=5)
        assert (example.prompt, example.reference) == ("Once u", "pon a")

    def test_texts_of_which_some_have_prompts(self):
        rows = [{"prompt": "Once", "text": " upon a time"}, {"text": "Now"}]
        with pytest.raises(
            InvalidParameterError, match=r"in every record, .* at position 1 instead"
        ):
            read(rows)


class TestDraw:
    def test_does_not_depend_on_the_order(self):
        rows = [{"text": text, "id": i} for i, text in enumerate(TEXTS)]
        expected = read(rows, n=20, seed=3)
        rng = np.random.default_rng(0)
        assert read([rows[i] for i in rng.permutation(50)], n=20, seed=3) == expected

    def test_fewer_are_the_first_of_more(self):
        assert read(TEXTS, n=10) == read(TEXTS, n=30)[:10] == read(TEXTS)[:10]
        assert len(read(TEXTS)) == 50

    def test_depends_on_the_seed(self):
        assert [e.id for e in read(TEXTS, n=20)] != [e.id for e in read(TEXTS, n=20, seed=1)]

    def test_draws_every_text_alike(self):
        # Each of 50 texts is drawn 400 times in expectation, with a standard deviation of 17.9;
        # one of them beyond 5 of these happens by chance in 3 of 100,000 runs.
        counts = np.zeros(50)
        for seed in range(2000):
            counts[[int(example.id) for example in read(TEXTS, n=10, seed=seed)]] += 1
        assert abs(counts - 400).max() < 5 * 17.9

    def test_ids_are_positions_or_those_of_the_records(self):
        assert sorted(int(example.id) for example in read(TEXTS)) == [*range(50)]
        rows = [{"text": text, "id": "same"} for text in TEXTS[:3]]
        assert sorted(example.id for example in read(rows)) == ["same", "same#2", "same#3"]


class TestLeftOut:
    def test_texts_that_are_too_short_are_counted(self):
        with pytest.warns(
            MauveWarning, match=r"^50 examples of 53 records; left out: 3 .* too short"
        ):
            examples = read([*TEXTS, "short", "", "x" * 35], prompt_tokens=35)
        assert examples.n_records == 53
        assert sum(examples.left_out.values()) == 3

    def test_continuations_of_nothing_but_white_space(self):
        with pytest.warns(MauveWarning, match="1 that are too short"):
            assert len(read(["abc  \n", "abcdef"], prompt_tokens=3)) == 1

    def test_fewest_tokens(self):
        with pytest.warns(MauveWarning, match="1 that are too short"):
            [example] = read(["abcd", "abcdefg"], prompt_tokens=3, min_tokens=2)
        assert example.reference == "defg"

    def test_copies_are_used_once(self):
        with pytest.warns(MauveWarning, match=r"left out: 50 that are copies of others\.$"):
            assert read(TEXTS + TEXTS, seed=2) == read(TEXTS, seed=2)

    def test_two_texts_with_one_prompt_are_no_copies(self):
        rows = [{"prompt": "a", "text": text} for text in ("b", "c")]
        assert {example.reference for example in read(rows)} == {"b", "c"}
        rows = [{"prompt": prompt, "text": "b"} for prompt in ("a", "c")]
        assert len(read(rows)) == 2

    def test_fewer_than_asked_for(self):
        with pytest.warns(MauveWarning, match=r"^There are fewer than n=60: 50 examples of 50 rec"):
            assert len(read(TEXTS, n=60)) == 50

    def test_no_warning_where_nothing_was_left_out(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            read(TEXTS, n=50)

    def test_prompts_that_are_not_well_formed(self):
        good = "It rained all day, and in the evening the river was higher than it had been."
        menu = "Front Page Torrents Favorites My Home My Galleries Toplists Bounties News Forums"
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # it was asked for
            examples = read([good, menu], well_formed=True, prompt_tokens=60)
        assert [example.id for example in examples] == ["0"]
        assert examples.summary == (
            "1 example of 2 records; left out: 1 whose prompt is not well-formed English."
        )

    def test_nothing_is_left(self):
        with pytest.raises(
            InvalidParameterError, match=r"Got 0 examples of 2 records; left out: 2"
        ):
            read(["a", "b"])

    def test_no_records(self):
        with pytest.raises(InvalidParameterError, match="at least one text"):
            read([])


class TestExamples:
    def test_no_character_is_broken(self):
        text = "日本語🙂" * 20
        for n in range(1, 30):
            [example] = read([text], tokenizer=Bytes(), prompt_tokens=n, max_tokens=n + 3)
            assert text.startswith(example.prompt + example.reference)
            assert n - 4 < example.n_prompt_tokens <= n
            assert n - 1 < example.n_tokens <= n + 3

    def test_an_empty_prompt(self):
        [example] = read(["abc"], prompt_tokens=0, max_tokens=2)
        assert (example.prompt, example.reference, example.n_prompt_tokens) == ("", "ab", 0)

    def test_whether_the_text_has_ended(self, tmp_path):
        path = tmp_path / "webtext.jsonl"
        rows = [{"id": i, "ended": bool(i), "length": 9, "text": "a" * 9 + str(i)} for i in (0, 1)]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        ended = {e.id: e.ended for e in read(path, "webtext", prompt_tokens=3)}
        assert ended == {"0": False, "1": True}
        assert not any(e.ended for e in read(path, "webtext", prompt_tokens=3, max_tokens=6))

    def test_metadata_are_short_values(self):
        row = {"text": "abc", "site": "x", "score": 0.5, "body": "a" * 300, "n": 3, "none": None}
        assert read([row], prompt_tokens=1)[0].metadata == {"site": "x", "n": 3}

    @pytest.mark.parametrize(
        ("name", "value"),
        [("n", 0), ("seed", -1), ("prompt_tokens", -1), ("max_tokens", 0), ("min_tokens", 0),
         ("min_tokens", 300), ("well_formed", "yes"), ("tokenizer", 3)],
    )  # fmt: skip
    def test_bad_parameters(self, name, value):
        with pytest.raises(
            InvalidParameterError, match=rf"'{name}' parameter of read_examples must"
        ):
            read_examples("text", TEXTS, **({"tokenizer": Letters()} | {name: value}))
