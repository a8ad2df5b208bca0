"""Files of ratings: the authors' columns by hand, round trips, and one sentence for what is bad."""

import csv
import gzip
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mauve.errors import InvalidParameterError, MauveWarning, OutputError
from mauve.study.ranking import rank
from mauve.study.rating_files import read_ratings, write_ratings
from mauve.study.rating_formats import FORMATS
from mauve.study.ratings import QUESTIONS, Rating, Ratings

AUTHORS = (
    ",HITId,WorkerId,WorkTimeInSeconds,Input.idx,Input.model_b,Input.model_a,Input.ctx,"
    "Input.completionb,Input.completiona,Input.len_b,Input.len_a,Answer.q1,Answer.q2,Answer.q3,"
    "Answer.te\n"
)  # an index without a name, and B before A, as in the authors' file
LONG = "item,system_a,system_b,annotator,choice\n"


def authors_file(path, outcomes):
    """Write rows of (system of A, system of B, answer to question 3, estimated seconds)."""
    lines = [
        f"{i},{i},W{i % 12},2040,{i},{b},{a},<p>Prompt</p>,<p>b</p>,<p>a</p>,1024,545,1a,1a,"
        f"{answer},{te}\n"
        for i, (a, b, answer, te) in enumerate(outcomes)
    ]
    path.write_text(AUTHORS + "".join(lines), "utf-8")
    return path


def test_the_authors_file_with_the_strict_filter_gives_a_table_computed_by_hand(tmp_path):
    """Odds of 3, 3 and 9 to 1 agree with scores of 100 ln 3, 0 and -100 ln 3.

    Ratings of 25 seconds or less say the opposite; one of them would move every score.
    """
    slow = [
        *[("human", "xl", "2a", 25.1)] * 2, ("xl", "human", "1b", 98.0), ("human", "xl", "1b", 26),
        *[("small", "xl", "2b", 30.0)] * 3, ("small", "xl", "1a", 30.0),
        *[("human", "small", "1a", 60)] * 5, *[("small", "human", "2b", 60)] * 4,
        ("small", "human", "1a", 60),
    ]  # fmt: skip
    fast = [("human", "xl", "2b", 25), ("small", "xl", "2a", 24.999), ("human", "small", "1b", 3)]
    ratings = read_ratings(authors_file(tmp_path / "human-eval.csv", [*fast, *slow]))
    ranking = rank(ratings, "human-like", longer_than=25)
    assert ranking.systems == ("human", "xl", "small")
    np.testing.assert_allclose(ranking.scores, 100 * np.log(3) * np.array([1, 0, -1]), atol=1e-6)
    assert [row["score"] for row in ranking.rows()] == ["109.9", "0.0", "−109.9"]
    assert [row["compared"] for row in ranking.rows()] == ["14", "8", "14"]
    assert (ranking.counts.counted, ranking.counts.fast) == (18, 3)
    unfiltered = rank(ratings, "human-like")
    assert unfiltered.counts.counted == 21
    assert abs(unfiltered.score("human") - ranking.score("human")) > 5


def test_columns_of_the_authors_file(tmp_path):
    row = read_ratings(authors_file(tmp_path / "a.csv", [("xl", "human", "1b", 28.109)])).rows[0]
    assert row == Rating(
        "0", "W0", "xl", "human", (2, 2, 4), active_seconds=28.109, wall_seconds=2040.0, hit="0",
        context="<p>Prompt</p>", text_a="<p>a</p>", text_b="<p>b</p>", length_a=545,
        length_b=1024,
    )  # fmt: skip


def test_ties_are_written_apart(tmp_path):
    """The authors' own file has 1a for ties; other spellings of a tie are read as one."""
    path = authors_file(tmp_path / "a.csv", [("xl", "human", tie, 30) for tie in ("tie", "0")])
    assert [row.choices[2] for row in read_ratings(path).rows] == [3, 3]
    write_ratings(read_ratings(path), path, "authors")
    with path.open(encoding="utf-8", newline="") as file:
        assert [row["Answer.q3"] for row in csv.DictReader(file)] == ["tie", "tie"]


@pytest.mark.parametrize("format", FORMATS)
def test_times_are_written_to_the_last_digit(tmp_path, format):
    """Rounded to 25, the second rating would no longer take longer than 25 seconds."""
    seconds = [25.0, 25.000000000000004, 0.28252744674682617]
    rows = [Rating(str(i), "p", "a", "b", (1, 3, 5), s, s) for i, s in enumerate(seconds)]
    path = tmp_path / ("a.jsonl" if format == "jsonl" else "a.csv")
    write_ratings(Ratings(tuple(rows)), path, format)
    read = read_ratings(path)
    assert [row.active_seconds for row in read.rows] == seconds
    assert len(read.counted(longer_than=25)) == 1


letters = st.characters(codec="utf-8", exclude_characters="\0\r")
names = st.text(letters, min_size=1, max_size=5)
seconds = st.one_of(st.none(), st.floats(0, 1e4).map(lambda x: round(x, 3)))


@st.composite
def some_ratings(draw, fewest=1, texts=True):
    n = draw(st.integers(fewest, 3))
    questions = QUESTIONS if n == 3 else draw(st.lists(names, min_size=n, max_size=n, unique=True))
    keys = draw(
        st.lists(
            st.tuples(names, names, st.lists(names, min_size=2, max_size=2, unique=True)),
            min_size=1,
            max_size=6,
            unique_by=lambda key: (key[0], key[1], frozenset(key[2])),
        )
    )
    text = st.text(letters, max_size=8)
    rows = []
    for item, annotator, (a, b) in keys:
        extra = {
            "active_seconds": draw(seconds),
            "wall_seconds": draw(seconds),
            "valid": draw(st.booleans()),
            "repeat": draw(st.booleans()),
        }
        if texts:
            extra |= {"hit": draw(text), "context": draw(text), "text_a": draw(text)}
            extra |= {"comment": draw(text), "length_b": draw(st.none() | st.integers(0, 900))}
        choice = st.none() | st.integers(1, 5)
        choices = tuple(draw(choice) for _ in range(n))
        rows.append(Rating(item, annotator, a, b, choices, **extra))
    return Ratings(tuple(rows), tuple(questions))


def assert_round_trip(ratings, path, format):
    write_ratings(ratings, path, format)
    again = read_ratings(path)
    assert again.rows == ratings.rows
    assert again.questions == ratings.questions


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("ratings")


@given(ratings=some_ratings())
def test_json_lines_keep_everything(ratings, folder):
    assert_round_trip(ratings, folder / "r.jsonl", "jsonl")


@given(ratings=some_ratings(fewest=3))
def test_the_authors_columns_keep_everything(ratings, folder):
    assert_round_trip(ratings, folder / "authors.csv", "authors")


@given(ratings=some_ratings(texts=False))
def test_the_long_table_keeps_all_but_texts(ratings, folder):
    assert_round_trip(ratings, folder / "long.csv", "long")


def test_three_choices_are_written_as_they_were_read(tmp_path):
    text = LONG + "0,opt,llama,ann,a\n0,opt,llama,bob,tie\n1,llama,opt,ann,b\n"
    (tmp_path / "in.csv").write_text(text)
    write_ratings(read_ratings(tmp_path / "in.csv"), tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == text


def test_compressed_and_tab_separated_files(tmp_path):
    with gzip.open(tmp_path / "r.csv.gz", "wt") as file:
        file.write(LONG + "0,opt,llama,ann,2b\n")
    (tmp_path / "r.tsv").write_text((LONG + "0,opt,llama,ann,2b\n").replace(",", "\t"))
    packed, tabs = read_ratings(tmp_path / "r.csv.gz"), read_ratings(tmp_path / "r.tsv")
    assert packed.rows == tabs.rows
    assert packed.rows[0].choices == (5,)


def test_a_second_rating_becomes_a_repeat_with_a_warning(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text(LONG + "0,opt,llama,ann,a\n0,llama,opt,ann,a\n0,opt,llama,ann,b\n")
    with pytest.warns(MauveWarning, match=r"2 ratings of '.*' are by annotators who rated"):
        ratings = read_ratings(path)
    assert [row.repeat for row in ratings.rows] == [False, True, True]


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("r.csv", "", "must have the columns item, system_a, system_b, annotator, choice"),
        ("r.csv", LONG, "must hold at least one rating. It holds none."),
        ("r.jsonl", "\n", "must hold at least one rating. It holds none."),
        ("r.csv", "item,system_a\n1,a\n", "It has no system_b, annotator, choice"),
        ("r.csv", "Input.idx\n1\n", "It has no WorkerId, Input.model_a, Input.model_b, Answer"),
        ("r.csv", LONG + "0,opt,llama,ann\n", "Line 2 of '{}' must have 5 columns"),
        ("r.csv", LONG + "0,opt,llama,ann,c\n", "Line 2 of '{}' must have one of the choices 2a"),
        ("r.csv", LONG + "0,opt,llama,,a\n", "Line 2 of '{}' must have a value for annotator"),
        ("r.csv", LONG + "0,opt,opt,ann,a\n", "must have two different systems. Got 'opt'"),
        ("r.csv", LONG + '0,opt,"llama,ann,a\n', "Line 2 of '{}' must be CSV (unexpected end"),
        ("r.csv", "item" + LONG[4:-1] + ",item\n0,a,b,ann,a,1\n", "columns of different names"),
        (
            "r.csv",
            LONG[:-1] + ",wall_seconds\n0,a,b,ann,a,nan\n",
            "must have a finite number of at least 0 for wall_seconds, or none. Got 'nan'",
        ),
        ("r.csv", LONG[:-1] + ",valid\n0,a,b,ann,a,maybe\n", "must have true or false for valid"),
        (
            "r.csv",
            LONG[:-1] + ",question,wall_seconds\n0,a,b,ann,a,x,1\n0,a,b,ann,a,y,2\n",
            "Line 3 of '{}' must have the same times and marks as the other answers",
        ),
        ("r.jsonl", "{oops}\n", "Line 1 of '{}' must be a JSON object with a rating. Got '{oops}'"),
        ("r.jsonl", "3\n", "must be a JSON object with a rating. Got '3'"),
        ("r.jsonl", '{"item": 1}\n', 'must have "choices", an object from question to choice'),
        (
            "r.jsonl",
            '{"item": 1, "annotator": 2, "system_a": "a", "system_b": "b", '
            '"choices": {"q": "1a"}, "colour": "red"}\n',
            "must have the fields active_seconds, annotator",
        ),
        (
            "r.jsonl",
            '{"item": 1, "annotator": 2, "system_a": "a", "system_b": "b", '
            '"choices": {"q": "1a"}, "length_a": 2.5}\n',
            "must have a whole number for length_a, or none. Got '2.5'",
        ),
        ("r.txt", "a", "must be a file of ratings that ends in .csv, .tsv, .jsonl, .ndjson"),
        ("r.csv", LONG + "0,opt,llama,\xff,a\n", "must be UTF-8"),
    ],
)
def test_a_bad_file_is_refused_in_one_sentence(tmp_path, name, text, says):
    path = tmp_path / name
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(InvalidParameterError, match=re.escape(says.replace("{}", str(path)))):
        read_ratings(path)


def test_questions_must_be_the_same_on_all_lines(tmp_path):
    line = (
        '{"item": 1, "annotator": %d, "system_a": "a", "system_b": "b", "choices": {"%s": null}}\n'
    )
    path = tmp_path / "r.jsonl"
    path.write_text(line % (1, "q") + line % (2, "other"))
    with pytest.raises(InvalidParameterError, match=r"Line 2 of .* must answer the questions q"):
        read_ratings(path)


def test_what_cannot_be_written(tmp_path):
    ratings = Ratings((Rating("0", "ann", "a", "b", (1,)),), ("q",))
    with pytest.raises(InvalidParameterError, match="has three questions"):
        write_ratings(ratings, tmp_path / "r.csv", "authors")
    with pytest.raises(InvalidParameterError, match=re.escape(", ".join(map(repr, FORMATS)))):
        write_ratings(ratings, tmp_path / "r.csv", "xlsx")
    with pytest.raises(OutputError, match="cannot be written"):
        write_ratings(ratings, tmp_path / "none" / "r.csv")
    with pytest.raises(InvalidParameterError, match="No such file"):
        read_ratings(tmp_path / "none.csv")
    assert not [*tmp_path.iterdir()]
