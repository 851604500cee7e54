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

/** A number as a column shows it: without grouping, in hundredths where the column has them. */
function numberIn(text, isPercent) {
  const digits = text.replaceAll(/[,\s%]/g, "");
  const read = digits === "" ? NaN : Number(digits);
  return isPercent || text.includes("%") ? read / 100 : read;
}

(function values() {
  // Cells carry a number of their own only where their text says less, or nothing.
  for (const table of document.querySelectorAll("table.sortable")) {
    const columns = [...table.tHead.rows[0].cells].filter((head) => head.classList.contains("number"));
    for (const row of table.tBodies[0].rows) {
      for (const { cellIndex } of columns) {
        const cell = row.cells[cellIndex];
        if (cell.dataset.value !== undefined) continue;
        const value = numberIn(cell.textContent, false);
        if (!Number.isNaN(value)) cell.dataset.value = String(value);
      }
    }
  }
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
        body.append(...[...body.rows].sort((a, b) => compare(a, b, column, numeric, descending ? -1 : 1)));
      });
    });
  }
})();

(function filtering() {
  // Shorter tables are seen at a glance.
  const FEWEST = 6;
  const ORDER = ["<=", ">=", "<", ">"];

  function labelled(text, field) {
    const label = document.createElement("label");
    label.append(`${text} `, field);
    return label;
  }
  function choice(options) {
    const select = document.createElement("select");
    options.forEach((text, index) => select.append(new Option(text, String(index - 1))));
    return select;
  }

  /** Whether a number is wanted by `<5`, `>=5`, `3..10`; `null` when the text is no such condition. */
  function condition(text, isPercent) {
    const sign = ORDER.find((tried) => text.startsWith(tried));
    const [from, to] = text.split("..").map((part) => numberIn(part, isPercent));
    if (to !== undefined) return Number.isNaN(from + to) ? null : (value) => value >= from && value <= to;
    if (sign === undefined) return null;
    const limit = numberIn(text.slice(sign.length), isPercent);
    if (Number.isNaN(limit)) return null;
    return (value) =>
      ({ "<": value < limit, "<=": value <= limit, ">": value > limit, ">=": value >= limit })[sign];
  }

  function wanted(text, column, heads, rows) {
    const typed = text.trim().toLowerCase();
    if (typed === "") return () => true;
    if (column >= 0 && heads[column].classList.contains("number")) {
      const isPercent = rows.some((row) => row.cells[column].textContent.includes("%"));
      const holds = condition(typed, isPercent);
      if (holds !== null) {
        return (row) => row.cells[column].dataset.value !== undefined && holds(Number(row.cells[column].dataset.value));
      }
    }
    const words = typed.split(/\s+/);
    return (row) => {
      const shown = (column < 0 ? row : row.cells[column]).textContent.toLowerCase();
      return words.every((word) => shown.includes(word));
    };
  }

  for (const table of document.querySelectorAll("table.sortable")) {
    const rowsNow = () => [...table.tBodies[0].rows];
    const heads = [...table.tHead.rows[0].cells];
    if (rowsNow().length < FEWEST) continue;
    const name = table.caption.textContent;

    const field = document.createElement("input");
    field.type = "search";
    field.autocomplete = "off";
    const column = choice(["any column", ...heads.map((head) => head.textContent)]);
    const hint = () => {
      const isNumeric = Number(column.value) >= 0 && heads[Number(column.value)].classList.contains("number");
      field.placeholder = isNumeric ? "<5, >=5, 3..10" : "words";
    };
    hint();
    const verdicts = [...new Set(rowsNow().flatMap((row) => [...row.querySelectorAll(".verdict")].map((cell) => cell.textContent)))];
    const verdict = choice(["any verdict", ...verdicts]);
    const count = document.createElement("output");

    const tools = document.createElement("div");
    tools.className = "tools";
    tools.setAttribute("role", "group");
    tools.setAttribute("aria-label", `Filter: ${name}`);
    tools.append(labelled("Filter", field), labelled("in", column));
    if (verdicts.length > 1) tools.append(labelled("Verdict", verdict));
    tools.append(count);
    table.closest(".scroll").before(tools);

    const apply = () => {
      const rows = rowsNow();
      const isWanted = wanted(field.value, Number(column.value), heads, rows);
      const onlyVerdict = verdicts[Number(verdict.value)];
      let shown = 0;
      for (const row of rows) {
        const has = (cell) => cell.textContent === onlyVerdict;
        const isShown = isWanted(row) && (onlyVerdict === undefined || [...row.querySelectorAll(".verdict")].some(has));
        row.classList.toggle("filtered", !isShown);
        shown += Number(isShown);
      }
      count.textContent = `${shown} of ${rows.length} rows`;
    };
    tools.addEventListener("input", () => {
      hint();
      apply();
    });
    apply();
  }
})();

// What is scrolled sideways can be reached by keys; where there is nothing to scroll, nobody has to pass by.
(function reaching() {
  const watched = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      const box = target.closest(".scroll, .chart");
      if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  });
  for (const box of document.querySelectorAll(".scroll, .chart")) {
    watched.observe(box);
    // A table may grow while the box around it does not.
    for (const inner of box.querySelectorAll(":scope > table")) watched.observe(inner);
  }
})();

// Paper cannot unfold anything; afterwards the page is as it was. Lists in cells stay folded: their first line says most, and
// some hundred of them would make a book.
(function printing() {
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll("details:not([open], td details)")];
    for (const folded of opened) folded.open = true;
  });
  addEventListener("afterprint", () => {
    for (const folded of opened) folded.open = false;
  });
})();
