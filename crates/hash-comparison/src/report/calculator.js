"use strict";
// The calculator's panel: reads the fields, fills the table and draws the curves.

(function calculator() {
  const section = document.getElementById("calculator");
  const form = section.querySelector("form");
  const said = document.getElementById("calculator-said");
  const body = section.querySelector("tbody");
  const drawing = document.getElementById("calculator-curves");
  const caption = document.getElementById("calculator-caption");
  const legend = document.getElementById("calculator-legend");

  const UNITS = { "": 1, b: 1, byte: 1, bytes: 1 };
  for (const [power, letter] of ["k", "m", "g", "t"].entries()) {
    UNITS[`${letter}b`] = 1000 ** (power + 1);
    UNITS[`${letter}ib`] = 1024 ** (power + 1);
  }

  /** The number of a field: `null` when it is empty, NaN when it cannot be read. */
  function read(name) {
    const text = form.elements[name].value.trim().toLowerCase().replaceAll(/[,_\s]/g, "");
    if (text === "") return null;
    const [, digits, unit] = text.match(/^([0-9.]+(?:e[+-]?[0-9]+)?)(.*)$/) ?? [];
    if (digits === undefined) return NaN;
    if (name === "rate" && unit === "%") return Number(digits) / 100;
    if (name === "memory") return Math.floor(Number(digits) * (Object.hasOwn(UNITS, unit) ? UNITS[unit] : NaN));
    return unit === "" ? Number(digits) : NaN;
  }

  const grouped = (number) => number.toLocaleString("en");
  function percent(rate) {
    const hundredths = 100 * rate;
    const text = hundredths >= 1e-4 ? String(Number(hundredths.toPrecision(3))) : hundredths.toExponential(2);
    return rate === 0 ? "0 %" : `${text} %`;
  }
  function size(bytes) {
    let [number, unit] = [Number(bytes), "bytes"];
    for (const next of ["KiB", "MiB", "GiB", "TiB", "PiB"]) {
      if (number < 1024) break;
      [number, unit] = [number / 1024, next];
    }
    return unit === "bytes" ? "" : `${number.toFixed(2)} ${unit}`;
  }

  function cell(tag, text, value) {
    const made = document.createElement(tag);
    made.textContent = text;
    if (tag === "th") made.scope = "row";
    if (value !== undefined) {
      made.className = "number";
      if (value !== null) made.dataset.value = String(value);
    }
    return made;
  }

  function row([name, description], answer) {
    const made = document.createElement("tr");
    made.append(cell("th", name));
    if (answer.reason !== undefined) {
      const empty = Array.from({ length: 7 }, () => cell("td", "", null));
      made.append(...empty, cell("td", answer.reason));
      made.lastChild.className = "wide";
      return made;
    }
    made.append(
      cell("td", grouped(answer.keys), Number(answer.keys)),
      cell("td", grouped(answer.bytes), Number(answer.bytes)),
      cell("td", size(answer.bytes), Number(answer.bytes)),
      cell("td", answer.configured === null ? "" : grouped(answer.configured), answer.configured),
      cell("td", answer.bitsPerKey.toFixed(2), answer.bitsPerKey),
      cell("td", answer.probes === null ? "none" : String(answer.probes), answer.probes),
      cell("td", percent(answer.rate), answer.rate),
      cell("td", description),
    );
    made.lastChild.className = "wide";
    return made;
  }

  function svg(tag, attributes, text) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text !== undefined) made.textContent = text;
    return made;
  }

  const FRAME = { left: 74, right: 16, top: 12, bottom: 44, width: 720, height: 380 };
  const COLOURS = ["var(--ink)", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b07d00"];
  const lineOf = (index) => ({
    stroke: COLOURS[index % COLOURS.length],
    "stroke-width": 2,
    "stroke-dasharray": index < COLOURS.length ? "none" : "7 4",
    fill: "none",
  });

  function draw(keys, answers) {
    const curves = sizing.FILTERS.map(([name]) => sizing.curve(name, keys));
    const rates = curves.flat().map((point) => point.rate).filter((rate) => rate > 0);
    drawing.replaceChildren();
    legend.replaceChildren();
    if (rates.length === 0) {
      caption.textContent = `No filter for ${grouped(keys)} keys has 4 to 24 bits per key: there is no curve.`;
      return;
    }
    caption.textContent = `False-positive rate against stored bits per key, for ${grouped(keys)} keys; a ring is an answer`;
    const lowest = Math.floor(Math.log10(Math.min(...rates)));
    const [plotWidth, plotHeight] = [FRAME.width - FRAME.left - FRAME.right, FRAME.height - FRAME.top - FRAME.bottom];
    const x = (bits) => FRAME.left + ((bits - 4) / 20) * plotWidth;
    const y = (rate) => FRAME.top + (Math.log10(rate) / lowest) * plotHeight;
    const inside = (point) => point.bitsPerKey >= 4 && point.bitsPerKey <= 24 && point.rate >= 10 ** lowest;
    for (let bits = 4; bits <= 24; bits += 2) {
      drawing.append(
        svg("line", { x1: x(bits), x2: x(bits), y1: FRAME.top, y2: FRAME.top + plotHeight, class: "grid" }),
        svg("text", { x: x(bits), y: FRAME.top + plotHeight + 16, "text-anchor": "middle" }, String(bits)),
      );
    }
    const step = Math.ceil(-lowest / 8);
    for (let power = 0; power >= lowest; power -= step) {
      drawing.append(
        svg("line", { x1: FRAME.left, x2: FRAME.left + plotWidth, y1: y(10 ** power), y2: y(10 ** power), class: "grid" }),
        svg("text", { x: FRAME.left - 6, y: y(10 ** power) + 4, "text-anchor": "end" }, percent(10 ** power)),
      );
    }
    const middle = FRAME.left + plotWidth / 2;
    drawing.append(svg("text", { x: middle, y: FRAME.height - 8, "text-anchor": "middle" }, "stored bits per key"));
    curves.forEach((points, index) => {
      const shown = points.filter(inside);
      if (shown.length === 0) return;
      const path = shown.map((point) => `${x(point.bitsPerKey).toFixed(1)},${y(point.rate).toFixed(1)}`).join(" ");
      drawing.append(svg("polyline", { points: path, ...lineOf(index) }));
      const answer = answers[index];
      if (answer.reason === undefined && inside(answer)) {
        const at = { cx: x(answer.bitsPerKey), cy: y(answer.rate), r: 5 };
        drawing.append(svg("circle", { ...at, ...lineOf(index), "stroke-dasharray": "none" }));
      }
      const sample = svg("svg", { width: 34, height: 10, "aria-hidden": "true" });
      sample.append(svg("line", { x1: 0, x2: 34, y1: 5, y2: 5, ...lineOf(index) }));
      const entry = document.createElement("li");
      entry.append(sample, ` ${sizing.FILTERS[index][0]}`);
      legend.append(entry);
    });
  }

  function update() {
    const question = sizing.checked({
      keys: read("keys"),
      rate: read("rate"),
      bits: read("bits"),
      memory: read("memory"),
      probes: read("probes"),
    });
    const isBad = typeof question === "string";
    said.classList.toggle("bad", isBad);
    if (isBad) {
      said.textContent = question;
      body.replaceChildren();
      drawing.replaceChildren();
      legend.replaceChildren();
      caption.textContent = "";
    } else {
      const assumed = [];
      if (read("keys") === null && question.keys !== null) assumed.push(`${grouped(question.keys)} keys`);
      if (read("rate") === null && question.rate !== null) assumed.push(`a false-positive rate of ${percent(question.rate)}`);
      const answers = sizing.FILTERS.map(([name]) => sizing.answer(name, question));
      const found = answers.filter((answer) => answer.reason === undefined).length;
      const taken = assumed.length > 0 ? `Taken for granted: ${assumed.join(" and ")}. ` : "";
      said.textContent = `${taken}${found} of ${answers.length} kinds of filter can be that.`;
      body.replaceChildren(...sizing.FILTERS.map((filter, index) => row(filter, answers[index])));
      draw(question.keys ?? 1_000_000, answers);
    }
    section.dispatchEvent(new Event("filled", { bubbles: true }));
  }

  section.hidden = false;
  document.getElementById("calculator-link").hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", update);
  form.addEventListener("reset", () => setTimeout(update));
  update();
})();
