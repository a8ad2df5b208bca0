"""The annotation page in a browser, against a server in a process of its own."""

import os
import shutil

import pytest
from playwright.sync_api import Error, sync_playwright
from serving import HOSTILE, SYSTEMS, make_study

from mauve.study.store.opening import open_study

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
RULES = ["wcag2a", "wcag2aa", "wcag2aaa", "wcag21a", "wcag21aa", "wcag22aa"]
RULES += ["best-practice", "experimental"]
SIZES = {"telephone": (360, 740), "desktop": (1280, 900)}

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
]


@pytest.fixture(scope="module")
def browser():
    # The superuser, as in a container, has no sandbox.
    flags = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
        yield started
        started.close()


@pytest.fixture
def visit(browser):
    """Return a function that opens an address in a browser of its own."""
    contexts = []

    def opened(address, size="desktop", scheme="light", **options):
        width, height = SIZES[size]
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, **options
        )
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.said, page.asked = [], []
        page.on("console", lambda message: page.said.append(message.text))
        page.on("pageerror", lambda error: page.said.append(str(error)))
        page.on("request", lambda request: page.asked.append(request.url))
        page.goto(address)
        return page

    yield opened
    for context in contexts:
        context.close()


@pytest.fixture
def stored(tmp_path):
    """Return a function that reads all ratings of the study, revisions among them."""
    from sqlalchemy import select

    from mauve.study.store.schema import ASSIGNMENT, RATING

    def read():
        study = open_study(tmp_path / "study.sqlite")
        query = select(RATING, ASSIGNMENT.c.number).join(ASSIGNMENT).order_by(RATING.c.id)
        with study.reading() as connection:
            rows = connection.execute(query).mappings().all()
        study.close()
        return rows

    return read


def begin(page):
    """Agree, read the instructions, and go to the first pair."""
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Agree").click()
    page.get_by_role("button", name="Start").click()
    page.get_by_role("heading", name="Pair 1").wait_for()


def answer(page, *choices):
    """Click one choice for each question, and send them."""
    for question, choice in enumerate(choices, start=1):
        page.locator(f"#choice-{question}-{choice}").check()
    page.get_by_role("button", name="Send").click()


def axe(page):
    from axe_playwright_python.sync_playwright import Axe

    results = Axe().run(page, options={"runOnly": {"type": "tag", "values": RULES}})
    assert results.violations_count == 0, results.generate_report()


def choices(rows):
    return [(row["number"], row["interesting"], row["sensible"], row["human_like"]) for row in rows]


def test_a_whole_annotation_by_mouse(tmp_path, serve, visit, stored):
    make_study(tmp_path / "study.sqlite", n_prompts=1, ratings_per_pair=1).close()
    page = visit(serve().address)
    begin(page)
    answer(page, 1, 2)
    assert page.get_by_role("alert").inner_text() == "Question 3 has no answer yet."
    page.locator("#comment").fill("both are short")
    answer(page, 1, 2, 3)
    page.get_by_role("heading", name="Pair 2").wait_for()
    assert page.locator("input[type=radio]:checked").count() == 0
    assert page.locator("#comment").input_value() == ""
    answer(page, 5, 4, 3)
    page.get_by_role("heading", name="Pair 3").wait_for()
    answer(page, 4, 4, 4)
    page.get_by_role("heading", name="Thank you").wait_for()
    assert page.locator("#code").inner_text() == "C0DE-42"
    axe(page)
    rows = stored()
    assert choices(rows) == [(1, 1, 2, 3), (2, 5, 4, 3), (3, 4, 4, 4)]
    assert [row["comment"] for row in rows] == ["both are short", "", ""]
    assert all(0 < row["active_seconds"] <= row["wall_seconds"] < 60 for row in rows)
    names = {url.partition("//")[2].partition("/")[2].partition("?")[0] for url in page.asked}
    assert names <= {"", *(f"assets/{name}" for name in ASSETS), "api/state", "api/consent",
                     "api/next", "api/submit"}  # fmt: skip
    assert page.said == []


ASSETS = ["page.css", "page.js", "answers.js", "clock.js", "kept.js", "requests.js", "icon.svg"]


def test_keys_back_edit_and_reload(study, serve, visit, stored):
    page = visit(serve().address)
    page.get_by_label("I have read this").wait_for()
    page.get_by_label("I have read this").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Start").wait_for()
    page.get_by_role("button", name="Start").focus()
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Pair 1").wait_for()
    page.keyboard.press("Enter")
    assert page.get_by_role("alert").inner_text() == "Questions 1, 2 and 3 have no answer yet."
    for key in ("1", "2", "3", "Enter"):
        page.keyboard.press(key)
    page.get_by_role("heading", name="Pair 2").wait_for()
    # Half of the answers outlive a reload, and so does the time.
    page.keyboard.press("4")
    page.locator("#comment").fill("5 stars")
    page.reload()
    page.get_by_role("heading", name="Pair 2").wait_for()
    assert page.locator("#choice-1-4").is_checked()
    assert page.locator("#comment").input_value() == "5 stars"
    page.keyboard.press("Backspace")
    page.get_by_role("heading", name="Pair 1").wait_for()
    assert page.locator("#revising").is_visible()
    assert page.get_by_role("button", name="Back").is_disabled()
    assert [page.locator(f"#choice-{n}-{n}").is_checked() for n in (1, 2, 3)] == [True] * 3
    page.locator("#choice-3-3").focus()
    page.keyboard.press("5")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Pair 2").wait_for()
    assert page.locator("#choice-1-4").is_checked()
    page.locator("#choice-2-1").focus()
    for key in ("5", "5", "Enter"):
        page.keyboard.press(key)
    page.get_by_role("heading", name="Pair 3").wait_for()
    assert choices(stored()) == [(1, 1, 2, 3), (1, 1, 2, 5), (2, 4, 5, 5)]
    assert [row["revision"] for row in stored()] == [1, 2, 1]
    page.get_by_label("Answer with the keys").uncheck()
    page.locator("#item-title").focus()
    page.keyboard.press("1")
    assert page.locator("input[type=radio]:checked").count() == 0
    page.get_by_role("button", name="Back").click()
    page.get_by_role("heading", name="Pair 2").wait_for()
    page.get_by_role("button", name="Go on without").click()
    page.get_by_role("heading", name="Pair 3").wait_for()
    assert len(stored()) == 3
    assert page.said == []


def test_a_server_that_is_killed_loses_and_doubles_nothing(study, serve, visit, stored):
    server = serve()
    page = visit(server.address)
    begin(page)
    page.set_viewport_size({"width": 360, "height": 500})

    def kill_before_the_acknowledgement(route):
        route.fetch()  # the server has stored the answers and says so, but nobody hears it
        server.kill()
        route.abort()

    page.route("**/api/submit", kill_before_the_acknowledgement, times=1)
    answer(page, 1, 1, 1)
    page.get_by_text("No answer from the server").wait_for()
    bounds = page.locator("#status").bounding_box()
    assert 0 <= bounds["y"] < 500  # in sight where the button was pressed
    assert choices(stored()) == [(1, 1, 1, 1)]
    server = serve(port=server.port)
    page.get_by_role("heading", name="Pair 2").wait_for()
    assert choices(stored()) == [(1, 1, 1, 1)]
    # Gone before the answers arrive, and the page is closed meanwhile.
    server.kill()
    answer(page, 2, 2, 2)
    page.get_by_text("No answer from the server").wait_for()
    page.close()
    assert len(stored()) == 1
    server = serve(port=server.port)
    page = page.context.new_page()
    page.goto(server.address)
    page.get_by_role("heading", name="Pair 3").wait_for()
    page.reload()
    page.get_by_role("heading", name="Pair 3").wait_for()
    assert choices(stored()) == [(1, 1, 1, 1), (2, 2, 2, 2)]


def test_a_double_click_and_two_tabs_count_once(study, serve, visit, stored):
    address = serve().address
    page = visit(address)
    begin(page)
    other = page.context.new_page()
    other.goto(address)
    other.get_by_role("button", name="Start").click()
    other.get_by_role("heading", name="Pair 1").wait_for()
    for question in (1, 2, 3):
        page.locator(f"#choice-{question}-2").check()
    page.get_by_role("button", name="Send").dblclick()
    page.get_by_role("heading", name="Pair 2").wait_for()
    answer(other, 3, 3, 3)
    other.get_by_role("heading", name="Pair 2").wait_for()
    assert {row["number"] for row in stored()} == {1}
    assert [row["revision"] for row in stored()] == [1, 2]
    assert other.locator("#progress").inner_text() == "1 done"


def test_hostile_texts_are_text(study, serve, visit):
    page = visit(serve().address)
    begin(page)
    for _ in range(6):
        if page.get_by_text(HOSTILE).count():
            break
        number = int(page.locator("#item-title").inner_text().removeprefix("Pair "))
        answer(page, 3, 3, 3)
        page.get_by_role("heading", name=f"Pair {number + 1}").wait_for()
    assert page.get_by_text(HOSTILE).is_visible()
    assert page.get_by_text("begins <i>here</i>").is_visible()
    assert page.locator("main img, main i, main b").count() == 0
    assert "run" not in page.title()
    assert all(name not in page.content() for name in SYSTEMS)
    # A script or markup that came in all the same would do nothing.
    for way in (
        "src = 'data:text/javascript,document.title=1'",
        "textContent = 'document.title=1'",
    ):
        with pytest.raises(Error, match="TrustedScript"):
            page.evaluate(f"document.createElement('script').{way}")
    with pytest.raises(Error, match="TrustedHTML"):
        page.evaluate("document.body.innerHTML = '<img src=x>'")


@pytest.mark.parametrize(("size", "scheme"), [("telephone", "dark"), ("desktop", "light")])
def test_everyone_can_read_every_step(study, serve, visit, size, scheme):
    page = visit(serve().address, size, scheme)
    page.get_by_label("I have read this").wait_for()
    axe(page)
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Agree").click()
    page.get_by_role("button", name="Start").wait_for()
    for title in ("Guidelines", "First example", "Second example", "Keys"):
        assert page.get_by_role("heading", name=title).is_visible()
    axe(page)
    page.get_by_role("button", name="Start").click()
    page.get_by_role("heading", name="Pair 1").wait_for()
    assert page.evaluate("document.activeElement.textContent") == "Pair 1"
    page.get_by_text("Read the instructions again").click()
    page.locator("#choice-1-1").check()
    page.get_by_role("button", name="Send").click()
    axe(page)
    assert page.evaluate("document.documentElement.scrollWidth") == SIZES[size][0]
    left, right = page.locator("#left").bounding_box(), page.locator("#right").bounding_box()
    assert (left["y"] == right["y"]) == (size == "desktop")  # side by side where there is room
    box = page.locator("label[for=choice-1-1]").bounding_box()
    assert min(box["width"], box["height"]) >= 44


def test_links_are_taken_out_of_the_address(tmp_path, serve, visit):
    from mauve.study.store.people import create_invites

    study = make_study(tmp_path / "study.sqlite", enrolment="invite")
    (token,) = create_invites(study, 1)
    study.close()
    address = serve().address
    page = visit(address)
    page.get_by_role("heading", name="Open your invitation link").wait_for()
    axe(page)
    page = visit(f"{address}#invite={token}")
    page.get_by_label("I have read this").wait_for()
    assert page.url == address
    begin(page)
    assert token not in str(page.evaluate("[document.cookie, {...localStorage}, history.state]"))
    assert not any(token in url for url in page.asked)
    page.goto(address)
    page.get_by_role("heading", name="Pair 1").wait_for()


def test_people_of_a_platform_come_by_their_own_links(tmp_path, serve, visit):
    from mauve.study.store.reports import annotator_reports

    study = make_study(tmp_path / "study.sqlite", enrolment="external")
    address = serve().address
    for person in ("5f1e0c0ffee0", "{{%PROLIFIC_PID%}}", "5f1e0c0ffee0"):
        page = visit(f"{address}?PROLIFIC_PID={person}&STUDY_ID=s9&SESSION_ID=z8")
        if "%" in person:  # how a platform shows a preview
            page.get_by_text("It is not complete.").wait_for()
            assert page.get_by_role("button").count() == 0
        else:
            page.get_by_label("I have read this").wait_for()
        assert page.url == address
    (report,) = annotator_reports(study)
    assert report.external_id == "5f1e0c0ffee0"
    study.close()


def test_active_time_leaves_out_a_hidden_page_and_idle_time(study, serve, visit):
    page = visit(serve().address)
    counted = page.evaluate(
        """async () => {
          const { Clock } = await import("./assets/clock.js");
          let now = 0;
          let hidden = false;
          Object.defineProperty(document, "hidden", { get: () => hidden });
          const clock = new Clock({ idleAfter: 60000, now: () => now });
          clock.watch();
          const counts = [];
          const step = (milliseconds, event) => {
            now += milliseconds;
            if (event) (event === "visibilitychange" ? document : window)
              .dispatchEvent(new Event(event));
            counts.push(clock.count() / 1000);
          };
          clock.start(5000);
          step(10000, "pointermove");       // 5 + 10
          step(59000, "keydown");           // all of it: no minute without a sign
          step(100000, "scroll");           // 60 of 100
          hidden = true;
          step(10000, "visibilitychange");  // in sight up to now
          step(500000);                     // hidden: nothing
          hidden = false;
          step(500000, "visibilitychange"); // still nothing
          step(20000);                      // 20
          clock.stop();
          step(20000, "pointermove");       // stopped
          return counts;
        }"""
    )
    assert counted == [15, 74, 134, 144, 144, 144, 164, 164]


@pytest.mark.parametrize(("size", "scheme"), [("telephone", "dark"), ("desktop", "light")])
def test_the_dashboard(study, serve, visit, size, scheme):
    from mauve.study.store.people import create_invites, enrol, new_operator_token

    enrol(study, invite=create_invites(study, 3)[0])
    token = new_operator_token(study)
    address = serve().address
    page = visit(f"{address}operator", size, scheme)
    page.get_by_label("The token").fill("wrong")
    page.get_by_role("button", name="Open").click()
    page.get_by_text("not the operator's token").wait_for()
    axe(page)
    page.said.clear()
    page.goto(f"{address}operator#token={token}")
    page.reload()  # a change of what stands behind # alone loads nothing
    page.get_by_role("heading", name="A study of stories").wait_for()
    page.locator("#agreement tr").nth(2).wait_for()
    assert page.url == f"{address}operator"
    assert "Unused invitations 2 of 3" in " ".join(page.locator("#figures").inner_text().split())
    assert (
        page.get_by_role("cell", name="human – zebra-9b")
        .or_(page.get_by_role("rowheader", name="human – zebra-9b"))
        .is_visible()
    )
    axe(page)
    assert page.evaluate("document.documentElement.scrollWidth") == SIZES[size][0]
    page.get_by_role("button", name="Pause").click()
    page.get_by_text("The study is paused").wait_for()
    assert study.is_paused
    page.get_by_role("button", name="Exclude annotator 1").click()
    axe(page)
    page.get_by_label("Reason").fill("asked to be left out")
    page.keyboard.press("Enter")
    page.get_by_text("excluded: asked to be left out").wait_for()
    page.get_by_role("button", name="Log out").click()
    page.get_by_label("The token").wait_for()
    page.reload()
    page.get_by_label("The token").wait_for()
    assert token not in str(page.evaluate("[document.cookie, {...localStorage}]"))


def test_who_waits_for_the_last_pair_has_a_code_and_can_look_again(tmp_path, serve, visit):
    study = make_study(tmp_path / "study.sqlite", n_prompts=1, ratings_per_pair=1)
    address = serve("--return-url", "https://example.org/?cc={code}").address
    other = visit(address)
    begin(other)
    page = visit(address, "telephone")
    begin(page)
    answer(page, 1, 2, 3)
    page.get_by_role("heading", name="Pair 2").wait_for()
    answer(page, 1, 2, 3)
    page.get_by_role("heading", name="No pair is free just now").wait_for()
    assert page.locator("#code").inner_text() == "C0DE-42"
    link = page.get_by_role("link", name="Return")
    assert link.get_attribute("href") == "https://example.org/?cc=C0DE-42"
    axe(page)
    answer(other, 1, 2, 3)
    page.get_by_role("button", name="Look again").click()
    page.get_by_role("heading", name="Thank you").wait_for()
    assert page.get_by_role("button", name="Look again").count() == 0
    study.close()


def test_a_paused_study_can_be_looked_at_again(study, serve, visit):
    from mauve.study.store.control import pause, resume

    page = visit(serve().address)
    begin(page)
    pause(study)
    answer(page, 1, 2, 3)
    page.get_by_role("heading", name="The study is paused").wait_for()
    axe(page)
    page.get_by_role("button", name="Look again").click()
    page.get_by_role("heading", name="The study is paused").wait_for()
    resume(study)
    page.get_by_role("button", name="Look again").click()
    page.get_by_role("heading", name="Pair 2").wait_for()


def test_answers_that_a_proxy_refuses_are_kept_and_sent(study, serve, visit, stored):
    page = visit(serve().address)
    begin(page)
    page.route(
        "**/api/submit",
        lambda route: route.fulfill(status=403, content_type="text/html", body="no"),
        times=1,
    )
    answer(page, 1, 2, 3)
    page.get_by_text("The server answered with an error (403).").wait_for()
    assert stored() == []
    page.get_by_role("button", name="Try again now").click()
    page.get_by_role("heading", name="Pair 2").wait_for()
    assert choices(stored()) == [(1, 1, 2, 3)]
    # The server itself refuses, whatever the answers are: they are sent when it does no longer.
    refusal = '{"error": {"code": "origin", "message": "Not from the page."}}'
    page.route(
        "**/api/submit",
        lambda route: route.fulfill(status=403, content_type="application/json", body=refusal),
        times=1,
    )
    answer(page, 4, 5, 5)
    page.get_by_text("Not from the page.").wait_for()
    page.get_by_role("button", name="Go on").click()
    page.get_by_role("heading", name="Pair 3").wait_for()
    assert choices(stored()) == [(1, 1, 2, 3), (2, 4, 5, 5)]


def test_a_new_consent_text_is_shown_and_the_answers_arrive(study, serve, visit, stored):
    import sqlalchemy as sa

    from mauve.study.store.schema import STUDY

    page = visit(serve().address)
    begin(page)
    changed = study.settings.changed(consent="You may stop at any time.")
    with study.writing() as connection:
        connection.execute(sa.update(STUDY).values(settings=changed.to_json()))
    answer(page, 1, 2, 3)
    page.get_by_text("You may stop at any time.").wait_for()
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Agree").click()
    page.get_by_role("heading", name="Pair 2").wait_for()
    assert choices(stored()) == [(1, 1, 2, 3)]


def test_an_invitation_that_is_not_valid_leads_nowhere(tmp_path, serve, visit):
    make_study(tmp_path / "study.sqlite", enrolment="invite").close()
    page = visit(f"{serve().address}#invite={'x' * 43}")
    page.get_by_text("This invitation is not valid: ask for a new link.").wait_for()
    assert page.get_by_role("button").count() == 0
