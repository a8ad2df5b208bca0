// Requests to the server, repeated until it answers. Addresses are relative to the page.

const TIMEOUT = 30_000; // a slow line takes its time
const LONGEST_WAIT = 30_000;

/** The server answered, and said no. */
export class Refusal extends Error {
  constructor(status, code, message, seconds) {
    super(message);
    this.status = status;
    this.code = code;
    this.seconds = seconds; // to wait before the next attempt, if it said so
  }

  get isTemporary() {
    // What has no code was said by something that stands between, such as a proxy.
    return !this.code || this.status >= 500 || this.status === 429 || this.status === 408;
  }
}

/** Send one request; throw a Refusal, or another error if no answer came. */
export async function send(method, address, content) {
  const headers = { Accept: "application/json", "X-Mauve-Study": "1" };
  if (content !== undefined) headers["Content-Type"] = "application/json";
  const response = await fetch(address, {
    method,
    headers,
    body: content === undefined ? undefined : JSON.stringify(content),
    credentials: "same-origin",
    cache: "no-store",
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT),
  });
  const isJson = (response.headers.get("Content-Type") || "").startsWith("application/json");
  const answer = isJson ? await response.json() : null;
  if (response.ok && answer !== null) return answer;
  const error = (answer && answer.error) || {};
  throw new Refusal(
    // A page of a proxy in place of an answer: try again.
    response.ok ? 502 : response.status,
    error.code || "",
    error.message || `The server answered with an error (${response.status}).`,
    Number(response.headers.get("Retry-After")) || 0,
  );
}

/**
 * Send a request until the server answers it. `waiting(seconds, message)` is told before each
 * wait, with what the server said, and `waiting(0)` when the next attempt begins. The same content may arrive twice: the server must
 * know it again.
 */
export async function insist(method, address, content, waiting) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await send(method, address, content);
    } catch (error) {
      if (error instanceof Refusal && !error.isTemporary) throw error;
      const doubled = Math.min(LONGEST_WAIT, 1000 * 2 ** attempt);
      // Half of it at random, so that browsers do not come back all at once.
      const wait = Math.max(doubled * (0.5 + Math.random() / 2), 1000 * (error.seconds || 0));
      waiting(Math.ceil(wait / 1000), error instanceof Refusal ? error.message : "");
      await pause(wait);
      waiting(0);
    }
  }
}

let endPause = null;

/** End a wait between two attempts now. */
export function hurry() {
  if (endPause) endPause();
}

function pause(milliseconds) {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      endPause = null;
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    endPause = end;
  });
}

window.addEventListener("online", hurry);
