"use strict";
// Runs last in a copy of the page whose rules for paper hold on the screen, in a frame as wide as paper.

(function printed() {
  const checks = {};
  function check(holds, text) {
    checks.paper = (checks.paper ?? 0) + 1;
    if (!holds) troubles.push(`paper: ${text}`);
  }
  dispatchEvent(new Event("beforeprint"));
  document.fonts.ready.then(() => {
    for (const useless of document.querySelectorAll('nav, [role="tablist"], .tools, .screen')) {
      check(!useless.checkVisibility(), `<${useless.tagName} class="${useless.className}" id="${useless.id}"> is of no use`);
    }
    for (const first of document.querySelectorAll(".first")) check(first.checkVisibility(), `${first.id} is missing`);
    // Chromium paints no button in a head that it repeats.
    for (const button of document.querySelectorAll("main > section th button")) {
      check(getComputedStyle(button).display === "contents", `the head "${button.textContent}" is a button`);
    }
    const sheet = document.documentElement.clientWidth;
    for (const wide of document.querySelectorAll("table, .chart > svg, pre, p")) {
      if (!wide.checkVisibility()) continue;
      const { right, height } = wide.getBoundingClientRect();
      const name = wide.caption?.textContent ?? wide.getAttribute("aria-label") ?? wide.textContent.slice(0, 40);
      check(right <= sheet + 0.5, `"${name}" ends at ${right} of ${sheet}`);
      // A page is 273 mm high inside its margins; a title stands above a chart.
      if (wide.tagName === "svg") check(height <= (250 / 25.4) * 96, `"${name}" is ${height} high`);
    }
    parent.postMessage(JSON.stringify({ troubles, checks, width: innerWidth }), "*");
  });
})();
