"""What the operator sees and changes."""

import pytest
from serving import SYSTEMS, Visitor

from mauve.study.store.people import new_operator_token


@pytest.fixture
def operator(study, visitor):
    """Return a visitor who has logged in as the operator."""
    person = visitor()
    assert person.post("/api/operator/login", {"token": new_operator_token(study)}).is_success
    return person


def rate_all(person):
    item = person.join()
    while item is not None:
        item = person.rate(item["lease"]).json().get("item")


def test_nothing_without_the_token(study, visitor):
    token = new_operator_token(study)
    person = visitor()
    person.join()  # who annotates is no operator
    for address in ("overview", "agreement"):
        assert person.get(f"/api/operator/{address}").status_code == 401
    for address in ("pause", "resume"):
        assert person.post(f"/api/operator/{address}").status_code == 401
    reason = {"reason": "because"}
    assert person.post("/api/operator/annotators/1/exclude", reason).status_code == 401
    for wrong in (token[:-1], token.upper(), "x"):
        assert person.post("/api/operator/login", {"token": wrong}).status_code == 401
    assert not study.is_paused
    assert person.post("/api/operator/login", {"token": token}).is_success
    assert person.get("/api/operator/overview").is_success
    new_operator_token(study)  # the one before ends with it
    assert person.get("/api/operator/overview").status_code == 401


def test_the_overview(study, operator):
    rate_all(Visitor(study))
    seen = operator.get("/api/operator/overview").json()
    assert (seen["title"], seen["paused"]) == ("A study of stories", False)
    assert seen["totals"]["n_valid"] == seen["totals"]["target"] == 18
    assert {pair["system_a"] for pair in seen["pairs"]} | {
        pair["system_b"] for pair in seen["pairs"]
    } == {"human", *SYSTEMS}
    (person,) = seen["annotators"]
    assert (person["n_rated"], person["n_valid"], person["tie_share"]) == (18, 18, 1 / 3)
    assert not {"completion_code", "external_id"} & person.keys()
    assert seen["rules"] == {"min_active_seconds": 0, "max_failed_checks": 1}


def test_pause_exclude_and_include(study, operator):
    rate_all(Visitor(study))
    assert operator.post("/api/operator/pause").is_success
    assert operator.get("/api/operator/overview").json()["paused"]
    assert Visitor(study).get("/health").json() == {"study": "paused"}
    assert operator.post("/api/operator/resume").is_success
    decided = operator.post(
        "/api/operator/annotators/1/exclude", {"reason": "asked to be left out"}
    )
    assert decided.is_success
    seen = operator.get("/api/operator/overview").json()
    assert seen["totals"]["n_valid"] == 0
    assert seen["totals"]["n_invalid"] == 18
    (person,) = seen["annotators"]
    assert (person["is_excluded"], person["reason"]) == (True, "asked to be left out")
    assert operator.post("/api/operator/annotators/1/include", {"reason": "agreed"}).is_success
    assert operator.get("/api/operator/overview").json()["totals"]["n_valid"] == 18
    unknown = operator.post("/api/operator/annotators/7/exclude", {"reason": "who?"})
    assert unknown.status_code == 404
    assert "There is no annotator 7" in unknown.json()["error"]["message"]
    assert operator.post("/api/operator/annotators/1/exclude", {"reason": ""}).status_code == 422
    assert operator.post("/api/operator/logout").is_success
    assert operator.get("/api/operator/overview").status_code == 401


def test_agreement(tmp_path):
    from serving import make_study

    study = make_study(tmp_path / "shared.sqlite", overlap=1, overlap_raters=2)
    operator = Visitor(study)
    operator.post("/api/operator/login", {"token": new_operator_token(study)})
    empty = operator.get("/api/operator/agreement").json()["questions"]
    assert [row["alpha"] for row in empty] == [None] * 3
    study.close()

    study = make_study(tmp_path / "rated.sqlite", overlap=1, overlap_raters=2)
    for answers in ([1, 1, 1], [1, 1, 5]):
        person = Visitor(study)
        item = person.join()
        while item is not None:
            # By the text and not by the side, so that both see the same.
            sent = [a if "bus" in item["left"] else 6 - a for a in answers]
            item = person.rate(item["lease"], answers=sent).json().get("item")
    operator = Visitor(study)
    operator.post("/api/operator/login", {"token": new_operator_token(study)})
    rows = operator.get("/api/operator/agreement").json()["questions"]
    assert [row["question"] for row in rows] == ["interesting", "sensible", "human-like"]
    assert rows[0]["n_units"] == 9
    assert rows[2]["alpha"] < rows[0]["alpha"]
    study.close()
