// Buttons that select a system and unfold all texts. The page is complete without them.
"use strict";

(() => {
  const holder = document.getElementById("systems");
  if (!holder) return;
  const systems = [...holder.querySelectorAll(".system")];

  const button = (label, onClick) => {
    const element = document.createElement("button");
    element.type = "button";
    element.textContent = label;
    element.addEventListener("click", onClick);
    return element;
  };

  const tools = document.createElement("div");
  tools.className = "tools";
  tools.setAttribute("role", "group");
  tools.setAttribute("aria-label", "Systems and texts to show");

  const choices = new Map();
  const show = (chosen) => {
    for (const system of systems) system.hidden = chosen !== null && system !== chosen;
    for (const [system, choice] of choices) choice.setAttribute("aria-pressed", String(system === chosen));
  };
  if (systems.length > 1) {
    choices.set(null, button("All systems", () => show(null)));
    for (const system of systems) choices.set(system, button(system.dataset.name, () => show(system)));
    tools.append(...choices.values());
    show(null);
  }

  const texts = [...holder.querySelectorAll("details")];
  if (texts.length) {
    const unfold = button("Unfold all", () => {
      const open = texts.some((text) => !text.open);
      for (const text of texts) text.open = open;
      unfold.textContent = open ? "Fold all" : "Unfold all";
    });
    tools.append(unfold);
  }
  holder.before(tools);

  // A link into a system that is hidden brings it back.
  const reveal = () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target && target.closest(".system[hidden]")) {
      show(null);
      target.scrollIntoView();
    }
  };
  addEventListener("hashchange", reveal);
  reveal();
})();
