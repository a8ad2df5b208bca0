// The annotation page: consent, instructions, one pair after another, and the way back.

import { Answers, QUESTIONS } from "./answers.js";
import { Clock } from "./clock.js";
import { Kept, randomId } from "./kept.js";
import { Refusal, hurry, insist, send } from "./requests.js";

const KEEP_EVERY = 5000; // milliseconds between two notes of the time spent
const RENEW_EVERY = 600_000; // milliseconds after which a pair that is being read is held on to

const LASTING = ["lease", "submission", "invalid", "long"]; // refusals of the answers themselves

const at = (id) => document.getElementById(id);
const kept = new Kept();
const clock = new Clock();
const sections = [...document.querySelectorAll("main > section")];
const answers = new Answers(at("questions"), at("question"), () => {
  at("problem").hidden = true;
  keepDraft();
  say(kept.isLasting ? "Kept in this browser" : "");
});

let owner = null; // who annotates in which study, as the server names them
let pair = null; // the pair on the screen
let isBusy = false; // a request is under way
let nDone = 0;

// What the page says

function say(text, isWaiting = false) {
  at("status").textContent = text;
  at("status").classList.toggle("waiting", isWaiting);
}

function show(name) {
  for (const section of sections) section.hidden = section.id !== name;
  if (name !== "item") {
    clock.stop();
    pair = null;
  }
  const title = at(name).querySelector("h1");
  document.title = `${title.textContent} – ${at("study-title").textContent}`;
  scrollTo(0, 0);
  title.focus({ preventScroll: true });
}

function notice(title, text, button, action) {
  at("notice-title").textContent = title;
  at("notice-text").textContent = text;
  at("notice-button").hidden = !button;
  at("notice-button").textContent = button || "";
  at("notice-button").onclick = action;
  show("notice");
}

function paragraphs(holder, text) {
  holder.replaceChildren(
    ...text.split(/\n\s*\n/).map((each) => {
      const paragraph = document.createElement("p");
      paragraph.textContent = each.trim();
      return paragraph;
    }),
  );
}

/** Tell how a request that is repeated stands, and what the server said, if it said anything. */
function waiting(seconds, message) {
  at("retry").hidden = !seconds;
  if (seconds) {
    const reason = message || "No answer from the server.";
    say(`${reason} Nothing is lost; next attempt in ${seconds} s.`, true);
  } else {
    say("Sending …");
  }
}

/** Ask the server, and go where its answer leads; one request at a time. */
async function ask(method, address, content) {
  if (isBusy) return;
  setBusy(true);
  try {
    const state = await insist(method, address, content, waiting);
    say("");
    enter(state);
  } catch (error) {
    say("");
    if (address === "api/enrol" && error instanceof Refusal) unknownLink(error);
    else refused(error);
  } finally {
    setBusy(false);
  }
}

function unknownLink(error) {
  const message =
    error.code === "enrolment"
      ? error.message
      : "It is not complete. Open it from the site or the message that has it, all of it.";
  notice("This link does not work", message);
}

function setBusy(busy) {
  isBusy = busy;
  at("main").setAttribute("aria-busy", String(busy));
  answers.isDisabled = busy;
  for (const button of document.querySelectorAll("main button, #comment")) {
    button.disabled = busy;
  }
  if (!busy) updateBack();
  at("retry").hidden = true;
}

function refused(error) {
  if (!(error instanceof Refusal)) throw error;
  if (error.code === "consent") {
    queueMicrotask(() => ask("GET", "api/state")); // it has another text to agree to
  } else if (error.status === 401) {
    notice(
      "Open your link again",
      "The server does not know this browser any more. Open the link that you were sent again: " +
        "your answers are kept here and will be sent then.",
    );
  } else {
    notice("That did not work", error.message, "Go on", () => ask("POST", "api/next", {}));
  }
}

// Where the server says that the annotator stands

function enter(state) {
  if (state.title) at("study-title").textContent = state.title;
  if (state.owner) owner = state.owner;
  if (state.done !== undefined) {
    nDone = state.done;
    at("progress").textContent = state.limit ? `${nDone} of ${state.limit} done` : `${nDone} done`;
    at("progress").hidden = nDone === 0;
  }
  if (owner && state.stage !== "consent" && kept.get(sendingName())) {
    queueMicrotask(deliver); // the page was closed before these had arrived
    return;
  }
  const stages = {
    invitation: () => show("invitation"),
    consent: () => {
      paragraphs(at("consent-text"), state.consent.text);
      at("consent-version").textContent = state.consent.version;
      show("consent");
    },
    ready: () => {
      if (nDone === 0 && !hasDraft()) show("instructions");
      else queueMicrotask(() => ask("POST", "api/next", {}));
    },
    item: () => showPair(state.item),
    finished: () => finish(state),
    waiting: () => finish({ ...state, reason: "assigned" }),
    paused: () =>
      notice(
        "The study is paused",
        `${nDone ? "Your answers so far are stored. " : ""}Come back later with the same link.`,
        "Look again",
        () => ask("POST", "api/next", {}),
      ),
  };
  stages[state.stage]();
}

function finish(state) {
  const texts = {
    limit: "You have done all pairs that one person can do.",
    complete: "All pairs have their answers: the study is complete.",
    seen: "You have seen all pairs that are left.",
    closed: "There are no more pairs for you in this study.",
    assigned: "Other people are reading the last pairs: look again later, or stop here.",
  };
  const isWaiting = state.reason === "assigned";
  at("done-title").textContent = isWaiting ? "No pair is free just now" : "Thank you";
  const stored = nDone ? "Your answers are stored; you can close this page." : "";
  at("done-text").textContent = `${texts[state.reason] || texts.closed} ${stored}`;
  at("again").hidden = !isWaiting;
  at("code-box").hidden = !state.code;
  at("code").textContent = state.code || "";
  at("return").hidden = !state.return_url;
  if (state.return_url) at("return-link").href = state.return_url;
  at("review").hidden = nDone === 0;
  show("done");
}

// A pair, and the answers to it that the browser keeps

const draftName = (lease) => `mauve:draft:${lease}`;
const sendingName = () => `mauve:sending:${owner}`;
const hasDraft = () => kept.names().some((name) => name.startsWith("mauve:draft:"));

function showPair(item) {
  pair = item;
  const draft = kept.get(draftName(item.lease));
  pair.since = draft ? draft.since : Date.now();
  answers.values = draft ? draft.answers : item.answers || [null, null, null];
  at("comment").value = draft ? draft.comment : item.comment || "";
  at("item-title").textContent = `Pair ${item.number}`;
  // White space around a text would tell sources apart without a word being read.
  for (const part of ["context", "left", "right"]) at(part).textContent = item[part].trim();
  at("revising").hidden = !item.revision;
  at("forward").hidden = !item.revision;
  at("send").textContent = item.revision ? "Send the changes" : "Send and go on";
  at("problem").hidden = true;
  updateBack();
  clock.start(draft ? draft.active : 0);
  show("item");
}

function updateBack() {
  at("back").disabled = pair !== null && (pair.revision ? pair.is_first : nDone === 0);
}

function keepDraft() {
  if (pair === null) return;
  kept.set(draftName(pair.lease), {
    answers: answers.values,
    comment: at("comment").value,
    active: clock.count(),
    since: pair.since,
  });
}

function seconds(milliseconds) {
  return Math.round(milliseconds) / 1000;
}

async function submit() {
  if (isBusy || pair === null) return;
  const missing = answers.missing();
  if (missing.length) {
    const last = missing.pop();
    const which = missing.length ? `Questions ${missing.join(", ")} and ${last} have` : `Question ${last} has`;
    at("problem").textContent = `${which} no answer yet.`;
    at("problem").hidden = false;
    return;
  }
  keepDraft();
  const active = seconds(clock.count());
  kept.set(sendingName(), {
    lease: pair.lease,
    // Kept with the answers, so that a repetition, also after a reload, is known again.
    submission_id: randomId(),
    answers: answers.values,
    active_seconds: active,
    // A clock that was put back must not make the whole shorter than its part.
    wall_seconds: Math.max(seconds(Date.now() - pair.since), active),
    comment: at("comment").value.toWellFormed?.() ?? at("comment").value,
  });
  await deliver();
}

/** Send what the browser keeps for sending, until the server has it, and go on. */
async function deliver() {
  if (isBusy) return;
  setBusy(true);
  say("Sending …");
  const { kept: _, ...content } = kept.get(sendingName());
  try {
    const state = await insist("POST", "api/submit", content, waiting);
    forget(content);
    say("Saved");
    enter(state);
  } catch (error) {
    say("");
    // The answers stay here but for refusals that would be the same for ever: without a session,
    // until the link is opened again; where a proxy refuses, until it is set right.
    if (error instanceof Refusal && LASTING.includes(error.code)) forget(content);
    refused(error);
  } finally {
    setBusy(false);
  }
}

function forget(content) {
  kept.delete(draftName(content.lease));
  const sending = kept.get(sendingName());
  if (sending && sending.submission_id === content.submission_id) kept.delete(sendingName());
}

function goBack() {
  if (isBusy) return;
  keepDraft();
  ask("GET", pair === null ? "api/items" : `api/items?before=${pair.number}`);
}

// Buttons and keys

at("consent-form").addEventListener("submit", (event) => {
  event.preventDefault();
  ask("POST", "api/consent", { version: at("consent-version").textContent });
});
at("begin").addEventListener("click", () => ask("POST", "api/next", {}));
at("answers").addEventListener("submit", (event) => {
  event.preventDefault();
  submit();
});
at("back").addEventListener("click", goBack);
at("review").addEventListener("click", goBack);
at("forward").addEventListener("click", () => {
  kept.delete(draftName(pair.lease)); // without a change
  pair = null;
  ask("POST", "api/next", {});
});
at("retry").addEventListener("click", hurry);
at("comment").addEventListener("input", keepDraft);
at("look-again").addEventListener("click", () => ask("POST", "api/next", {}));
at("copy").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(at("code").textContent);
    say("Copied");
  } catch {
    getSelection().selectAllChildren(at("code")); // without HTTPS there is no clipboard
  }
});

document.addEventListener("keydown", (event) => {
  const target = event.target;
  if (pair === null || isBusy || !at("keys").checked || event.repeat) return;
  if (event.ctrlKey || event.altKey || event.metaKey || target.closest("textarea")) return;
  if (event.key >= "1" && event.key <= "5") {
    event.preventDefault();
    const question = answers.current;
    answers.choose(question, Number(event.key));
    if (question + 1 < QUESTIONS.length) answers.focus(question + 1);
    else at("send").focus();
  } else if (event.key === "Enter" && !target.closest("button, a, summary")) {
    event.preventDefault();
    submit();
  } else if (event.key === "Backspace" && !at("back").disabled) {
    event.preventDefault();
    goBack();
  }
});

setInterval(() => {
  if (pair !== null && !isBusy && !document.hidden) keepDraft();
}, KEEP_EVERY);
setInterval(() => {
  if (pair === null || isBusy || pair.revision || clock.count() === pair.renewedAt) return;
  pair.renewedAt = clock.count();
  // Without it the server will say, when the answers come, whether somebody else has the pair.
  send("POST", "api/renew", { lease: pair.lease }).catch(() => {});
}, RENEW_EVERY);
window.addEventListener("pagehide", () => {
  if (!isBusy) keepDraft();
});

// The beginning

for (const question of QUESTIONS) {
  const point = document.createElement("li");
  point.textContent = question;
  at("guide-questions").append(point);
}
const guide = at("guide").cloneNode(true);
for (const element of guide.querySelectorAll("[id]")) element.removeAttribute("id");
at("guide-again").append(...guide.childNodes);

/** Take who comes from the address, and take it out of the address bar. */
function identity() {
  const invite = new URLSearchParams(location.hash.slice(1)).get("invite");
  const query = new URLSearchParams(location.search);
  const person = query.get("PROLIFIC_PID");
  if (invite || person) history.replaceState(null, "", location.pathname);
  if (invite) return { invite };
  if (!person) return null;
  return {
    external: {
      person,
      study: query.get("STUDY_ID") || "",
      session: query.get("SESSION_ID") || "",
    },
  };
}

async function begin() {
  kept.tidy();
  clock.watch();
  const who = identity();
  await (who ? ask("POST", "api/enrol", who) : ask("GET", "api/state"));
}

begin();
