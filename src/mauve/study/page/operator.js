// The operator's dashboard: how the study stands, and the few things that can be changed.

import { Refusal, send } from "./requests.js";

const EVERY = 10_000; // milliseconds between two looks at the study
const AGREEMENT_EVERY = 120_000;

const at = (id) => document.getElementById(id);
let shown = null; // what the tables show, to leave them alone where nothing has changed
let decide = null; // what the dialog is about to do

function say(text, isWaiting = false) {
  at("status").textContent = text;
  at("status").classList.toggle("waiting", isWaiting);
}

function element(name, content, className = "") {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...[content].flat());
  return made;
}

function heading(content) {
  const cell = element("th", content);
  cell.scope = "row";
  return cell;
}

const number = (value) => (value === null ? "–" : value.toLocaleString("en"));
const seconds = (value) => (value === null ? "–" : `${Math.round(value)}`);
const share = (value) => (value === null ? "–" : `${Math.round(100 * value)}%`);
const alpha = (value) => (value === null ? "–" : value.toFixed(2).replace("-", "−"));

// What the dashboard shows

function figure(name, value, note) {
  return element("div", [element("dt", name), element("dd", [value, " ", element("small", note)])]);
}

function render(study) {
  at("title").textContent = study.title;
  document.title = `${study.title} – dashboard`;
  at("state").textContent = study.paused ? "Paused" : "Open";
  at("paused-note").hidden = !study.paused;
  at("pause").textContent = study.paused ? "Resume the study" : "Pause the study";
  at("pause").onclick = () => change(study.paused ? "resume" : "pause", {});
  const { totals } = study;
  at("figures").replaceChildren(
    figure("Valid ratings", number(totals.n_valid), `of ${number(totals.target)}`),
    figure("Pairs complete", number(totals.n_done_pairs), `of ${number(totals.n_pairs)}`),
    figure("Not counted", number(totals.n_invalid), "all kept"),
    figure("Annotators", number(totals.n_annotators), `${number(totals.n_trusted)} count`),
    figure("Being read", number(totals.n_assigned), "now"),
    ...(totals.n_invitations
      ? [
          figure(
            "Unused invitations",
            number(totals.n_unused_invitations),
            `of ${number(totals.n_invitations)}`,
          ),
        ]
      : []),
  );
  at("pairs").replaceChildren(...study.pairs.map(pairRow));
  at("people").replaceChildren(...study.annotators.map(personRow));
  at("rules").textContent =
    `A rating counts if it took at least ${study.rules.min_active_seconds} s of active time and ` +
    `its annotator is not excluded and did not fail more than ${study.rules.max_failed_checks} ` +
    "of the attention checks. Nothing is deleted: a change of the rules counts everything again.";
}

function renderAgreement(questions) {
  at("agreement").replaceChildren(
    ...questions.map((row) =>
      element("tr", [
        heading(row.question),
        element("td", alpha(row.alpha)),
        element("td", share(row.same_side)),
        element("td", number(row.n_units)),
      ]),
    ),
  );
}

function pairRow(pair) {
  const { system_a: a, system_b: b, target, n_valid: valid } = pair;
  const progress = document.createElement("progress");
  progress.max = target;
  progress.value = Math.min(valid, target);
  progress.setAttribute("aria-label", `${a} and ${b}: ${valid} of ${target}`);
  return element("tr", [
    heading(`${a} – ${b}`),
    element("td", number(valid)),
    element("td", number(target)),
    element("td", progress, "bar-cell"),
    element("td", number(pair.n_invalid)),
    element("td", number(pair.n_assigned)),
  ]);
}

/** Say whether the ratings of a person count, and if not, why. */
function standing(person) {
  if (person.is_excluded) return `excluded: ${person.reason}`;
  return person.is_trusted ? "counts" : "failed checks";
}

function personRow(person) {
  const verb = person.is_excluded ? "Include" : "Exclude";
  const button = element("button", verb);
  button.type = "button";
  button.setAttribute("aria-label", `${verb} annotator ${person.number}`);
  button.addEventListener("click", () => ask(person));
  return element(
    "tr",
    [
      heading(String(person.number)),
      element("td", person.source, "words"),
      element("td", number(person.n_rated)),
      element("td", number(person.n_valid)),
      element("td", seconds(person.median_seconds)),
      element("td", number(person.n_fast)),
      element("td", person.n_checks ? `${person.n_failed_checks} of ${person.n_checks}` : "–"),
      element("td", share(person.self_agreement)),
      element("td", share(person.tie_share)),
      element("td", share(person.left_share)),
      element("td", standing(person), "words standing"),
      element("td", button),
    ],
    person.is_trusted ? "" : "out",
  );
}

// What the operator changes

function ask(person) {
  const verb = person.is_excluded ? "Include" : "Exclude";
  at("decision-title").textContent = `${verb} annotator ${person.number}?`;
  at("decision-text").textContent = person.is_excluded
    ? "The ratings of this person will count again, if the rules allow it."
    : "The ratings of this person will no longer count, and the pairs will be given to others. " +
      "Nothing is deleted, and you can include the person again.";
  at("decide").textContent = verb;
  at("reason").value = "";
  decide = () =>
    change(`annotators/${person.number}/${verb.toLowerCase()}`, { reason: at("reason").value });
  at("decision").showModal();
  at("reason").focus();
}

async function change(address, content) {
  say("Changing …");
  try {
    await send("POST", `api/operator/${address}`, content);
    say("Done");
    await look();
    lookAtAgreement();
  } catch (error) {
    failed(error);
  }
}

function failed(error) {
  if (error instanceof Refusal && error.status === 401) showLogin();
  else if (error instanceof Refusal) say(error.message, true);
  else say("No answer from the server.", true);
}

// Looking again and again

function showLogin() {
  at("overview").hidden = true;
  at("login").hidden = false;
  at("state").textContent = "";
  shown = null;
  at("token").focus();
}

async function look() {
  try {
    const study = await send("GET", "api/operator/overview");
    const first = at("overview").hidden;
    at("login").hidden = true;
    at("overview").hidden = false;
    const text = JSON.stringify(study);
    // A button that is replaced loses the focus, so only what is new replaces what is there.
    if (text !== shown) {
      const focused = document.activeElement?.getAttribute("aria-label");
      render(study);
      if (focused) document.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
    }
    shown = text;
    if (first) {
      say("");
      at("title").focus();
      lookAtAgreement();
    } else if (at("status").classList.contains("waiting")) {
      say("");
    }
  } catch (error) {
    failed(error);
  }
}

async function lookAtAgreement() {
  try {
    renderAgreement((await send("GET", "api/operator/agreement")).questions);
  } catch (error) {
    failed(error);
  }
}

async function login(token) {
  at("login-problem").hidden = true;
  try {
    await send("POST", "api/operator/login", { token });
    await look();
  } catch (error) {
    showLogin();
    at("login-problem").textContent =
      error instanceof Refusal ? error.message : "No answer from the server.";
    at("login-problem").hidden = false;
  }
}

at("login-form").addEventListener("submit", (event) => {
  event.preventDefault();
  const token = at("token").value.trim();
  at("token").value = "";
  login(token);
});
at("logout").addEventListener("click", async () => {
  await send("POST", "api/operator/logout", {}).catch(failed);
  showLogin();
});
at("decision-form").addEventListener("submit", () => decide());
at("cancel").addEventListener("click", () => at("decision").close());
setInterval(() => {
  if (!document.hidden && !at("overview").hidden) look();
}, EVERY);
setInterval(() => {
  if (!document.hidden && !at("overview").hidden) lookAtAgreement();
}, AGREEMENT_EVERY);

const given = new URLSearchParams(location.hash.slice(1)).get("token");
if (given) {
  history.replaceState(null, "", location.pathname);
  login(given);
} else {
  look();
}
