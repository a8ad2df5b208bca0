// The three questions of a pair: five choices each, from definitely A (1) to definitely B (5).

export const QUESTIONS = [
  "Which continuation is more interesting or creative, given the context?",
  "Which continuation makes more sense, given the context?",
  "Which continuation is more likely to be written by a human?",
];

const CHOICES = [
  ["Definitely A"],
  ["Slightly A"],
  ["Tie", "use sparingly"],
  ["Slightly B"],
  ["Definitely B"],
];

export class Answers {
  /** Build the questions inside `holder` from `template`; tell `changed` of every choice. */
  constructor(holder, template, changed) {
    this.fieldsets = QUESTIONS.map((question, i) => {
      const fieldset = template.content.firstElementChild.cloneNode(true);
      fieldset.querySelector("legend").textContent = `${i + 1}. ${question}`;
      fieldset
        .querySelector(".choices")
        .append(...CHOICES.map((words, j) => this.choice(i, j + 1, words)));
      fieldset.addEventListener("change", () => {
        fieldset.classList.remove("missing");
        changed();
      });
      return fieldset;
    });
    holder.append(...this.fieldsets);
  }

  choice(question, value, [words, hint]) {
    const input = document.createElement("input");
    input.type = "radio";
    input.name = `question-${question + 1}`;
    input.value = String(value);
    input.id = `choice-${question + 1}-${value}`;
    input.autocomplete = "off"; // a browser that fills in old choices would answer by itself
    const label = document.createElement("label");
    label.htmlFor = input.id;
    label.append(words);
    if (hint) {
      const small = document.createElement("small");
      small.textContent = hint;
      label.append(" ", small);
    }
    const choice = document.createElement("div");
    choice.className = "choice";
    choice.append(input, label);
    return choice;
  }

  radios(question) {
    return [...this.fieldsets[question].querySelectorAll("input")];
  }

  /** The choices, 1 to 5, and null where there is none yet. */
  get values() {
    return this.fieldsets.map((_, i) => {
      const chosen = this.radios(i).find((radio) => radio.checked);
      return chosen ? Number(chosen.value) : null;
    });
  }

  set values(values) {
    this.fieldsets.forEach((fieldset, i) => {
      fieldset.classList.remove("missing");
      for (const radio of this.radios(i)) radio.checked = Number(radio.value) === values[i];
    });
  }

  /** The question that keys answer: the one with the focus, or the first without an answer. */
  get current() {
    const focused = this.fieldsets.findIndex((each) => each.contains(document.activeElement));
    if (focused >= 0) return focused;
    const open = this.values.indexOf(null);
    return open >= 0 ? open : 0;
  }

  /** Answer a question as a click would. */
  choose(question, value) {
    const radio = this.radios(question)[value - 1];
    if (radio.matches(":disabled")) return;
    radio.checked = true;
    radio.dispatchEvent(new Event("change", { bubbles: true }));
  }

  focus(question) {
    const radios = this.radios(question);
    (radios.find((radio) => radio.checked) || radios[0]).focus();
  }

  /** Mark questions without an answer, go to the first, and return their numbers. */
  missing() {
    const numbers = [];
    this.values.forEach((value, i) => {
      this.fieldsets[i].classList.toggle("missing", value === null);
      if (value === null) numbers.push(i + 1);
    });
    if (numbers.length) this.focus(numbers[0] - 1);
    return numbers;
  }

  set isDisabled(isDisabled) {
    for (const fieldset of this.fieldsets) fieldset.disabled = isDisabled;
  }
}
