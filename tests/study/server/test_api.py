"""What the page asks for, and what it is told."""

import pytest
from serving import PAGE, Visitor, make_study, submission

from mauve.study.store.control import pause, resume
from mauve.study.store.people import create_invites, new_operator_token
from mauve.study.store.reports import annotator_reports


def test_a_whole_annotation(study, visitor):
    person = visitor()
    item = person.join()
    assert item.keys() == {"lease", "number", "context", "left", "right"}
    for number in range(1, 19):
        assert item["number"] == number
        state = person.rate(item["lease"]).json()
        assert state["stored"] == {"number": number, "revision": 1}
        assert state["done"] == number
        item = state.get("item")
    assert (state["stage"], state["reason"], state["code"]) == ("finished", "complete", "C0DE-42")
    assert person.post("/api/next").json()["stage"] == "finished"


def test_a_submission_that_comes_again_counts_once(visitor):
    person = visitor()
    content = submission(person.join()["lease"])
    first, second = person.post("/api/submit", content), person.post("/api/submit", content)
    assert first.json() == second.json()
    assert second.json()["done"] == 1


def test_a_reload_shows_the_same_pair(visitor):
    person = visitor()
    item = person.join()
    assert person.get("/api/state").json()["stage"] == "ready"
    assert person.post("/api/next").json()["item"] == item


def test_going_back_edits_and_keeps_the_place(visitor):
    person = visitor()
    first = person.join()
    second = person.rate(first["lease"]).json()["item"]
    third = person.rate(second["lease"], answers=[2, 2, 2], comment="odd").json()["item"]
    back = person.get("/api/items?before=3").json()["item"]
    assert (back["lease"], back["answers"], back["comment"]) == (second["lease"], [2, 2, 2], "odd")
    assert (back["left"], back["right"]) == (second["left"], second["right"])
    assert not back["is_first"]
    assert person.get("/api/items?before=2").json()["item"]["is_first"]
    assert person.get("/api/items").json()["item"]["number"] == 2
    changed = person.rate(second["lease"], answers=[4, 4, 4]).json()
    assert changed["stored"] == {"number": 2, "revision": 2}
    assert (changed["done"], changed["item"]["lease"]) == (2, third["lease"])
    assert person.get("/api/items").json()["item"]["answers"] == [4, 4, 4]
    assert person.get("/api/items?before=1").status_code == 404


def test_an_invitation_is_one_person_in_any_browser(tmp_path):
    from serving import Visitor

    study = make_study(tmp_path / "invited.sqlite", enrolment="invite")
    (token,) = create_invites(study, 1)
    first = Visitor(study)
    assert first.get("/api/state").json()["stage"] == "invitation"
    assert first.post("/api/enrol", {"invite": token}).json()["stage"] == "consent"
    item = first.join()
    person = Visitor(study)
    assert person.post("/api/enrol", {"invite": token}).json()["stage"] == "ready"
    assert person.post("/api/next").json()["item"] == item
    with_person = person.post("/api/enrol", {"external": {"person": "p1"}})
    assert with_person.status_code == 403
    assert "invitation" in with_person.json()["error"]["message"]
    assert person.post("/api/enrol", {"invite": "x" * 43}).status_code == 403
    assert person.post("/api/enrol", {}).status_code == 422
    study.close()


def test_people_of_a_recruiting_platform(tmp_path):
    from serving import Visitor

    study = make_study(tmp_path / "recruited.sqlite", enrolment="external", items_per_annotator=1)
    link = "https://platform.example/done?code={code}&x=1"
    person = Visitor(study, return_url=link)
    ids = {"person": "5f1e", "study": "s1", "session": "z9"}
    assert person.post("/api/enrol", {"external": ids}).json()["stage"] == "consent"
    state = person.rate(person.join()["lease"]).json()
    assert (state["stage"], state["reason"], state["limit"]) == ("finished", "limit", 1)
    assert state["return_url"] == "https://platform.example/done?code=C0DE-42&x=1"
    study.close()


def test_consent_to_another_text_is_asked_for_again(visitor):
    person = visitor()
    refused = person.post("/api/consent", {"version": "0000"})
    assert refused.status_code == 409
    assert refused.json()["error"]["code"] == "consent"
    assert person.post("/api/next").status_code in (401, 409)


def test_monitors_can_ask_whether_the_study_is_open(study, visitor):
    person = visitor()
    assert person.get("/health").json() == {"study": "open"}
    assert person.client.head("/health").status_code == 200
    pause(study)
    assert person.get("/health").json() == {"study": "paused"}


def test_a_paused_study_gives_no_pairs_and_takes_answers(study, visitor):
    person = visitor()
    item = person.join()
    pause(study)
    assert person.rate(item["lease"]).json()["stage"] == "paused"
    assert visitor().get("/health").json() == {"study": "paused"}
    resume(study)
    assert person.post("/api/next").json()["item"]["number"] == 2


def test_half_a_character_in_a_comment_is_replaced(visitor):
    person = visitor()
    lease = person.join()["lease"]
    body = f'{{"lease": "{lease}", "submission_id": "12345678", "answers": [1, 2, 3], '
    body += '"active_seconds": 1, "wall_seconds": 2, "comment": "\\ud83d \\u0000 \\ud83d\\ude00"}'
    headers = {**PAGE, "Content-Type": "application/json"}
    stored = person.client.post("/api/submit", content=body, headers=headers)
    assert stored.status_code == 200
    assert person.get("/api/items").json()["item"]["comment"] == "\ufffd \ufffd \U0001f600"


def test_who_does_not_wait_for_the_last_pairs_has_a_code(tmp_path):
    study = make_study(tmp_path / "study.sqlite", n_prompts=1, ratings_per_pair=1)
    one, other = Visitor(study, return_url="https://a.org/?cc={code}"), Visitor(study)
    held = other.join()
    state = {"item": one.join()}
    while "item" in state:
        state = one.rate(state["item"]["lease"]).json()
    assert (state["stage"], state["done"]) == ("waiting", 2)
    assert (state["code"], state["return_url"]) == ("C0DE-42", "https://a.org/?cc=C0DE-42")
    late = Visitor(study)
    late.join_only()
    nothing = late.post("/api/next").json()
    assert (nothing["stage"], nothing["code"], nothing["return_url"]) == ("waiting", None, None)
    other.rate(held["lease"])
    assert late.post("/api/next").json()["code"] is None  # for no work
    assert one.post("/api/next").json()["reason"] == "complete"
    codes = [report.completion_code for report in annotator_reports(study)]
    assert codes == ["C0DE-42", "C0DE-42", None]
    for each in (one, other, late):
        each.close()
    study.close()


@pytest.mark.slow
def test_pages_and_dashboard_work_on_postgresql(new_postgresql):
    settings = {"attention_every": 3, "repeat_every": 3, "max_failed_checks": 99}
    study = make_study(new_postgresql(), overlap=1.0, **settings)
    token = new_operator_token(study)
    people = [Visitor(study), Visitor(study)]
    answered = 0
    for person in people:
        item = person.join()
        while item is not None:
            state = person.rate(item["lease"], comment="Ω 🦄").json()
            item, answered = state.get("item"), answered + 1
        assert state["stage"] == "finished"
        earlier = person.get("/api/items").json()["item"]
        assert (earlier["comment"], earlier["answers"]) == ("Ω 🦄", [1, 3, 5])
        assert person.rate(earlier["lease"], answers=[5, 5, 5]).json()["stored"]["revision"] == 2
    operator = people[0]
    operator.post("/api/operator/login", {"token": token})
    for change in ("pause", "resume", "annotators/2/exclude", "annotators/2/include"):
        content = {"reason": "asked for it"} if "annotators" in change else {}
        assert operator.post(f"/api/operator/{change}", content).json() == {"changed": True}
    seen = operator.get("/api/operator/overview").json()
    assert sum(report["n_rated"] for report in seen["annotators"]) == answered
    assert sum(pair["n_valid"] for pair in seen["pairs"]) == seen["totals"]["n_valid"] > 0
    agreed = operator.get("/api/operator/agreement").json()["questions"]
    assert [row["n_units"] > 0 for row in agreed] == [True] * 3
    for person in people:
        person.close()
    study.close()


def test_white_space_around_a_text_stays_here(visitor):
    item = visitor().join()
    for part in ("context", "left", "right"):
        assert item[part] == item[part].strip()


def test_a_pair_that_is_read_for_long_can_be_held(visitor):
    person = visitor()
    lease = person.join()["lease"]
    assert person.post("/api/renew", {"lease": lease}).status_code == 200
    assert person.post("/api/renew", {"lease": "x" * 32}).json()["error"]["code"] == "lease"


def test_pages_are_sent_small_and_once(visitor):
    person = visitor()
    page = person.get("/")
    assert page.headers["content-encoding"] == "gzip"
    names = ["page.css", "page.js", "answers.js", "clock.js", "kept.js", "requests.js", "icon.svg"]
    sizes = [int(page.headers["content-length"])]
    for name in names:
        asset = person.get(f"/assets/{name}")
        sizes.append(int(asset.headers["content-length"]))
        again = person.get(f"/assets/{name}", headers={"If-None-Match": asset.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
    assert sum(sizes) < 24_000  # some two seconds on a slow telephone line
    plain = person.get("/", headers={"Accept-Encoding": "identity"})
    assert plain.content == page.content
    assert person.get("/assets/nothing.js").status_code == 404
    assert person.get("/assets/index.html").status_code == 404
