"""Creating and opening a study: all of it or nothing, in numbered versions."""

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
import sqlalchemy as sa

from mauve.errors import InvalidParameterError, MauveError, MauveWarning
from mauve.study.settings import StudySettings
from mauve.study.store.control import pause
from mauve.study.store.creation import create_study
from mauve.study.store.database import Study, UnusableStudyError
from mauve.study.store.example import example_study
from mauve.study.store.migration import Migration, applied_migrations, known_migrations, migrate
from mauve.study.store.opening import open_study
from mauve.study.store.pairs import plan_pairs
from mauve.study.store.samples import Continuation, StudyTexts, read_study_texts
from mauve.study.store.schema import METADATA

TEXTS = [{"prompt": f"Day {i}:", "text": f" it rained for {i} hours."} for i in range(6)]
OTHERS = [{"prompt": f"Day {i}:", "text": f" no rain, as on day {i - 1}."} for i in range(6)]
SMALL = StudySettings(ratings_per_pair=4, overlap=0, min_tokens=3, well_formed=False)


def test_migrations_create_the_tables_of_the_schema(location, opened):
    study = opened(example_study(location))
    inspector = sa.inspect(study.engine)
    assert set(inspector.get_table_names()) == set(METADATA.tables)
    for name, table in METADATA.tables.items():
        columns = {column["name"]: column["type"] for column in inspector.get_columns(name)}
        assert set(columns) == set(table.columns.keys()), name
        for column in table.columns:
            assert columns[column.name]._type_affinity is column.type._type_affinity, column


def test_migrations_are_recorded_and_applied_once_in_order(location, opened):
    study = opened(example_study(location))
    more = [
        *known_migrations(),
        Migration(9001, "9001_a", "CREATE TABLE later (id ${serial_key});\n"),
        Migration(9002, "9002_b", "ALTER TABLE later ADD COLUMN b INTEGER;\n"),
    ]
    for expected in ([9001, 9002], []):
        with study.writing() as connection:
            assert migrate(connection, 0.0, more) == expected
    with study.reading() as connection:
        assert applied_migrations(connection) == [m.number for m in more]
    with pytest.raises(MauveError, match=r"has version 9002, and this release .* knows up to 1"):
        open_study(location)


def test_a_migration_that_fails_leaves_the_version_before(location, opened):
    study = opened(example_study(location))
    broken = Migration(
        9001, "9001_a", "CREATE TABLE later (id INTEGER);\nCREATE TABLE study (a);\n"
    )
    with (
        pytest.raises((UnusableStudyError, sa.exc.ProgrammingError)),
        study.writing() as connection,
    ):
        migrate(connection, 0.0, [*known_migrations(), broken])
    assert not sa.inspect(study.engine).has_table("later")
    with open_study(location) as again:
        assert again.settings == study.settings


def test_an_existing_study_is_refused_and_unchanged(location, opened):
    study = opened(example_study(location, title="First"))
    with pytest.raises(InvalidParameterError, match="exists already"):
        example_study(location, title="Second")
    assert study.settings.title == "First"


def test_of_two_creations_at_once_one_wins(location, opened):
    titles, errors = [], []
    barrier = threading.Barrier(2)

    def create(title):
        barrier.wait()
        try:
            example_study(location, title=title).close()
            titles.append(title)
        except InvalidParameterError as error:
            errors.append(str(error))

    threads = [threading.Thread(target=create, args=[title]) for title in ("one", "other")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(titles) == len(errors) == 1
    assert "exists already" in errors[0]
    assert opened(open_study(location)).settings.title == titles[0]


@pytest.mark.parametrize("name", ["", " ", "a\x00b", "a\nb"])
def test_names_of_systems_are_printable(location, name):
    with pytest.raises(InvalidParameterError, match="must be named by printable texts"):
        create_study(location, SMALL, TEXTS, {name: OTHERS})
    create_study(location, SMALL, TEXTS, {"échos, 2nd": OTHERS}).close()


@pytest.mark.slow
def test_a_creation_that_is_killed_leaves_no_study(tmp_path):
    script = (
        "import sys\n"
        "from mauve.study.store.example import example_study\n"
        "print('ready', flush=True)\n"
        "example_study(sys.argv[1], n_prompts=20000, ratings_per_pair=20000)\n"
    )
    path = tmp_path / "study.sqlite"
    process = subprocess.Popen([sys.executable, "-c", script, path], stdout=subprocess.PIPE)
    process.stdout.readline()
    deadline = time.monotonic() + 60
    while not (unfinished := [*tmp_path.glob(".mauve-*.tmp*")]) and time.monotonic() < deadline:
        time.sleep(0.002)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert unfinished, "it was killed while it wrote"
    assert not path.exists()
    example_study(path).close()


def test_what_is_no_study_is_refused(tmp_path, new_postgresql):
    (tmp_path / "notes.txt").write_text("It is no database, and longer than a header. " * 9)
    with pytest.raises(UnusableStudyError, match="not a database"):
        open_study(tmp_path / "notes.txt")
    with pytest.raises(InvalidParameterError, match="There is no study"):
        open_study(tmp_path / "missing")
    with pytest.raises(MauveError, match="holds no study: make one with mauve study create"):
        open_study(new_postgresql())
    with pytest.raises(InvalidParameterError, match="begins with postgresql://"):
        open_study("mysql://a:secret@b/c")


@pytest.mark.slow
def test_what_postgresql_refuses_is_one_sentence(new_postgresql):
    import psycopg

    url = new_postgresql()
    create_study(url, SMALL, TEXTS, {"dry": OTHERS}).close()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS reader")
        connection.execute("CREATE ROLE reader LOGIN")
        connection.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
    reader = open_study(url.replace("mauve@", "reader@"))
    assert reader.settings == SMALL
    with pytest.raises(UnusableStudyError, match=r"permission denied for table .*: use a role"):
        pause(reader)
    reader.close()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM reader")
        connection.execute("DROP ROLE reader")
        name = connection.info.dbname
        connection.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    study = open_study(url)
    with pytest.raises(UnusableStudyError, match=r"read-only transaction.*: use a role"):
        pause(study)
    study.close()
    for table in ("migration", "prompt"):  # of another program
        url = new_postgresql()
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"CREATE TABLE {table} (version text)")
        with pytest.raises(UnusableStudyError, match="name a database that holds nothing else"):
            create_study(url, SMALL, TEXTS, {"dry": OTHERS})


def test_messages_never_hold_a_password():
    with pytest.raises(UnusableStudyError) as caught:
        open_study("postgresql://ann:secret@127.0.0.1:1/study")
    assert "secret" not in str(caught.value)
    assert "***" in str(caught.value)
    with pytest.raises(InvalidParameterError) as wrong:
        open_study("postgresql://ann:secret@host:port/study")
    assert "secret" not in str(wrong.value)
    assert "secret" not in repr(Study("postgresql://ann:secret@127.0.0.1:1/study"))


def texts_of(sizes):
    return StudyTexts(
        ["Once"] * max(sizes.values()),
        {
            name: dict.fromkeys(range(n), Continuation(f"It rained, said {name}.", 5))
            for name, n in sizes.items()
        },
        {},
    )


def test_each_pair_has_its_ratings_over_prompts_drawn_without_replacement():
    texts = texts_of({"human": 200, "a": 200, "b": 200, "c": 150})
    plan = plan_pairs(texts, StudySettings())
    assert {frozenset((pair.a, pair.b)) for pair in plan} == {
        frozenset(pair) for pair in ["ab", "ac", "bc"] + [("human", s) for s in "abc"]
    }
    for pair in plan:
        prompts, targets = zip(*pair.items, strict=True)
        assert len(set(prompts)) == len(prompts)
        assert (sum(targets), sorted(targets)[-4:]) == (90, [1, 3, 3, 3])
        assert max(prompts) < (150 if "c" in (pair.a, pair.b) else 200)
    assert plan == plan_pairs(texts, StudySettings())
    assert plan != plan_pairs(texts, StudySettings(seed=1))


def test_too_few_prompts_are_rated_several_times_with_a_warning():
    with pytest.warns(MauveWarning, match="1 of the pairs, such as human and a, have fewer"):
        (pair,) = plan_pairs(texts_of({"human": 40, "a": 40}), StudySettings())
    assert sorted(n for _, n in pair.items) == [2] * 30 + [3] * 10


@pytest.mark.parametrize("n_ratings", [1, 2, 3, 4, 7, 90])
@pytest.mark.parametrize("overlap", [0, 0.1, 0.5, 1])
def test_a_pair_never_has_more_ratings_than_it_is_to_have(n_ratings, overlap, recwarn):
    settings = StudySettings(ratings_per_pair=n_ratings, overlap=overlap)
    (pair,) = plan_pairs(texts_of({"human": 90, "a": 90}), settings)
    assert sum(n for _, n in pair.items) == n_ratings
    assert not recwarn.list


def test_texts_are_filtered_and_cut_as_in_the_paper():
    prompts = [
        "Having trouble viewing the video? Try disabling any ad blocking extensions",
        "In the morning she went to the market, and on her way back she met the old",
        "He had been told that the house by the river was empty, but when he came to",
    ]
    long, short = " and it went on" * 100, " and it ended."
    human = [{"prompt": p, "text": long} for p in prompts]
    model = [{"prompt": p, "text": t} for p, t in zip(prompts, [long, long, short], strict=True)]
    texts = read_study_texts(human, {"model": model}, StudySettings())
    assert texts.setup == {
        "prompts": 3, "shared": 3, "well_formed": 2, "long_enough:human": 2, "long_enough:model": 1,
    }  # fmt: skip
    assert texts.prompts == prompts[1:]
    text, n_tokens = texts.continuations["model"][0]
    assert n_tokens == 256
    assert long.startswith(text)
    assert len(text) < len(long)


def test_a_prompt_is_not_shown_again_in_its_continuation_and_first_texts_count():
    human = [{"prompt": "Once", "text": "Once upon a time."}]
    model = [{"prompt": "Once", "text": f"Once {n} things."} for n in ("two", "three")]
    settings = StudySettings(min_tokens=1, well_formed=False)
    with pytest.warns(MauveWarning, match="'model' has 2 texts for 1 prompts"):
        texts = read_study_texts(human, {"model": model}, settings)
    assert texts.continuations["human"][0].text == "upon a time."
    assert texts.continuations["model"][0].text == "two things."


def test_a_text_is_cut_between_characters_and_keeps_no_character_that_cannot_be_stored(location):
    text = "🦄" * 50 + "\x00\ud800"
    samples = [{"prompt": "Day\x00", "text": text}]
    settings = StudySettings(
        ratings_per_pair=1, overlap=0, min_tokens=1, max_tokens=130, well_formed=False
    )
    others = [{"prompt": "Day\x00", "text": f"One {text}"}]
    study = create_study(location, settings, samples, {"echo": others})
    with study.reading() as connection:
        rows = connection.exec_driver_sql("SELECT text FROM continuation").scalars().all()
        prompt = connection.exec_driver_sql("SELECT text FROM prompt").scalar_one()
    study.close()
    assert prompt == "Day\ufffd"
    assert set(rows[0]) <= {"🦄", "\ufffd"}
    assert "\x00" not in rows[0]
