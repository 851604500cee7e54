"use strict";
// Runs last in a copy of the page, uses it as a reader does, and sends what it found to the page around it.

(function selftest() {
  const checks = {};
  const complain = (text) => troubles.push(text);
  function check(kind, holds, text) {
    checks[kind] = (checks[kind] ?? 0) + 1;
    if (!holds) complain(`${kind}: ${text}`);
  }
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const captionOf = (table) => table.caption.textContent;

  function tabs() {
    const tabs = all('[role="tab"]');
    const panels = all('[role="tabpanel"]');
    const isChosen = (chosen) =>
      tabs.every((tab, index) => {
        const on = index === chosen;
        return (
          panels[index].hidden !== on &&
          tab.getAttribute("aria-selected") === String(on) &&
          tab.tabIndex === (on ? 0 : -1) &&
          tab.getAttribute("aria-controls") === panels[index].id
        );
      });
    check("tabs", tabs.length > 1 && tabs.length === panels.length, `${tabs.length} tabs, ${panels.length} panels`);
    tabs.forEach((tab, index) => {
      tab.click();
      check("tabs", isChosen(index), `${tab.textContent} by a click`);
    });
    const keys = [["Home", 0], ["ArrowRight", 1], ["End", tabs.length - 1], ["ArrowRight", 0], ["ArrowLeft", tabs.length - 1]];
    for (const [key, chosen] of keys) {
      const before = document.activeElement.matches('[role="tab"]') ? document.activeElement : tabs[0];
      before.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
      check("tabs", isChosen(chosen), `${tabs[chosen].textContent} by ${key}`);
      check("tabs", document.activeElement === tabs[chosen], `focus by ${key}`);
    }
  }

  function navigation() {
    const named = all("nav a").map((link) => link.getAttribute("href").slice(1));
    for (const section of all("main > section:not(.first)")) {
      check("navigation", named.includes(section.id), `section ${section.id} is not named`);
      check("navigation", section.querySelector("h2") !== null, `section ${section.id} has no heading`);
    }
    for (const id of named) check("navigation", document.getElementById(id) !== null, `nothing has the id ${id}`);
    const ids = all("[id]").map((element) => element.id);
    check("navigation", new Set(ids).size === ids.length, "an id is there twice");
  }

  function sorting() {
    for (const table of all("table.sortable")) {
      const rows = () => [...table.tBodies[0].rows];
      const before = rows().length;
      [...table.tHead.rows[0].cells].forEach((head, column) => {
        const button = head.querySelector("button");
        check("sorting", button.tabIndex === 0, `${captionOf(table)}: ${head.textContent} cannot be reached by keys`);
        for (const order of ["ascending", "descending"]) {
          button.click();
          const place = `${captionOf(table)}, ${head.textContent}, ${order}`;
          const marked = all("[aria-sort]", table.tHead);
          check("sorting", marked.length === 1 && head.getAttribute("aria-sort") === order, `${place}: aria-sort`);
          check("sorting", rows().length === before, `${place}: ${rows().length} of ${before} rows`);
          const cells = rows().map((row) => row.cells[column]);
          const sign = order === "ascending" ? 1 : -1;
          let isSorted;
          if (head.classList.contains("number")) {
            const values = cells.map((cell) => (cell.dataset.value === undefined ? null : Number(cell.dataset.value)));
            const filled = values.filter((value) => value !== null);
            isSorted =
              values.slice(filled.length).every((value) => value === null) &&
              filled.every((value, at) => at === 0 || sign * (value - filled[at - 1]) >= 0);
            check("sorting", filled.length > 0 || cells.every((cell) => cell.textContent.trim() === ""), `${place}: no numbers`);
          } else {
            const texts = cells.map((cell) => cell.textContent);
            isSorted = texts.every((text, at) => at === 0 || sign * text.localeCompare(texts[at - 1], "en") >= 0);
          }
          check("sorting", isSorted, place);
        }
      });
    }
  }

  function type(field, text) {
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  function filters() {
    for (const tools of all(".tools[role=group]")) {
      const table = tools.nextElementSibling.querySelector("table");
      const place = captionOf(table);
      const rows = [...table.tBodies[0].rows];
      const shown = () => rows.filter((row) => getComputedStyle(row).display !== "none");
      const field = tools.querySelector("input");
      const [column, verdict] = all("select", tools);
      const count = tools.querySelector("output");
      const agrees = (expected, what) => {
        const now = shown();
        check("filters", now.length === expected.length && now.every((row) => expected.includes(row)), `${place}: ${what}`);
        check("filters", count.textContent === `${expected.length} of ${rows.length} rows`, `${place}: ${what}: ${count.textContent}`);
      };
      for (const control of [field, column, count]) {
        const name = control.labels?.length > 0 || control === count;
        check("filters", name && (control === count || control.tabIndex === 0), `${place}: a control has no name or no focus`);
      }

      const first = rows[0].cells[0].textContent;
      type(field, first.toUpperCase());
      const has = (cell) => first.toLowerCase().split(/\s+/).every((word) => cell.textContent.toLowerCase().includes(word));
      agrees(rows.filter(has), "a name in any column");
      type(field, "no such thing anywhere");
      agrees([], "nothing");

      [...table.tHead.rows[0].cells].forEach((head, at) => {
        column.value = String(at);
        if (!head.classList.contains("number")) {
          const word = rows.at(-1).cells[at].textContent.toLowerCase().split(/\s+/)[0];
          type(field, word);
          agrees(rows.filter((row) => row.cells[at].textContent.toLowerCase().includes(word)), `${head.textContent} ${word}`);
          return;
        }
        const values = rows.map((row) => row.cells[at].dataset.value).filter((value) => value !== undefined).map(Number);
        if (values.length === 0) return;
        const isPercent = rows.some((row) => row.cells[at].textContent.includes("%"));
        const middle = values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
        const limit = isPercent ? middle * 100 : middle;
        const number = isPercent ? limit / 100 : limit;
        const of = (holds) =>
          rows.filter((row) => row.cells[at].dataset.value !== undefined && holds(Number(row.cells[at].dataset.value)));
        for (const [sign, holds] of [
          ["<", (value) => value < number],
          ["<=", (value) => value <= number],
          [">", (value) => value > number],
          [">=", (value) => value >= number],
        ]) {
          type(field, `${sign} ${limit}`);
          agrees(of(holds), `${head.textContent} ${sign} ${limit}`);
        }
        type(field, `${limit}..${limit * 2}`);
        const upper = isPercent ? (limit * 2) / 100 : limit * 2;
        agrees(of((value) => value >= number && value <= upper), `${head.textContent} ${limit}..${limit * 2}`);
      });
      column.value = "-1";
      type(field, "");

      if (verdict !== undefined) {
        for (const option of [...verdict.options].slice(1)) {
          verdict.value = option.value;
          verdict.dispatchEvent(new Event("input", { bubbles: true }));
          const isOf = (row) => all(".verdict", row).some((cell) => cell.textContent === option.text);
          agrees(rows.filter(isOf), option.text);
          check("filters", shown().length > 0, `${place}: no row with ${option.text}`);
        }
        verdict.value = "-1";
        verdict.dispatchEvent(new Event("input", { bubbles: true }));
      }
      agrees(rows, "everything again");
    }
  }

  function printing() {
    const folded = all("details:not([open])").length;
    dispatchEvent(new Event("beforeprint"));
    check("printing", all("details:not([open], td details)").length === 0, "something is folded");
    dispatchEvent(new Event("afterprint"));
    check("printing", all("details:not([open])").length === folded, "what was folded stays open");
  }

  // The corners of a text as it is drawn, without the room above and below its letters.
  function corners(text, toSvg) {
    const box = text.getBBox();
    const [top, bottom] = [box.y + 0.22 * box.height, box.y + 0.8 * box.height];
    const matrix = toSvg.multiply(text.getScreenCTM());
    return [[box.x, top], [box.x + box.width, top], [box.x + box.width, bottom], [box.x, bottom]].map(([x, y]) =>
      new DOMPoint(x, y).matrixTransform(matrix),
    );
  }

  /** Whether two rectangles overlap, however they are turned, by more than half a unit. */
  function overlap(a, b) {
    for (const shape of [a, b]) {
      for (const side of [0, 1]) {
        const [from, to] = [shape[side], shape[side + 1]];
        const length = Math.hypot(to.x - from.x, to.y - from.y);
        if (length === 0) return false;
        const along = (point) => ((point.x - from.x) * (to.x - from.x) + (point.y - from.y) * (to.y - from.y)) / length;
        const [ofA, ofB] = [a.map(along), b.map(along)];
        if (Math.max(...ofA) <= Math.min(...ofB) + 0.5 || Math.max(...ofB) <= Math.min(...ofA) + 0.5) return false;
      }
    }
    return true;
  }

  function charts() {
    for (const svg of all(".chart > svg")) {
      const box = svg.viewBox.baseVal;
      const toSvg = svg.getScreenCTM().inverse();
      const name = svg.getAttribute("aria-label") ?? svg.id;
      const texts = all("text", svg)
        .filter((text) => text.textContent.trim() !== "")
        .map((text) => ({ words: text.textContent, at: corners(text, toSvg) }));
      check("charts", texts.length > 0, `${name}: no text`);
      for (const { words, at } of texts) {
        const isInside = at.every(({ x, y }) => x >= -0.5 && y >= -0.5 && x <= box.width + 0.5 && y <= box.height + 0.5);
        check("charts", isInside, `${name}: "${words}" is cut`);
      }
      texts.sort((a, b) => Math.min(...a.at.map((point) => point.x)) - Math.min(...b.at.map((point) => point.x)));
      texts.forEach((text, index) => {
        const right = Math.max(...text.at.map((point) => point.x));
        for (const other of texts.slice(index + 1)) {
          if (Math.min(...other.at.map((point) => point.x)) > right) break;
          if (overlap(text.at, other.at)) complain(`charts: ${name}: "${text.words}" lies over "${other.words}"`);
        }
      });
    }
  }

  function layout() {
    const root = document.documentElement;
    check("layout", root.scrollWidth <= root.clientWidth, `${root.scrollWidth} wide in ${root.clientWidth}`);
    for (const element of all("main *")) {
      if (element.closest(".scroll, .chart, svg, pre") || element.checkVisibility() === false) continue;
      const { right, left } = element.getBoundingClientRect();
      check("layout", left >= -0.5 && right <= root.clientWidth + 0.5, `<${element.tagName}> "${element.textContent.slice(0, 40)}"`);
    }
  }

  function reach() {
    for (const box of all(".scroll, .chart")) {
      const isWider = box.scrollWidth > box.clientWidth;
      check("reach", (box.tabIndex === 0) === isWider, `${box.textContent.trim().slice(0, 40)}: ${isWider ? "no key scrolls it" : "a stop for nothing"}`);
    }
  }

  navigation();
  tabs();
  layout();
  sorting();
  filters();
  printing();
  for (const folded of all("details")) folded.open = true;
  for (const panel of all("[hidden]")) panel.hidden = false;
  // A frame later the page has seen what became wider.
  document.fonts.ready.then(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))).then(() => {
    layout();
    reach();
    charts();
    const requests = performance.getEntriesByType("resource").map((entry) => entry.name).filter((name) => !name.startsWith("data:"));
    check("requests", requests.length === 0, requests.join(", "));
    parent.postMessage(JSON.stringify({ troubles, checks, width: innerWidth }), "*");
  });
})();
