"use strict";
// First of all scripts: what goes wrong from here on is written down.
window.complaints = [];
addEventListener("error", (event) => complaints.push(`error: ${event.message}`));
addEventListener("unhandledrejection", (event) => complaints.push(`rejection: ${event.reason}`));
addEventListener("securitypolicyviolation", (event) => complaints.push(`blocked: ${event.violatedDirective} ${event.blockedURI}`));
for (const level of ["error", "warn"]) {
  console[level] = (...words) => complaints.push(`console.${level}: ${words.join(" ")}`);
}
