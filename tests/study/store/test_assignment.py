"""Assignment: the pair furthest below its target first, nothing twice, nothing lost."""

import threading
from collections import Counter

import pytest
from annotating import Clock, answer, enrolled, rate, rate_all

from mauve.study.store.assignment import next_item, renew
from mauve.study.store.collected import study_ratings
from mauve.study.store.control import exclude, include, pause, resume
from mauve.study.store.example import example_study
from mauve.study.store.people import annotator_of, completion_code, enrol
from mauve.study.store.records import Assignment, NoneLeft, Paused
from mauve.study.store.refusals import ConsentError, LeaseError
from mauve.study.store.reports import annotator_reports, pair_progress, study_progress
from mauve.study.store.submission import own_items, submit


def test_nothing_is_assigned_before_consent():
    study = example_study()
    with pytest.raises(ConsentError, match="agree to it first"):
        next_item(study, annotator_of(study, enrol(study)))


def test_the_pair_furthest_below_its_target_is_next(location, opened):
    study = opened(example_study(location, n_prompts=9))
    people = [enrolled(study) for _ in range(3)]
    for turn in range(21):
        missing = [pair.target - pair.n_valid - pair.n_assigned for pair in pair_progress(study)]
        before = [pair.n_valid for pair in pair_progress(study)]
        rate(study, people[turn % 3])
        after = [pair.n_valid for pair in pair_progress(study)]
        (served,) = [i for i in range(3) if after[i] > before[i]]
        assert missing[served] == max(missing)


def test_items_that_others_hold_count_as_if_they_were_rated():
    study = example_study(n_prompts=4)
    held = [next_item(study, enrolled(study)) for _ in range(12)]
    shown = Counter((item.context, frozenset([item.left, item.right])) for item in held)
    assert set(shown.values()) == {1}
    assert [pair.n_assigned for pair in pair_progress(study)] == [4, 4, 4]
    assert next_item(study, enrolled(study)) == NoneLeft("assigned", 0)


def test_one_person_rates_every_item_once(location, opened):
    study = opened(example_study(location, n_prompts=5))
    annotator = enrolled(study)
    shown = [frozenset([i.context, i.left, i.right]) for i in rate_all(study, annotator)]
    assert len(shown) == len(set(shown)) == 15  # 3 pairs x 5 prompts
    assert next_item(study, annotator) == NoneLeft("complete", 15)
    assert [own.number for own in own_items(study, annotator, last=3)] == [15, 14, 13]
    assert [own.number for own in own_items(study, annotator, last=9, before=3)] == [2, 1]


def test_a_prompt_comes_back_only_when_no_other_is_left():
    study = example_study(n_prompts=12)
    contexts = [item.context for item in rate_all(study, enrolled(study))[:12]]
    # A prompt of one pair may be exhausted while another pair is due; but few come twice so early.
    assert len(set(contexts)) >= 10


def test_an_item_stays_the_same_until_it_is_rated_also_after_its_lease():
    clock = Clock()
    study = example_study(clock=clock, lease_seconds=60)
    annotator = enrolled(study)
    item = next_item(study, annotator)
    assert next_item(study, annotator) == item
    clock.now += 61
    again = next_item(study, annotator)
    assert (again.lease, again.number) == (item.lease, item.number)
    assert again.expires_at == clock.now + 60


def test_an_expired_item_is_given_to_somebody_else_and_then_closed_to_the_first():
    clock = Clock()
    study = example_study(clock=clock, lease_seconds=60, n_prompts=1, ratings_per_pair=1)
    slow, quick = enrolled(study), enrolled(study)
    item = next_item(study, slow)
    clock.now += 61
    assert len(rate_all(study, quick)) == 3  # all pairs, the expired item among them
    with pytest.raises(LeaseError, match="given to somebody else"):
        submit(study, slow, answer(item))
    with pytest.raises(LeaseError, match="given to somebody else"):
        renew(study, slow, item.lease)
    assert next_item(study, slow) == NoneLeft("complete", 0)
    assert [pair.n_valid for pair in pair_progress(study)] == [1, 1, 1]


def test_an_expired_item_that_nobody_took_can_still_be_rated():
    clock = Clock()
    study = example_study(clock=clock, lease_seconds=60)
    annotator = enrolled(study)
    item = next_item(study, annotator)
    clock.now += 3600
    assert submit(study, annotator, answer(item)).revision == 1


def test_a_clock_that_is_set_back_does_not_keep_items_from_others(location, opened):
    clock = Clock()
    settings = {"n_prompts": 1, "ratings_per_pair": 1, "clock": clock}
    study = opened(example_study(location, **settings))
    one, other = enrolled(study), enrolled(study)
    clock.now += 7 * 24 * 3600  # by mistake
    held = next_item(study, one)
    clock.now -= 30  # a correction within the time that a request may take
    taken = [rate(study, other), rate(study, other)]
    assert None not in taken
    assert next_item(study, other) == NoneLeft("assigned", 2)
    clock.now -= 7 * 24 * 3600
    again = rate(study, other)
    assert {again.left, again.right} == {held.left, held.right}
    assert study_progress(study).n_valid == 3
    submit(study, one, answer(held))  # neither is lost
    assert study_progress(study).n_valid == 4


def test_a_lease_can_be_renewed_while_its_page_is_read():
    clock = Clock()
    study = example_study(clock=clock, lease_seconds=60)
    first, second = enrolled(study), enrolled(study)
    item = next_item(study, first)
    clock.now += 50
    assert renew(study, first, item.lease) == clock.now + 60
    with pytest.raises(LeaseError, match="not assigned to you"):
        renew(study, second, item.lease)


def test_overlap_items_are_rated_by_several_people_and_no_other_is(location, opened):
    study = opened(example_study(location, n_prompts=20, ratings_per_pair=12, overlap=0.5))
    people = [enrolled(study) for _ in range(6)]
    while [person for person in people if rate(study, person)]:
        pass
    ratings = study_ratings(study).rows
    raters = {}
    for row in ratings:
        raters.setdefault((row.item, row.pair), []).append(row.annotator)
    assert Counter(map(len, raters.values())) == {3: 2 * 3, 1: 6 * 3}  # in each of 3 pairs
    assert all(len(set(who)) == len(who) for who in raters.values())
    assert len(ratings) == 36


def test_checks_and_repeats_come_once_in_every_block_and_repeats_have_exchanged_sides():
    study = example_study(n_prompts=20, attention_every=10, repeat_every=10, max_failed_checks=99)
    annotator = enrolled(study)
    items = rate_all(study, annotator)
    with study.reading() as connection:
        rows = connection.exec_driver_sql(
            "SELECT number, kind, item_id, a_is_left FROM assignment ORDER BY number"
        ).all()
    kinds = Counter(row.kind for row in rows)
    n_blocks = len(rows) // 10
    assert kinds["normal"] == 60
    assert n_blocks <= kinds["attention"] <= n_blocks + 1
    assert n_blocks <= kinds["repeat"] <= n_blocks + 1
    for block in range(n_blocks):
        tenth = [row.kind for row in rows[block * 10 : block * 10 + 10]]
        assert tenth.count("attention") == 1
    first = {row.item_id: row for row in rows if row.kind == "normal"}
    for row in rows:
        if row.kind == "repeat":
            assert row.a_is_left != first[row.item_id].a_is_left
            assert row.number - first[row.item_id].number > 5
            again, before = items[row.number - 1], items[first[row.item_id].number - 1]
            assert (again.left, again.right) == (before.right, before.left)


def test_sides_are_random():
    study = example_study(n_prompts=100)
    rate_all(study, enrolled(study))
    left = [row.system_a for row in study_ratings(study).rows if "human" in row.pair]
    # 200 fair coins are outside of this range once in 10^9 runs; a fixed side always is.
    assert 57 < left.count("human") < 143


def test_the_limit_of_one_person_ends_with_a_code():
    study = example_study(items_per_annotator=3)
    annotator = enrolled(study)
    assert completion_code(study, annotator) is None
    assert len(rate_all(study, annotator)) == 3
    assert next_item(study, annotator) == NoneLeft("limit", 3)
    code = completion_code(study, annotator)
    assert code == annotator_reports(study)[0].completion_code
    assert code.isalnum()
    common = example_study(items_per_annotator=1, completion_code="C0FFEE")
    annotator = enrolled(common)
    rate_all(common, annotator)
    assert completion_code(common, annotator) == "C0FFEE"


def test_a_paused_study_gives_out_nothing_and_takes_what_is_assigned():
    study = example_study()
    first, second = enrolled(study), enrolled(study)
    item = next_item(study, first)
    pause(study)
    assert next_item(study, second) == Paused(0)
    assert next_item(study, first) == item
    submit(study, first, answer(item))
    assert next_item(study, first) == Paused(1)
    resume(study)
    assert isinstance(next_item(study, second), Assignment)


def test_a_person_whose_ratings_do_not_count_has_the_code_for_review():
    study = example_study(
        items_per_annotator=1, completion_code="C0FFEE", review_code="TEA", max_failed_checks=0
    )
    annotator = enrolled(study)
    rate_all(study, annotator)
    codes = [completion_code(study, annotator)]
    for change in (exclude, include):
        change(study, annotator.number, "a robot")
        codes.append(completion_code(study, annotator))
        assert annotator_reports(study)[0].completion_code == codes[-1]
    assert codes == ["C0FFEE", "TEA", "C0FFEE"]
    excluded = enrolled(study)
    exclude(study, excluded.number, "a robot")
    assert next_item(study, excluded) == NoneLeft("closed", 0)
    assert completion_code(study, excluded) is None  # for no work
    one = example_study(items_per_annotator=1)
    annotator = enrolled(one)
    rate_all(one, annotator)
    code = completion_code(one, annotator)
    exclude(one, annotator.number, "a robot")
    assert completion_code(one, annotator) == code


def test_an_excluded_person_is_given_nothing():
    study = example_study()
    annotator = enrolled(study)
    rate(study, annotator)
    exclude(study, annotator.number, "a robot")
    assert next_item(study, annotator) == NoneLeft("closed", 1)
    assert study_progress(study).n_valid == 0


def test_many_people_at_once_fill_every_pair_exactly(location, opened):
    study = opened(example_study(location, n_prompts=30, ratings_per_pair=24, overlap=0.25))
    people = [enrolled(study) for _ in range(8)]
    errors = []

    def work(person):
        try:
            while True:
                reached = next_item(study, person)
                if isinstance(reached, Assignment):
                    submit(study, person, answer(reached))
                elif reached.reason != "assigned":
                    return
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=[person]) for person in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert [(p.n_valid, p.n_invalid, p.n_assigned) for p in pair_progress(study)] == [
        (24, 0, 0)
    ] * 3
    rows = study_ratings(study).rows
    assert len({(row.annotator, row.item, row.pair) for row in rows}) == len(rows) == 72
