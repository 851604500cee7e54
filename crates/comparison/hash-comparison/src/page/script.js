"use strict";
// Without this script every dataset is shown, one below the other, and tables keep their order.

const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const form = document.getElementById("view");
const articles = all(".dataset");
const textOf = (cell) => cell?.textContent.trim() ?? "";

/** The number of a cell: its own, where its text is none; without grouping, in hundredths where it is a percentage. */
function valueOf(cell) {
  const text = cell.dataset.value ?? cell.textContent.replaceAll(/[,\s%]/g, "");
  const read = text === "" ? NaN : Number(text);
  return cell.dataset.value === undefined && cell.textContent.includes("%") ? read / 100 : read;
}

const nameIn = (cell) => textOf(cell.querySelector("a") ?? cell);
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

  /** Fills the column of the function in use from its row in the ranking. */
  function yours(article, choice, mine) {
    const table = choice.querySelector(".sides");
    const head = table.querySelector("th.yours");
    const row = rowOf(choice.querySelector(".ranking table"), mine);
    table.classList.toggle("nobody", row === undefined);
    head.querySelector("a")?.remove();
    if (row === undefined) return;
    head.append(row.cells[0].querySelector("a").cloneNode(true));
    const known = [...article.querySelector("template.weaknesses").content.children].find((one) => one.dataset.name === mine);
    const weakness = document.createElement("td");
    weakness.className = "text";
    weakness.textContent = known?.textContent ?? "none";
    // The rows of one are the columns of the other, up to the last.
    const cells = [...row.cells].slice(1, -1);
    [...table.tBodies[0].rows].forEach((line, index) => line.cells[head.cellIndex].replaceWith(cells[index]?.cloneNode(true) ?? weakness));
    for (const cell of all("td", table)) cell.hidden = false;
  }

  /** Moves the rows of the first chart into the order of the advice. */
  function arrange(article, choice) {
    const ranked = all(".ranking tbody th", choice).map(nameIn);
    article.querySelector(".order").textContent = textOf(choice.querySelector(".asked"));
    for (const svg of all(".first-chart svg[width]", article)) {
      const rows = new Map(all("[data-row]", svg).map((row) => [row.dataset.row, row]));
      const drawn = ranked.filter((name) => rows.has(name));
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

  /** Tables further down tell the advice for the use chosen above. */
  function advise(article, choice) {
    const use = form.querySelector('[name="use"]:checked');
    const head = `Advice: ${textOf(use.nextElementSibling)}`;
    const told = new Map(all("tbody tr", choice.querySelector(".ranking")).map((row) => [nameIn(row.cells[0]), textOf([...row.cells].at(-1))]));
    // Costs and panels are those of the chosen use.
    const parts = use.dataset.parts.split(" ");
    for (const part of all("[data-part]", article)) part.toggleAttribute("hidden", !parts.includes(part.dataset.part));
    for (const chart of all("[data-first]", article)) chart.toggleAttribute("hidden", chart.dataset.first !== parts[0]);
    for (const table of all(".failures table", article)) {
      const column = [...table.tHead.rows[0].cells].find((cell) => textOf(cell).startsWith("Advice: "));
      if (column === undefined) continue;
      (column.firstElementChild ?? column).textContent = head;
      for (const row of table.tBodies[0].rows) row.cells[column.cellIndex].textContent = told.get(nameIn(row.cells[0])) ?? "";
    }
  }

  /** Tells of the function in use where no chart names it. */
  function undrawn(article, name) {
    for (const place of all(".undrawn", article)) {
      const rows = all("[data-row]", place.closest("section"));
      const isNamed = name === "" || rows.some((row) => row.dataset.row === name);
      place.textContent = isNamed ? "" : ` ${name} (yours) is not drawn here: “Full table” has its figures.`;
    }
  }

  function show() {
    stored();
    // Read once: each change of the page makes the form look its fields up anew.
    const now = Object.fromEntries(fields.map((name) => [name, field(name).value]));
    const wanted = `${now.use} ${now.strangers === "yes"} ${now.stored === "yes"}`;
    for (const article of articles) {
      article.hidden = now.dataset !== undefined && article.dataset.name !== now.dataset;
      for (const choice of all(".choice", article)) {
        choice.hidden = choice.dataset.choice !== wanted;
        if (choice.hidden) continue;
        yours(article, choice, now.mine);
        advise(article, choice);
        // Of hidden keys too, which paper shows.
        arrange(article, choice);
      }
    }
    if (now.mine === marked) return;
    marked = now.mine;
    for (const article of articles) undrawn(article, marked);
    for (const cell of all("tbody th")) cell.classList.toggle("mine", nameIn(cell) === marked);
    frame(marked);
  }

  function load() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    for (const name of fields) field(name).value = wanted.get(name) ?? start[name];
    show();
  }

  /** The address says what is shown, so that it can be sent to somebody. */
  function keep() {
    const now = new URLSearchParams(location.hash.slice(1));
    for (const name of fields) {
      if (field(name).value === start[name]) now.delete(name);
      else now.set(name, field(name).value);
    }
    history.replaceState(null, "", `#${now}`);
  }
  form.addEventListener("change", () => {
    show();
    keep();
  });
  addEventListener("hashchange", load);
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

// What the address asks for, once everything above listens.
dispatchEvent(new Event("hashchange"));
