"""What the server must refuse, and what it must never send or write."""

import http.client
import json
import socket
from concurrent.futures import ThreadPoolExecutor

import pytest
from serving import PAGE, SYSTEMS, Visitor, make_study, submission
from sqlalchemy import func, select

from mauve.study.server.limits import Buckets, Limits
from mauve.study.store.people import create_invites, enrol, new_operator_token
from mauve.study.store.schema import RATING


def n_ratings(study):
    with study.reading() as connection:
        return connection.execute(select(func.count()).select_from(RATING)).scalar_one()


def test_no_rating_without_a_lease_of_one_s_own(study, visitor):
    one, other, nobody = visitor(), visitor(), visitor()
    lease = one.join()["lease"]
    other.join()
    for person, sent in ((other, lease), (one, "x" * 32), (one, lease[:-1])):
        refused = person.rate(sent)
        assert (refused.status_code, refused.json()["error"]["code"]) == (409, "lease")
    refused = nobody.rate(lease)
    assert (refused.status_code, refused.json()["error"]["code"]) == (401, "session")
    assert nobody.get("/api/items").status_code == 401
    assert other.get("/api/items").status_code == 404
    assert n_ratings(study) == 0
    assert one.rate(lease).status_code == 200


def test_no_pair_without_consent(study, visitor):
    person = visitor()
    token = enrol(study)
    person.client.cookies.set(cookie_name(person), token)
    refused = person.post("/api/next")
    assert (refused.status_code, refused.json()["error"]["code"]) == (409, "consent")


def cookie_name(person):
    other = Visitor(person.study)
    other.join()
    (name,) = other.client.cookies
    return name


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example", "X-Mauve-Study": "1"},
        {"Origin": "null", "X-Mauve-Study": "1"},
        {"Origin": "http://testserver.evil.example", "X-Mauve-Study": "1"},
        {"Origin": "https://testserver", "X-Mauve-Study": "1"},
        {"Origin": "http://testserver"},
        {"X-Mauve-Study": "1"},
        {"Origin": "http://testserver", "X-Mauve-Study": "1", "Host": "a:b"},
        {},
    ],
)
def test_requests_of_other_sites_are_refused(study, headers):
    person, forged = Visitor(study), Visitor(study, headers=headers)
    item = person.join()
    forged.client.cookies = person.client.cookies  # as if the browser had sent them along
    for address in ("/api/submit", "/api/next", "/api/consent", "/api/operator/pause"):
        refused = forged.post(address, submission(item["lease"]))
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "origin")
    assert n_ratings(study) == 0


def test_a_form_of_another_site_could_not_be_read(study, visitor):
    person = visitor()
    body = submission(person.join()["lease"])
    for kind in ("text/plain", "application/x-www-form-urlencoded"):
        refused = person.client.post(
            "/api/submit", content=json.dumps(body), headers={"Content-Type": kind}
        )
        assert refused.status_code == 422
    assert n_ratings(study) == 0


def test_behind_a_proxy_the_public_address_counts(study, visitor):
    person = visitor(
        public_url="https://study.example.org/",
        headers={"Origin": "https://study.example.org", "X-Mauve-Study": "1"},
    )
    consent = person.get("/api/state").json()["consent"]
    joined = person.post("/api/consent", {"version": consent["version"]})
    cookie = joined.headers["set-cookie"]
    assert cookie.startswith("__Host-mauve-annotator-")
    assert "Secure" in cookie
    assert joined.headers["strict-transport-security"] == "max-age=31536000"
    other = visitor(public_url="https://study.example.org/")
    assert other.post("/api/next").json()["error"]["code"] == "origin"


def test_cookies_are_for_this_site_and_not_for_scripts(visitor):
    person = visitor()
    consent = person.get("/api/state").json()["consent"]
    cookie = person.post("/api/consent", {"version": consent["version"]}).headers["set-cookie"]
    for part in ("HttpOnly", "SameSite=strict", "Path=/"):
        assert part in cookie


@pytest.mark.parametrize(
    "address", ["/", "/operator", "/assets/page.js", "/api/state", "/api/items", "/nothing"]
)
def test_every_answer_tells_browsers_to_be_strict(visitor, address):
    headers = visitor().get(address).headers
    policy = dict(
        part.strip().partition(" ")[::2] for part in headers["content-security-policy"].split(";")
    )
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert policy["require-trusted-types-for"] == "'script'"
    assert "unsafe" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["x-frame-options"] == "DENY"
    assert "access-control-allow-origin" not in headers
    assert headers["cache-control"] in ("no-store", "no-cache")


def test_no_script_or_style_stands_in_a_page():
    from mauve.study.server.assets import load_assets

    for name, asset in load_assets().items():
        text = asset.content.decode()
        assert "http://" not in text.replace("http://www.w3.org/2000/svg", ""), name
        assert "https://" not in text, name
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("):
            assert word not in text, name
        if name.endswith(".html"):
            assert text.count("<script") == text.count('<script type="module" src="assets/')
            assert "<style" not in text
            assert " style=" not in text
            assert not any(f" on{event}=" in text for event in ("click", "load", "submit"))


def test_nothing_that_is_sent_names_a_system(tmp_path):
    study = make_study(
        tmp_path / "study.sqlite", repeat_every=4, attention_every=4, max_failed_checks=99
    )
    person = Visitor(study)
    answers, item = [], person.join()
    while item is not None:
        answers.append(person.rate(item["lease"]))
        item = answers[-1].json().get("item")
    answers += [person.get(f"/api/items?before={n}") for n in range(2, len(answers))]
    answers += [person.get(address) for address in ("/api/state", "/health")]
    answers += [person.rate("x" * 32), person.post("/api/enrol", {"invite": "x" * 32})]
    sent = "".join(answer.text + str(answer.headers) for answer in answers)
    assert sent.count("The bus was late") > 6
    for word in (*SYSTEMS, "human", "attention", "repeat", "overlap", "a_is_left", "system"):
        assert word not in sent, word
    study.close()


def test_a_pair_is_sent_with_nothing_that_is_not_shown(visitor):
    person = visitor()
    item = person.join()
    assert item.keys() == {"lease", "number", "context", "left", "right"}
    state = person.rate(item["lease"]).json()
    assert state.keys() == {"stage", "stored", "item", "owner", "done", "limit"}
    earlier = person.get("/api/items").json()["item"]
    assert earlier.keys() - item.keys() == {"answers", "comment", "revision", "is_first"}
    # No number of the database: pairs are counted from 1 for each person, and leases are random.
    other = visitor()
    other_item = other.join()
    assert (item["number"], other_item["number"]) == (1, 1)
    assert len({item["lease"], state["item"]["lease"], other_item["lease"]}) == 3
    assert min(len(each["lease"]) for each in (item, other_item)) == 32  # 192 bits


def test_tokens_are_compared_in_constant_time_and_only_by_their_hashes(tmp_path, monkeypatch):
    import hashlib
    import hmac

    study = make_study(tmp_path / "study.sqlite", enrolment="invite")
    (invite,) = create_invites(study, 1)
    operator = new_operator_token(study)
    compared = []
    compare_digest = hmac.compare_digest

    def noted(one, other):  # and compared as always
        compared.append((one, other))
        return compare_digest(one, other)

    monkeypatch.setattr(hmac, "compare_digest", noted)
    person = Visitor(study)
    assert person.post("/api/enrol", {"invite": invite}).status_code == 200
    session = next(iter(person.client.cookies.values()))
    assert person.get("/api/state").json()["stage"] == "consent"
    assert person.post("/api/operator/login", {"token": operator[::-1]}).status_code == 401
    assert person.post("/api/operator/login", {"token": operator}).status_code == 200
    hashes = {hashlib.sha256(token.encode()).hexdigest() for token in (invite, session, operator)}
    assert hashes <= {one for pair in compared for one in pair}
    for pair in compared:
        assert [len(one) for one in pair] == [64, 64]
    for secret in (invite, session, operator):
        assert secret not in str(compared)
    person.close()
    study.close()


@pytest.mark.slow
def test_a_request_that_is_too_long_is_refused_early(study, visitor, serve):
    person = visitor()
    lease = person.join()["lease"]
    assert person.rate(lease, comment="x" * 2000).status_code == 200
    refused = person.rate(lease, comment="x" * 40_000)
    assert (refused.status_code, refused.json()["error"]["code"]) == (413, "long")
    server = serve()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    headers = {"Origin": server.address.rstrip("/"), "X-Mauve-Study": "1"}
    # Without a length, in pieces, and far more than is ever read.
    pieces = (b"x" * 8192 for _ in range(64))
    try:
        connection.request("POST", "/api/submit", body=pieces, headers=headers, encode_chunked=True)
    except (BrokenPipeError, ConnectionResetError):
        pass  # the server has hung up already
    else:
        assert connection.getresponse().status == 413
    connection.close()


def test_a_request_that_never_ends_is_given_up(study, visitor):
    person = visitor(limits=Limits(body_seconds=0.05))

    async def run():
        sent = []

        async def receive():
            import asyncio

            await asyncio.sleep(30)

        async def send(message):
            sent.append(message)

        scope = {
            "type": "http", "method": "POST", "path": "/api/submit", "scheme": "http",
            "query_string": b"", "http_version": "1.1", "server": ("testserver", 80),
            "client": ("1.2.3.4", 5), "root_path": "",
            "headers": [(b"host", b"testserver"),
                        *((k.lower().encode(), v.encode()) for k, v in PAGE.items())],
        }  # fmt: skip
        await person.client.app(scope, receive, send)
        return sent

    import asyncio

    sent = asyncio.run(run())
    assert sent[0]["status"] == 408


@pytest.mark.parametrize(
    "changes",
    [
        {"answers": [1, 2]},
        {"answers": [1, 2, 3, 4]},
        {"answers": [0, 2, 3]},
        {"answers": [1, 2, 6]},
        {"answers": [1, 2, 2.5]},
        {"answers": [1, 2, True]},
        {"answers": ["1", 2, 3]},
        {"answers": None},
        {"active_seconds": -1},
        {"active_seconds": "30"},
        {"active_seconds": 1e300},
        {"wall_seconds": None},
        {"comment": "x" * 2001},
        {"comment": ["x"]},
        {"submission_id": "short"},
        {"submission_id": "x" * 65},
        {"submission_id": "a b c d e f g"},
        {"lease": "x" * 200},
        {"lease": " "},
        {"extra": 1},
    ],
)
def test_fields_are_checked(study, changes):
    person = Visitor(study)
    lease = person.join()["lease"]
    refused = person.post("/api/submit", {**submission(lease), **changes})
    assert refused.status_code == 422
    error = refused.json()["error"]
    assert error["code"] == "invalid"
    (field,) = changes
    assert error["message"] == f"The request is invalid: {field}."  # and no value
    assert n_ratings(study) == 0


def test_what_is_no_json_is_refused(visitor):
    person = visitor()
    person.join()
    headers = {"Content-Type": "application/json"}
    for body in (b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"active_seconds": NaN}'):
        refused = person.client.post("/api/submit", content=body, headers=headers)
        assert refused.status_code == 422, body
    for deep in (b"[" * 30_000, b'{"lease":' * 3000, b"1" * 20_000):
        refused = person.client.post("/api/submit", content=deep, headers=headers)
        assert (refused.status_code, refused.json()["error"]["code"]) == (422, "invalid")
    assert person.get("/api/items?before=99999999999999999999").status_code == 422
    assert person.get("/api/items?before=x").status_code == 422


def test_too_many_requests(study, visitor):
    person = visitor(limits=Limits(address_rate=0.5, address_burst=10))
    for _ in range(10):
        assert person.get("/api/state").status_code == 200
    refused = person.get("/api/state")
    assert (refused.status_code, refused.json()["error"]["code"]) == (429, "busy")
    assert 1 <= int(refused.headers["retry-after"]) <= 3
    quick = visitor(limits=Limits(annotator_rate=0.01, annotator_burst=3))
    quick.join()
    assert [quick.post("/api/next").status_code for _ in range(3)] == [200, 200, 429]
    crowd = Limits(enrolment_rate=0.01, enrolment_burst=2)
    one = visitor(limits=crowd)
    codes = []
    for _ in range(3):
        one.client.cookies.clear()
        version = study.settings.consent_version
        codes.append(one.post("/api/consent", {"version": version}).status_code)
    assert codes == [200, 200, 429]


def test_people_of_a_platform_cannot_enrol_without_end(tmp_path):
    study = make_study(tmp_path / "study.sqlite", enrolment="external")
    one = Visitor(study, limits=Limits(enrolment_rate=0.5, enrolment_burst=2))
    enrol = [one.post("/api/enrol", {"external": {"person": f"made-up-{i}"}}) for i in range(3)]
    assert [answer.status_code for answer in enrol] == [200, 200, 429]
    assert enrol[2].headers["retry-after"] == "2"
    # An invitation is known: whoever has one is let in.
    (invite,) = create_invites(study, 1)
    assert one.post("/api/enrol", {"invite": invite}).status_code == 200
    one.close()
    study.close()


def test_buckets_forget_the_oldest_key():
    time = [0.0]
    buckets = Buckets(rate=1, burst=1, clock=lambda: time[0], max_keys=2)
    assert [buckets.take(key) for key in "aab"] == [0, 1, 0]
    assert buckets.take("c") == 0  # the third key: that of "a" is forgotten
    assert buckets.take("a") == 0
    time[0] = 10.0
    assert [buckets.take("c"), buckets.take("c")] == [0, 1]  # no more than the burst comes back


def test_threads_take_no_more_from_a_bucket_than_it_holds():
    buckets = Buckets(rate=1, burst=100, clock=lambda: 0.0)
    with ThreadPoolExecutor(8) as threads:
        waits = [*threads.map(buckets.take, ["one"] * 2000)]
    assert waits.count(0.0) == 100


@pytest.mark.parametrize(
    "text", ["'); DROP TABLE rating; --", '" OR 1=1 --', "%s :x ? {0} $1", "\\", "Ω\u202e\u0000"]
)
def test_sql_in_a_field_is_a_text(study, text):
    person = Visitor(study)
    lease = person.join()["lease"]
    assert person.rate(lease, comment=text).status_code == 200
    stored = person.get("/api/items").json()["item"]["comment"]
    assert stored == text.replace("\x00", "\ufffd")
    for field in ("lease", "submission_id"):
        content = {**submission(lease), field: f"{lease[:8]}{text}"}
        assert person.post("/api/submit", content).status_code == 422
    assert person.post("/api/enrol", {"invite": text}).status_code == 422
    assert person.post("/api/enrol", {"external": {"person": text}}).status_code == 422
    assert person.post("/api/consent", {"version": text}).status_code == 409
    assert person.get("/api/items", params={"before": text}).status_code == 422
    assert person.post("/api/operator/login", {"token": text}).status_code == 422
    assert person.post("/api/operator/login", {"token": new_operator_token(study)}).is_success
    decided = person.post("/api/operator/annotators/1/exclude", {"reason": text})
    assert decided.status_code == 200
    (report,) = person.get("/api/operator/overview").json()["annotators"]
    assert report["reason"] == stored
    assert n_ratings(study) == 1


def test_no_sql_is_put_together_from_values():
    import re
    from importlib.resources import files

    import mauve.study.store

    for path in files(mauve.study.store).iterdir():
        if path.name.endswith(".py"):
            calls = re.findall(
                r"(?:exec_driver_sql|execute|sa\.text)\(\s*f[\"'][^\n]*", path.read_text()
            )
            # A constant of the module, in a place where SQLite takes no parameters.
            allowed = [call for call in calls if "PRAGMA busy_timeout = {_BUSY_MS}" in call]
            assert calls == allowed, path.name
            assert "literal_column" not in path.read_text()


@pytest.mark.slow
def test_no_token_is_logged(tmp_path, serve):
    study = make_study(tmp_path / "study.sqlite", enrolment="external")
    (invite,) = create_invites(study, 1)
    operator = new_operator_token(study)
    study.close()
    server = serve("--log-requests")
    origin = server.address.rstrip("/")
    cookies = []

    def request(method, path, content=None):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
        headers = {"Origin": origin, "X-Mauve-Study": "1", "Content-Type": "application/json"}
        if cookies:
            headers["Cookie"] = "; ".join(cookies)
        body = None if content is None else json.dumps(content)
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        for name, value in answer.getheaders():
            if name == "set-cookie":
                cookies.append(value.partition(";")[0])
        found = answer.read()
        connection.close()
        return json.loads(found) if found.startswith(b"{") else {}

    person = "5f1e0c0ffee0"
    request("GET", f"/?PROLIFIC_PID={person}&STUDY_ID=s9s9s9&SESSION_ID=z8z8z8")
    request("GET", f"/{invite}")  # pasted in the wrong place
    request("GET", f"/assets/{invite}")
    request("POST", "/api/enrol", {"invite": invite, "unknown": invite})
    consent = request("POST", "/api/enrol", {"external": {"person": person}})["consent"]
    request("POST", "/api/consent", {"version": consent["version"]})
    lease = request("POST", "/api/next", {})["item"]["lease"]
    assert request("POST", "/api/submit", submission(lease))["done"] == 1
    request("POST", "/api/submit", {**submission(lease), "answers": lease})
    request("POST", "/api/operator/login", {"token": operator})
    assert "pairs" in request("GET", "/api/operator/overview")
    request("POST", "/api/operator/login", {"token": operator[::-1]})
    said = server.stop()
    assert "POST /api/submit 200" in said
    assert "GET (unknown) 404" in said
    assert "the server has stopped" in said
    secrets = [cookie.partition("=")[2] for cookie in cookies]
    assert len(secrets) == 2
    for secret in (invite, operator, operator[::-1], lease, person, "s9s9s9", *secrets):
        assert secret not in said


def test_a_mistake_in_the_server_is_told_without_its_message(study, visitor, caplog):
    person = visitor()
    person.join()
    with study.writing() as connection:  # somebody has damaged it
        connection.exec_driver_sql("UPDATE study SET settings = '{'")
    refused = person.rate("x" * 32, comment="my secret")
    assert (refused.status_code, refused.json()["error"]["code"]) == (500, "internal")
    assert "content-security-policy" in refused.headers
    assert "internal error" in caplog.text
    assert "my secret" not in caplog.text
    assert "x" * 32 not in caplog.text


@pytest.mark.slow
def test_a_port_that_is_taken_is_one_sentence(study, tmp_path):
    import subprocess
    import sys

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        command = [sys.executable, "-m", "mauve", "study", "serve", str(tmp_path / "study.sqlite")]
        done = subprocess.run([*command, "--port", port], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == (
        f"error: The server cannot listen on 127.0.0.1 port {port} (Address already in use): name "
        "another host or port.\n"
    )
    assert done.stdout == ""


@pytest.mark.slow
def test_two_servers_of_one_study_share_it(study, serve):
    import httpx2

    servers = [serve(), serve()]
    people = [
        httpx2.Client(
            base_url=server.address,
            headers={"Origin": server.address.rstrip("/"), "X-Mauve-Study": "1"},
        )
        for server in servers
    ]
    version = study.settings.consent_version
    items = []
    for person in people:
        person.post("/api/consent", json={"version": version})
        items.append(person.post("/api/next", json={}).json()["item"])
    assert items[0]["lease"] != items[1]["lease"]
    for _ in range(3):
        for i, person in enumerate(people):
            state = person.post("/api/submit", json=submission(items[i]["lease"])).json()
            items[i] = state["item"]
    assert n_ratings(study) == 6
    for person in people:
        person.close()


def test_the_pages_work_below_a_path(study):
    from mauve.study.server.assets import load_assets

    for name, asset in load_assets().items():
        text = asset.content.decode()
        for word in ('href="/', 'src="/', '"/api', "`/api", 'from "/'):
            assert word not in text, name
