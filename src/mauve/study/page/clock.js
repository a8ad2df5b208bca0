// Active time: what a person spends on a pair with the page in sight and while doing something.

export const IDLE_AFTER = 60_000; // reading half a page without a scroll or a key is no absence

const SIGNS = ["pointerdown", "pointermove", "keydown", "scroll", "wheel", "touchstart", "input"];

/** Count active milliseconds. A hidden page does not count, nor an hour without a sign of life. */
export class Clock {
  /** `now` returns milliseconds that never run backwards. */
  constructor({ idleAfter = IDLE_AFTER, now = () => performance.now() } = {}) {
    this.idleAfter = idleAfter;
    this.now = now;
    this.active = 0;
    this.isRunning = false;
    this.mark = null; // counted up to here; null while it stands still
    this.lastSign = 0;
  }

  /** Begin at this number of active milliseconds. */
  start(active = 0) {
    this.active = active;
    this.isRunning = true;
    this.wake();
  }

  stop() {
    this.count();
    this.isRunning = false;
    this.mark = null;
  }

  wake() {
    this.lastSign = this.now();
    this.mark = document.hidden ? null : this.lastSign;
  }

  /** Return the active milliseconds up to now. */
  count() {
    if (this.mark === null) return this.active;
    const now = this.now();
    const end = Math.min(now, this.lastSign + this.idleAfter);
    this.active += Math.max(end - this.mark, 0);
    this.mark = now;
    return this.active;
  }

  sign() {
    if (this.mark === null) return;
    this.count();
    this.lastSign = this.now();
  }

  /** Follow the page: signs of life, and whether it is in sight. */
  watch() {
    for (const name of SIGNS) {
      window.addEventListener(name, () => this.sign(), { passive: true, capture: true });
    }
    document.addEventListener("visibilitychange", () => {
      if (!this.isRunning) return;
      this.count();
      this.wake();
    });
  }
}
