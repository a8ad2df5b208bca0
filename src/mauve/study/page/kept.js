// What the browser keeps until the server has it: answers of each pair, and what is being sent.

const FORGET_AFTER = 30 * 24 * 3600 * 1000;

/** Return 128 random bits; crypto.randomUUID would need HTTPS. */
export function randomId() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Texts by name, in the browser's local storage, or in memory where the browser refuses. */
export class Kept {
  constructor() {
    this.memory = new Map();
    this.isLasting = true;
    try {
      localStorage.setItem("mauve:probe", "1");
      localStorage.removeItem("mauve:probe");
    } catch {
      this.isLasting = false;
    }
  }

  get(name) {
    try {
      // The storage is shared with other tabs, so it knows better than this one.
      const text = this.isLasting
        ? localStorage.getItem(name)
        : (this.memory.get(name) ?? localStorage.getItem(name));
      return text ? JSON.parse(text) : null;
    } catch {
      return null;
    }
  }

  set(name, value) {
    const text = JSON.stringify({ ...value, kept: Date.now() });
    this.memory.set(name, text);
    if (!this.isLasting) return;
    try {
      localStorage.setItem(name, text);
    } catch {
      this.isLasting = false; // full: this tab still has it
    }
  }

  delete(name) {
    this.memory.delete(name);
    try {
      localStorage.removeItem(name);
    } catch {
      // Nothing was kept there.
    }
  }

  names() {
    return this.isLasting ? Object.keys(localStorage) : [...this.memory.keys()];
  }

  /** Delete what belongs to pairs that nobody came back to. */
  tidy() {
    for (const name of this.names().filter((each) => each.startsWith("mauve:"))) {
      const value = this.get(name);
      if (!value || !(Date.now() - value.kept < FORGET_AFTER)) this.delete(name);
    }
  }
}
