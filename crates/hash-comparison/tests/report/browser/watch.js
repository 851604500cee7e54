"use strict";
// First of all scripts: what goes wrong from here on is written down.
window.troubles = [];
addEventListener("error", (event) => troubles.push(`error: ${event.message}`));
addEventListener("unhandledrejection", (event) => troubles.push(`rejection: ${event.reason}`));
addEventListener("securitypolicyviolation", (event) => troubles.push(`blocked: ${event.violatedDirective} ${event.blockedURI}`));
for (const level of ["error", "warn"]) {
  console[level] = (...words) => troubles.push(`console.${level}: ${words.join(" ")}`);
}
