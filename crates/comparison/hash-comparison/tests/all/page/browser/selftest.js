"use strict";
// Runs last in a copy of the page, uses it as a reader does, and sends what it found to the page around it. The name of the
// frame has the kinds of checks that it makes.

(function selftest() {
  const checks = {};
  const complain = (text) => complaints.push(text);
  function check(kind, holds, text) {
    checks[kind] = (checks[kind] ?? 0) + 1;
    if (!holds) complain(`${kind}: ${text}`);
  }
  const captionOf = (table) => table.caption.textContent;
  const isSeen = (element) => element.checkVisibility();
  const isPaper = getComputedStyle(document.getElementById("view")).display === "none";

  function press(control, value) {
    if (control.type === "radio") control.checked = true;
    else control.value = value;
    control.dispatchEvent(new Event("change", { bubbles: true }));
  }

  /** The frame of the function in use lies around its name, in the row of that name, and hides no other name. */
  function framed(article, name, place) {
    const middle = (element) => {
      const { top, bottom } = element.getBoundingClientRect();
      return (top + bottom) / 2;
    };
    for (const svg of all(".first-chart svg[width]", article).filter(isSeen)) {
      const rows = all("[data-row]", svg).filter((row) => row.querySelector("text")?.textContent === row.dataset.row);
      const mine = rows.filter((row) => row.dataset.row === name);
      const frames = all("text.mine", svg);
      check("frames", frames.length === mine.length && all("rect.frame", svg).length === 0, `${place}: ${frames.length} frames for ${mine.length} rows of ${name}`);
      for (const frame of frames) {
        const row = frame.closest("[data-row]");
        const mark = row?.querySelector("use, path:not([color='#FFFFFF'])") ?? svg;
        const isAround = getComputedStyle(frame).outlineStyle === "solid" && frame === row?.querySelector("text");
        check("frames", row?.dataset.row === name && isAround && Math.abs(middle(frame) - middle(mark)) < 2, `${place}: the frame is not around ${name}`);
      }
      for (const row of rows) {
        const text = row.querySelector("text");
        text.scrollIntoView({ block: "center" });
        const { left, right } = text.getBoundingClientRect();
        const top = document.elementFromPoint((left + right) / 2, middle(text));
        check("frames", top === text, `${place}: <${top?.tagName}> hides ${row.dataset.row}`);
      }
    }
  }

  /** The rows of the first chart stand, and follow one another in the document, in the order of the advice. */
  function ordered(article, place) {
    const ranked = all(".ranking tbody th", article).map(nameIn);
    const rows = all("[data-row]", all(".first-chart svg[width]", article).find(isSeen));
    const top = (row) => row.querySelector("text").getBoundingClientRect().top;
    for (const order of [rows, rows.toSorted((a, b) => top(a) - top(b))]) {
      const places = order.map((row) => ranked.indexOf(row.dataset.row));
      check("order", places.length > 2 && places.every((rank, at) => at === 0 || rank > places[at - 1]), `${place}: ${places}`);
    }
  }

  function view() {
    const fields = (name) => all(`#view [name="${name}"]`);
    const datasets = fields("dataset");
    check("view", datasets.length === articles.length, `${datasets.length} datasets`);
    for (const field of all("#view input, #view select")) check("view", field.tabIndex === 0 && (field.labels.length > 0 || field.ariaLabel), `${field.name}: no name or no focus`);
    for (const dataset of datasets) {
      press(dataset);
      const shown = articles.filter(isSeen).map((article) => article.dataset.name);
      check("view", shown.length === 1 && shown[0] === dataset.value, `${dataset.value}: ${shown}`);
    }
    const shown = articles.find(isSeen);
    const start = fields("mine")[0].value;
    const names = all(".first-chart [data-row]", shown).map((row) => row.dataset.row);
    framed(shown, start, "at first");
    for (const use of fields("use")) {
      for (const strangers of fields("strangers")) {
        for (const stored of fields("stored")) {
          press(use);
          const forced = use.hasAttribute("data-stable");
          check("view", fields("stored")[0].disabled === forced, `${use.value}: whether values are kept is no choice`);
          if (stored.disabled) continue;
          for (const control of [strangers, stored]) press(control);
          const choices = all("div.choice", shown).filter(isSeen);
          const wanted = `${use.value} ${strangers.value === "yes"} ${stored.value === "yes"}`;
          const heads = [...shown.querySelector(".failures table").tHead.rows[0].cells].map(textOf);
          check("view", heads.includes(`Advice: ${textOf(use.nextElementSibling)}`), `${wanted}: ${heads} further down`);
          const parts = new Set(all("[data-part]", shown).filter((part) => !part.hidden).map((part) => part.dataset.part));
          check("view", [...parts].every((part) => use.dataset.parts.split(" ").includes(part)), `${wanted}: ${[...parts]} are of other uses`);
          check("view", choices.length === 1 && choices[0].dataset.choice === wanted, `${wanted}: ${choices.length} answers`);
          check("view", all(".choice").filter(isSeen).every((part) => part.dataset.choice === wanted), `${wanted}: a part of another choice`);
          ordered(shown, wanted);
          const advice = all(".ranking tbody tr", shown).map((row) => textOf([...row.cells].at(-1)));
          const names = all(".ranking tbody th", shown).map(nameIn);
          const pale = all(".first-chart [data-row].pale", shown).map((row) => row.dataset.row);
          const suits = advice.some((one) => one === "pick");
          check("view", pale.length > 0 || suits === false || !advice.includes("avoid"), `${wanted}: nothing is pale`);
          check("view", pale.every((name) => /^(avoid|suits in part|does not|too few)/.test(advice[names.indexOf(name)])), `${wanted}: ${pale} are pale`);
          check("view", advice.every((one) => /^(pick|runner-up|suited, rank \d+|avoid|suits in part|does not meet the request|too few keys)$/.test(one)), `${wanted}: ${advice}`);
          for (const name of [start, names.find((name) => name !== start)]) {
            press(fields("mine")[0], name);
            framed(shown, name, `${wanted}, ${name}`);
          }
        }
      }
    }
    // The last choice is in the address, which restores it.
    const address = location.hash;
    check("view", address.includes("strangers=yes") && address.includes("use=checksum"), address);
    for (const name of ["use", "strangers", "stored", "dataset"]) press(fields(name)[0]);
    location.hash = address;
    dispatchEvent(new Event("hashchange"));
    check("view", all(".choice", articles.find(isSeen)).filter(isSeen)[0]?.dataset.choice === "checksum true true", "the address brings nothing back");
    const [mine] = fields("mine");
    for (const name of ["use", "strangers", "stored"]) press(fields(name)[0]);
    for (const option of [...mine.options].slice(1)) {
      press(mine, option.value);
      const article = articles.find(isSeen);
      const sides = article.querySelector(".sides");
      const column = sides.querySelector("th.yours").cellIndex;
      check("view", textOf(sides.querySelector("th.yours a")) === option.value, `yours: ${option.value}`);
      const ranked = [...rowOf(article.querySelector(".ranking table"), option.value).cells].slice(1, -1).map(textOf);
      const shown = [...sides.tBodies[0].rows].map((row) => textOf(row.cells[column]));
      check("yours", shown.length === ranked.length + 1 && ranked.every((text, at) => text === shown[at]), `${option.value}: ${shown} side by side, ${ranked} in the ranking`);
      check("yours", /^(yes|no|filter of (32|64) bits \((LevelDB|Parquet)\))(, [^:]*)?: /.test(shown[0]), `${option.value}: ${shown[0]}`);
      const gains = all(".gain", article).filter(isSeen).map(textOf);
      const isPick = textOf(sides.querySelector("th.pick a")) === option.value;
      const says = (text) => text.startsWith(`${option.value} to `) && /(ns (less|more)|no measurable change) per key in sequence, [^,]+ out of the cache\.$/.test(text);
      check("gains", isPick ? gains.length === 0 : gains.length === 1 && gains.every(says), `${option.value}: ${gains}`);
      const isDrawn = all(".first-chart svg text", article).some((text) => text.textContent === option.value);
      check("yours", isDrawn !== article.querySelector(".first-chart .undrawn").textContent.includes(option.value), `${option.value}: not named under the chart`);
      for (const use of [fields("use")[1], fields("use")[0]]) press(use);
      const again = all(".sides th.yours a", articles.find(isSeen)).find(isSeen);
      check("view", textOf(again) === option.value, `yours after another use: ${option.value}`);
    }
  }

  function panels() {
    const dialog = document.getElementById("panel");
    for (const link of all(".sides thead a, .failures th a").filter(isSeen)) {
      link.click();
      check("panels", dialog.open && dialog.querySelector("h2").textContent === link.textContent, link.textContent);
      check("panels", dialog.querySelectorAll("dd").length > 4, `${link.textContent}: facts`);
      dialog.close();
    }
    const ids = all("[id]").map((element) => element.id);
    check("panels", new Set(ids).size === ids.length, "an id is there twice");
    for (const link of all('a[href^="#"]')) check("panels", document.getElementById(link.getAttribute("href").slice(1)) !== null, link.href);
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
            const values = cells.map(valueOf);
            const filled = values.filter((value) => !Number.isNaN(value));
            isSorted =
              values.slice(filled.length).every(Number.isNaN) &&
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
      const shown = () => rows.filter((row) => !row.classList.contains("filtered"));
      const field = tools.querySelector("input");
      const count = tools.querySelector("output");
      const agrees = (expected, what) => {
        const [now, wanted] = [shown(), new Set(expected)];
        check("filters", now.length === wanted.size && now.every((row) => wanted.has(row)), `${place}: ${what}`);
        check("filters", count.textContent === `${expected.length} of ${rows.length} rows`, `${place}: ${what}: ${count.textContent}`);
      };
      check("filters", field.labels.length > 0 && field.tabIndex === 0, `${place}: the field has no name or no focus`);

      const first = rows.at(-1).cells[0].textContent.split(" (")[0];
      type(field, first.toUpperCase());
      const has = (cell) => first.toLowerCase().split(/\s+/).every((word) => cell.textContent.toLowerCase().includes(word));
      agrees(rows.filter(has), "a name");
      // Once, because the browser computes the styles of the whole page again for it.
      const isDrawn = (row) => getComputedStyle(row).display !== "none";
      check("filters", rows.every((row) => isDrawn(row) === has(row)), `${place}: filtered rows are seen`);
      type(field, "no such thing anywhere");
      agrees([], "nothing");

      type(field, "");

      agrees(rows, "everything again");
    }
  }

  function layout() {
    const root = document.documentElement;
    for (const table of all(".ranking table").filter((table) => innerWidth > 700 && isSeen(table))) {
      check("layout", table.offsetWidth <= root.clientWidth && table.tHead.offsetHeight < 120, `${table.offsetWidth} wide, head of ${table.tHead.offsetHeight}: ${captionOf(table)}`);
    }
    check("layout", root.scrollWidth <= root.clientWidth, `${root.scrollWidth} wide in ${root.clientWidth}`);
    for (const element of all("main *")) {
      if (element.closest(".scroll, .chart, svg, pre") || element.checkVisibility() === false) continue;
      const { right, left } = element.getBoundingClientRect();
      check("layout", left >= -0.5 && right <= root.clientWidth + 0.5, `<${element.tagName}> "${element.textContent.slice(0, 40)}"`);
    }
  }

  function reach() {
    for (const box of all(".scroll, .chart")) {
      if (!isSeen(box)) continue;
      const isWider = box.scrollWidth > box.clientWidth;
      const names = box.querySelector("tbody th, .names");
      if (isWider && names !== null) {
        box.scrollLeft = box.scrollWidth;
        check("reach", names.getBoundingClientRect().right > 0, `${box.textContent.trim().slice(0, 40)}: its names are scrolled away`);
      }
      check("reach", (box.tabIndex === 0) === isWider, `${box.textContent.trim().slice(0, 40)}: ${isWider ? "no key scrolls it" : "a stop for nothing"}`);
    }
  }

  /** What a reader sees before anything is scrolled, for every choice: the answer, the rows that decide, and the first chart. */
  function first() {
    const [WIDE, NARROW] = [900, 844];
    const isNarrow = innerWidth <= 700;
    const fold = document.querySelector("#view details");
    check("first", fold.open !== isNarrow, "the controls are folded on a narrow screen alone");
    check("first", textOf(fold.querySelector("summary")).split(" · ").length > 1, "no line states the choice");
    const fields = (name) => all(`#view [name="${name}"]`);
    const { bottom: controls } = fold.getBoundingClientRect();
    check("first", controls < (isNarrow ? 70 : 120), `controls end at ${controls}`);
    for (const set of fields("dataset").length > 0 ? fields("dataset") : [fields("use")[0]]) {
      press(set);
      const article = articles.find(isSeen);
      for (const use of fields("use")) for (const strangers of fields("strangers")) for (const mine of ["", "DJB2Hash", "BPHash"]) {
        for (const field of [use, strangers]) press(field);
        press(fields("mine")[0], mine);
        const place = `${article.dataset.name}, ${use.value}, ${strangers.value}, ${mine}`;
        const bottom = (element) => element.getBoundingClientRect().bottom + scrollY;
        const answer = all(".answer > .choice > p", article).filter((line) => isSeen(line) && textOf(line) !== "");
        const line = isNarrow ? 110 : 34;
        check("first", answer.length > 0 && answer.length <= 3 && answer.every((one) => one.offsetHeight <= line), `${place}: ${answer.map((one) => `${one.offsetHeight}: ${textOf(one)}`)}`);
        const sides = article.querySelector(".sides");
        const rows = [...sides.tBodies[0].rows].filter(isSeen);
        const costly = all("tr:not([hidden]) > td[data-cost]:not([hidden])", sides);
        check("first", rows.length <= 6, `${place}: ${rows.length} rows`);
        check("first", rows.every((row) => row.cells[0].querySelector("small") !== null || /^(Good enough\?|Known weakness)$/.test(textOf(row.cells[0]))), `${place}: a figure without its meaning`);
        check("first", costly.length === 0 || costly.some(isSeen), `${place}: what is not good enough is not seen`);
        check("first", sides.offsetWidth <= document.documentElement.clientWidth, `${place}: the table is scrolled sideways`);
        if (isNarrow && rows.length > 2) {
          check("first", bottom(rows[2]) <= NARROW, `${place}: two figures end at ${bottom(rows[2])}`);
        } else if (!isNarrow) {
          const places = all(".first-chart [data-row]", article).map((row) => bottom(row.querySelector("text"))).sort((a, b) => a - b);
          check("first", places[Math.min(9, places.length - 1)] <= WIDE, `${place}: ten functions end at ${places[9]}`);
        }
      }
    }
  }

  /** A page of eight screens. */
  function height() {
    const { scrollHeight } = document.body;
    check("height", innerWidth <= 700 || scrollHeight <= 8 * 900, `${scrollHeight} pixels`);
  }

  function paper() {
    const SHEET = (273 / 25.4) * 96;
    for (const useless of all("button, select, input, .fold")) check("paper", !isSeen(useless), `<${useless.tagName} class="${useless.className}"> is of no use`);
    check("paper", isSeen(document.querySelector(".printed")), "nothing says what is left out");
    for (const closed of all("details:not([open], .ranking, .notes) > summary").filter(isSeen)) check("paper", getComputedStyle(closed, "::after").content.includes("on the page"), `"${textOf(closed)}" is closed`);
    let sheets = 0;
    for (const article of articles) {
      check("paper", isSeen(article.querySelector(".answer")) && isSeen(article.querySelector(".first-chart .chart")), `${article.dataset.name} lacks something`);
      check("paper", all(".ranking tbody tr", article).length > 3 && all(".ranking tbody tr", article).every(isSeen), `${article.dataset.name}: the ranking is missing`);
      ordered(article, article.dataset.name);
      sheets += Math.ceil(article.getBoundingClientRect().height / SHEET);
      check("paper", getComputedStyle(article).breakAfter === (article === articles.at(-1) ? "auto" : "page"), "no page for each dataset");
    }
    check("paper", sheets <= 6, `${sheets} pages`);
    for (const wide of all("table, .chart > svg, p").filter(isSeen)) {
      check("paper", wide.getBoundingClientRect().right <= document.documentElement.clientWidth + 0.5, `"${wide.textContent.slice(0, 40)}" is cut`);
    }
  }

  function requests() {
    const requests = performance.getEntriesByType("resource").map((entry) => entry.name).filter((name) => !name.startsWith("data:"));
    check("requests", requests.length === 0, requests.join(", "));
  }

  function used() {
    const make = (kinds) => Object.entries(kinds).filter(([kind]) => name.split(" ").includes(kind)).forEach(([, look]) => look());
    make({ first, height, layout, view, panels, sorting, filters });
    for (const folded of all("details")) folded.open = true;
    // A frame later the page has seen what became wider.
    const frame = () => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
    return frame().then(frame).then(() => make({ layout, reach, requests }));
  }

  document.fonts.ready.then(() => new Promise((drawn) => setTimeout(drawn))).then(isPaper ? paper : used)
    .catch((error) => complain(`error: ${error.stack}`))
    .then(() => parent.postMessage(JSON.stringify({ complaints, checks }), "*"));
})();
