"use strict";
// Without this script every dataset is shown, one below the other, and tables keep their order.

(function tabs() {
  const tabs = [...document.querySelectorAll('[role="tab"]')];
  function select(chosen) {
    for (const tab of tabs) {
      const on = tab === chosen;
      tab.setAttribute("aria-selected", String(on));
      tab.tabIndex = on ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")).hidden = !on;
    }
  }
  tabs.forEach((tab, index) => {
    tab.addEventListener("click", () => select(tab));
    tab.addEventListener("keydown", (event) => {
      const target = {
        ArrowLeft: (index + tabs.length - 1) % tabs.length,
        ArrowRight: (index + 1) % tabs.length,
        Home: 0,
        End: tabs.length - 1,
      }[event.key];
      if (target === undefined) return;
      event.preventDefault();
      select(tabs[target]);
      tabs[target].focus();
    });
  });
  const first = tabs.find((tab) => tab.getAttribute("aria-selected") === "true");
  if (first) select(first);
})();

(function sorting() {
  function compare(a, b, column, numeric, sign) {
    const [x, y] = [a.cells[column], b.cells[column]];
    if (!numeric) return sign * x.textContent.localeCompare(y.textContent, "en");
    const [u, v] = [x.dataset.value, y.dataset.value];
    // Empty cells stay last whichever way the others go.
    if (u === undefined || v === undefined) return (u === undefined) - (v === undefined);
    return sign * (Number(u) - Number(v));
  }
  for (const table of document.querySelectorAll("table.sortable")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      head.firstElementChild.addEventListener("click", () => {
        const descending = head.getAttribute("aria-sort") === "ascending";
        for (const other of heads) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", descending ? "descending" : "ascending");
        const body = table.tBodies[0];
        const numeric = head.classList.contains("number");
        const rows = [...body.rows].sort((a, b) => compare(a, b, column, numeric, descending ? -1 : 1));
        body.append(...rows);
      });
    });
  }
})();

// Paper cannot unfold anything.
addEventListener("beforeprint", () => {
  for (const folded of document.querySelectorAll("details")) folded.open = true;
});
