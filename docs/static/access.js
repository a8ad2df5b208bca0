// What the theme leaves out for keyboards, screen readers and narrow screens: the level of the
// headings of the menu, and a focus for code and tables that scroll sideways.
for (const caption of document.querySelectorAll(".caption[role=heading]")) {
  caption.setAttribute("aria-level", "2");
}
for (const box of document.querySelectorAll("pre, .table-wrapper, .formula")) {
  box.tabIndex = 0;
}
// Cells with sentences are not squeezed into a word a line; the table scrolls instead.
for (const cell of document.querySelectorAll("article tr > td")) {
  if (cell.textContent.length > 60 && cell.parentElement.cells.length > 2) {
    cell.style.minWidth = "12em";
  }
}
// Long names, such as paths, may be broken there.
for (const code of document.querySelectorAll("article td code")) {
  if (code.textContent.length > 24) {
    code.style.overflowWrap = "anywhere";
  }
}
// Each command is a block of its own, so that one which is broken into lines is indented, and its
// options are not broken at their hyphens.
for (const pre of document.querySelectorAll(".highlight-sh pre")) {
  const lines = pre.innerHTML.replace(/\n$/, "").split("\n");
  pre.innerHTML = lines
    .map((line) => line.replace(/--[a-z][\w-]*/g, '<span class="option">$&</span>'))
    .map((line) => `<span class="command">${line}</span>`)
    .join("\n");
}
