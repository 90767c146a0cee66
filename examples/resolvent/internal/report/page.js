"use strict";
// Everything is on the page; the filters only hide it.
const filters = document.getElementById("filters");
const packages = [...document.querySelectorAll(".package")].map(section => ({
  section,
  name: section.querySelector("h2").textContent.toLowerCase(),
  findings: [...section.querySelectorAll(".findings > li")].map(item => ({ item, text: item.textContent.toLowerCase() })),
}));
const total = packages.reduce((sum, p) => sum + p.findings.length, 0);

function apply() {
  const severities = new Set([...filters.querySelectorAll("[name=severity]:checked")].map(box => box.value));
  const code = filters.elements.code.value;
  const text = filters.elements.text.value.trim().toLowerCase();
  let shown = 0;
  for (const p of packages) {
    let any = false;
    for (const f of p.findings) {
      const { severity, code: its } = f.item.dataset;
      const match = severities.has(severity) && (code === "" || code === its) && (p.name.includes(text) || f.text.includes(text));
      f.item.hidden = !match;
      any ||= match;
      shown += match;
    }
    p.section.hidden = !any;
  }
  document.getElementById("shown").textContent = `${shown} of ${total} shown`;
  document.getElementById("none").hidden = shown > 0;
}

filters.addEventListener("input", apply);
filters.addEventListener("reset", () => setTimeout(apply));
filters.addEventListener("submit", event => event.preventDefault());
filters.hidden = false;
apply();
