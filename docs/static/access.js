// What the theme leaves out for keyboards and screen readers: the level of the headings of the
// menu, and a focus for code and tables that scroll sideways.
for (const caption of document.querySelectorAll(".caption[role=heading]")) {
  caption.setAttribute("aria-level", "2");
}
for (const box of document.querySelectorAll("pre, .table-wrapper")) {
  box.tabIndex = 0;
}
