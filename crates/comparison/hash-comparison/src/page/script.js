"use strict";
// Without this script every dataset is shown, one below the other, and tables keep their order.

const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const form = document.getElementById("view");
const articles = all(".dataset");
const textOf = (cell) => cell?.textContent.trim() ?? "";

/** The number of a cell: its own, where its text is none, else the first in the text; in hundredths where it is a percentage. */
function valueOf(cell) {
  const text = cell.dataset.value ?? cell.textContent.split(/ to |, /)[0].replaceAll(/[,\s%<]/g, "");
  const read = text === "" ? NaN : Number(text);
  return cell.dataset.value === undefined && cell.textContent.includes("%") ? read / 100 : read;
}

const nameIn = (cell) => textOf(cell.querySelector("a") ?? cell);
const idOf = (name) => all("details.function").find((panel) => textOf(panel.firstElementChild) === name)?.id;
const rowOf = (table, name) => all("tr:not(thead tr)", table).find((row) => nameIn(row.cells[0]) === name);

(function view() {
  if (form === null) return;
  const field = (name) => form.elements[name];
  const isShown = (name) => field(name) !== undefined && field(name) !== null;
  const fields = ["dataset", "use", "strangers", "stored", "mine"].filter(isShown);
  const start = Object.fromEntries(fields.map((name) => [name, field(name).value]));
  let marked;
  // What was chosen of values before a use left no choice.
  let kept = false;

  /** Shows the parts of the chosen use, and the columns of tables with them. */
  function parts(article, use) {
    const chosen = use.dataset.parts.split(" ");
    for (const part of all("[data-part]", article)) part.toggleAttribute("hidden", !chosen.includes(part.dataset.part));
    for (const part of all("[data-form]", article)) part.toggleAttribute("hidden", part.dataset.form !== use.dataset.form);
    for (const part of all("[data-use]", article)) part.hidden = part.dataset.use !== use.value;
    // A use with several parts has the chart of the first.
    for (const chart of all("[data-first]", article)) chart.toggleAttribute("hidden", chart.dataset.first !== chosen[0]);
    const table = article.querySelector(".ranking table");
    const shown = all("col", table).map((column) => !column.hidden && column.className !== "other");
    for (const row of table.tBodies[0].rows) [...row.cells].forEach((cell, at) => (cell.hidden = !shown[at]));
  }

  /** Orders the ranking by the advice of a choice. */
  function rank(article, choice) {
    const body = article.querySelector(".ranking tbody");
    const rows = new Map([...body.rows].map((row) => [row.querySelector("a").hash.slice(1), row]));
    const phrases = document.getElementById("phrases").content.textContent.split("~");
    const lines = choice.querySelector("template").content.textContent.replaceAll(/~(\d)/g, (_, at) => phrases[at]);
    const ranked = lines.trim().split("\n").map((line) => line.split("\t"));
    let words;
    for (const [id, ...own] of ranked) {
      const { cells } = rows.get(id);
      if (own.length > 0) words = own;
      [cells[1].textContent, [...cells].at(-1).textContent] = words;
    }
    body.append(...ranked.map(([id]) => rows.get(id)));
  }

  /** Fills the columns of the table side by side from the rows of the ranking. */
  function sides(article, mine) {
    const table = article.querySelector(".sides");
    const ranked = [...article.querySelector(".ranking tbody").rows];
    const advised = (advice) => ranked.find((row) => textOf([...row.cells].at(-1)) === advice);
    const known = [...article.querySelector("template.weaknesses").content.children];
    for (const [role, row] of Object.entries({ pick: advised("pick"), "runner-up": advised("runner-up"), yours: ranked.find((row) => nameIn(row.cells[0]) === mine) })) {
      const head = table.querySelector(`thead .${role}`);
      const isShown = row !== undefined || role === "yours";
      head.querySelector("a")?.remove();
      if (row !== undefined) head.append(row.querySelector("a").cloneNode(true));
      // The rows of one are the columns of the other, up to the last.
      const cells = [...(row?.cells ?? [])].slice(1, -1);
      const weakness = document.createElement("td");
      weakness.className = "text";
      if (row !== undefined) weakness.textContent = known.find((one) => one.dataset.name === nameIn(row.cells[0]))?.textContent ?? "none";
      [...table.tBodies[0].rows].forEach((line, index, { length }) => {
        const cell = index + 1 === length ? weakness : (cells[index]?.cloneNode(true) ?? document.createElement("td"));
        cell.hidden = !isShown;
        line.cells[head.cellIndex].replaceWith(cell);
      });
      head.hidden = !isShown;
      if (role === "yours") table.classList.toggle("nobody", row === undefined);
    }
  }

  /** Chooses the rows that are seen first: the usual places of the use, then those in which a function that is shown is not good enough. */
  function brief(article) {
    const MOST = 3;
    const rows = all(".sides tr[data-part]:not(.other)", article).filter((row) => !row.hidden);
    const cost = (row) => Math.max(0, ...all("td[data-cost]:not([hidden])", row).map((cell) => Number(cell.dataset.cost)));
    const isUsual = (row) => row.hasAttribute("data-usual");
    const costly = rows.filter((row) => !isUsual(row) && cost(row) > 0).sort((a, b) => cost(b) - cost(a));
    const first = [...rows.filter(isUsual), ...costly].slice(0, MOST);
    for (const row of rows) row.classList.toggle("more", !first.includes(row));
  }

  /** Fills in what a change to the best function gains, in the article or over all sets of keys. */
  function gain(place, mine) {
    for (const line of all(".gain", place)) {
      const id = idOf(mine);
      const lines = place.querySelector(`template[data-gain="${line.dataset.gain}"]`).content.textContent.split("\n");
      const saved = lines.map((one) => one.split("\t")).find((one) => one[0] === id);
      line.hidden = saved === undefined;
      [mine, ...(saved ?? []).slice(1)].forEach((text, at) => (line.children[at].textContent = text || line.dataset.none));
    }
  }

  /** Moves the rows of the first chart into the order of the advice, and makes those pale that it does not recommend. */
  function arrange(article, choice) {
    const ranked = all(".ranking tbody th", article).map(nameIn);
    const suited = new Set(all(".ranking tbody tr", article).filter((row) => /^(pick|runner-up|suited)/.test(textOf([...row.cells].at(-1)))).map((row) => nameIn(row.cells[0])));
    article.querySelector(".order").textContent = textOf(choice.querySelector(".request"));
    for (const svg of all(".first-chart svg[width]", article)) {
      const rows = new Map(all("[data-row]", svg).map((row) => [row.dataset.row, row]));
      const drawn = ranked.filter((name) => rows.has(name));
      for (const [name, row] of rows) row.classList.toggle("pale", suited.size > 0 && !suited.has(name));
      if (drawn.length !== rows.size) continue;
      const heights = new Map(drawn.map((name) => [name, Number(rows.get(name).querySelector("text").getAttribute("y"))]));
      const places = [...heights.values()].sort((a, b) => a - b);
      // In the document too, for what reads or copies its text.
      svg.append(...drawn.map((name) => rows.get(name)));
      drawn.forEach((name, at) => rows.get(name).setAttribute("transform", `translate(0 ${places[at] - heights.get(name)})`));
    }
  }

  /** Frames the function in use wherever a chart shows its name. The style sheet draws the frame, in place of that in the chart. */
  function frame(mine) {
    for (const drawn of all(".chart rect.frame")) drawn.remove();
    for (const row of all(".chart [data-row]")) row.querySelector("text").classList.toggle("mine", row.dataset.row === mine);
  }

  /** Uses that need values which never change leave no choice; the reader's own comes back with other uses. */
  function stored() {
    const [no, yes] = all('[name="stored"]', form);
    const forced = form.querySelector('[name="use"]:checked')?.hasAttribute("data-stable") ?? false;
    if (no === undefined) return;
    if (forced !== no.disabled) {
      if (forced) kept = yes.checked;
      else (kept ? yes : no).checked = true;
      no.disabled = forced;
    }
    if (forced) yes.checked = true;
  }

  /** Repeats the advice for the chosen use in tables further down. */
  function advise(article, use) {
    const head = `Advice: ${textOf(use.nextElementSibling)}`;
    const advice = new Map(all(".ranking tbody tr", article).map((row) => [nameIn(row.cells[0]), textOf([...row.cells].at(-1))]));
    for (const table of all(".failures table", article)) {
      const column = [...table.tHead.rows[0].cells].find((cell) => textOf(cell).startsWith("Advice: "));
      if (column === undefined) continue;
      (column.firstElementChild ?? column).textContent = head;
      for (const row of table.tBodies[0].rows) row.cells[column.cellIndex].textContent = advice.get(nameIn(row.cells[0])) ?? "";
    }
  }

  /** Names the function in use below charts that leave it out. */
  function undrawn(article, name) {
    for (const place of all(".undrawn", article)) {
      const rows = all("[data-row]", place.closest("section"));
      const isNamed = name === "" || rows.some((row) => row.dataset.row === name);
      place.textContent = isNamed ? "" : ` ${name} (yours) is not drawn here: “Full table” has its figures.`;
    }
  }

  function show() {
    stored();
    // Read once: after each change of the page the form looks its fields up again.
    const now = Object.fromEntries(fields.map((name) => [name, field(name).value]));
    const use = form.querySelector('[name="use"]:checked');
    const wanted = `${now.use} ${now.strangers === "yes"} ${now.stored === "yes"}`;
    for (const part of all(".choice")) part.hidden = part.dataset.choice !== wanted;
    for (const article of articles) {
      article.hidden = now.dataset !== undefined && article.dataset.name !== now.dataset;
      // Of hidden keys too, which paper shows.
      const choice = article.querySelector(".choice:not([hidden])");
      parts(article, use);
      rank(article, choice);
      sides(article, now.mine);
      brief(article);
      advise(article, use);
      arrange(article, choice);
    }
    const chosen = all("input:checked", form).map((field) => field.name === "dataset" || field.name === "use" ? textOf(field.nextElementSibling.firstChild) : field.value === "yes" ? textOf(field.closest("fieldset").querySelector("legend").firstChild).replace("?", "") : "");
    form.querySelector("summary").textContent = [...chosen, now.mine].filter((word) => word !== "").join(" · ");
    if (now.mine === marked) return;
    marked = now.mine;
    for (const warning of all("[data-mine]")) warning.hidden = warning.dataset.mine !== marked;
    for (const article of articles) undrawn(article, marked);
    for (const place of [...articles, ...all("#together")]) gain(place, marked);
    for (const cell of all("tbody th")) cell.classList.toggle("mine", nameIn(cell) === marked);
    frame(marked);
  }

  function load() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    for (const name of fields) field(name).value = wanted.get(name) ?? start[name];
    show();
  }

  /** Writes the choice into the address, which can be sent to somebody. */
  function keep() {
    const now = new URLSearchParams(location.hash.slice(1));
    for (const name of fields) {
      if (field(name).value === start[name]) now.delete(name);
      else now.set(name, field(name).value);
    }
    history.replaceState(null, "", `#${now}`);
  }
  /** On a narrow screen, one line states the choice until somebody opens it. */
  const narrow = matchMedia("(max-width: 700px)");
  const fold = form.querySelector("details");
  const refold = () => (fold.open = !narrow.matches);
  narrow.addEventListener("change", refold);
  refold();
  form.addEventListener("change", () => {
    show();
    keep();
  });
  addEventListener("hashchange", load);
})();

// Rows below one of the same function have its name alone.
(function links() {
  for (const head of all("tbody tr + tr > th:first-child")) {
    const link = head.parentElement.previousElementSibling.querySelector("th > a");
    if (head.children.length > 0 || link === null || textOf(link) !== textOf(head)) continue;
    const copy = link.cloneNode();
    copy.append(...head.childNodes);
    head.append(copy);
  }
})();

// A click on a function opens its panel where one stands; without a script the link leads to it.
(function panels() {
  const dialog = document.getElementById("panel");
  if (dialog === null) return;
  document.addEventListener("click", (event) => {
    const target = event.target.closest('a[href^="#f"]');
    const panel = target && document.querySelector(`details.function${target.getAttribute("href")}`);
    if (!panel) return;
    event.preventDefault();
    const title = document.createElement("h2");
    title.textContent = panel.firstElementChild.textContent;
    const content = [...panel.children].slice(1).map((child) => child.cloneNode(true));
    dialog.lastElementChild.replaceChildren(title, ...content);
    dialog.setAttribute("aria-label", title.textContent);
    dialog.showModal();
  });
  // Folded sections open; the address goes on telling the view.
  for (const link of all("section.answer .line a")) {
    link.addEventListener("click", (event) => {
      const section = document.getElementById(link.getAttribute("href").slice(1));
      event.preventDefault();
      if (section.tagName === "DETAILS") section.open = true;
      section.scrollIntoView();
    });
  }
})();

(function sorting() {
  function compare(a, b, column, numeric, sign) {
    const [x, y] = [a.cells[column], b.cells[column]];
    if (!numeric) return sign * x.textContent.localeCompare(y.textContent, "en");
    const [u, v] = [valueOf(x), valueOf(y)];
    // Empty cells stay last whichever way the others go.
    if (Number.isNaN(u) || Number.isNaN(v)) return Number.isNaN(u) - Number.isNaN(v);
    return sign * (u - v);
  }
  for (const table of all("table.sortable")) {
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
  for (const table of all("table.sortable")) {
    const rows = [...table.tBodies[0].rows];
    if (rows.length < FEWEST) continue;
    const field = Object.assign(document.createElement("input"), { type: "search", autocomplete: "off", placeholder: "words" });
    const label = document.createElement("label");
    label.append("Find rows ", field);
    const count = document.createElement("output");
    const tools = document.createElement("div");
    tools.className = "tools";
    tools.setAttribute("role", "group");
    tools.setAttribute("aria-label", `Find rows: ${table.caption.textContent}`);
    tools.append(label, count);
    table.closest(".scroll").before(tools);

    const apply = () => {
      const words = field.value.toLowerCase().split(/\s+/);
      let shown = 0;
      for (const row of rows) {
        const isShown = words.every((word) => row.textContent.toLowerCase().includes(word));
        row.classList.toggle("filtered", !isShown);
        shown += Number(isShown);
      }
      count.textContent = `${shown} of ${rows.length} rows`;
    };
    tools.addEventListener("input", (event) => {
      event.stopPropagation();
      apply();
    });
    apply();
  }
})();

// Where a chart is scrolled sideways, a copy of its names stays in sight. They end where the first panel begins.
(function names() {
  const NAMES_END = 184;
  all(".chart > svg").forEach((svg, index) => {
    const texts = all("[data-row]", svg).map((row) => row.querySelector("text"));
    const [width, height] = ["width", "height"].map((side) => Number(svg.getAttribute(side)));
    const [copy, use] = ["svg", "use"].map((name) => document.createElementNS(svg.namespaceURI, name));
    if (texts.length === 0 || Number(texts[0].getAttribute("x")) > NAMES_END) return;
    // A unit of the chart is half a pixel.
    const lines = texts.map((text) => Number(text.getAttribute("y")) / 2);
    const [above, below] = [Math.min(...lines) - 14, height - Math.max(...lines) - 5];
    copy.style.clipPath = `inset(${(100 * above) / height}% 0 ${(100 * below) / height}%)`;
    svg.id = `chart${index}`;
    use.setAttribute("href", `#${svg.id}`);
    copy.setAttribute("class", "names");
    copy.setAttribute("viewBox", `0 0 ${NAMES_END} ${height}`);
    copy.setAttribute("aria-hidden", "true");
    copy.style.width = `${(100 * NAMES_END) / width}%`;
    copy.append(use);
    svg.after(copy);
  });
})();

// What is scrolled sideways can be reached by keys; where there is nothing to scroll, nobody has to pass by.
(function reaching() {
  function reach({ target }) {
    const box = target.closest(".scroll, .chart");
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
  // A frame later: what says that a box scrolls makes it higher.
  const watched = new ResizeObserver((entries) => requestAnimationFrame(() => entries.forEach(reach)));
  for (const box of all(".scroll, .chart")) {
    watched.observe(box);
    // A table may grow while the box around it does not.
    for (const inner of all(":scope > table", box)) watched.observe(inner);
  }
})();

// Shows the choice in the address, once everything above listens.
dispatchEvent(new Event("hashchange"));
