"use strict";
// Everything is on the page; the filters only hide it, and the address keeps them.
const filters = document.getElementById("filters");
const items = [...document.querySelectorAll(".item")];
const texts = items.map(item => ((item.closest("section")?.querySelector("h2").textContent ?? "") + "\n" + item.textContent).toLowerCase());
const notes = [...document.querySelectorAll("[data-rows]")].map(note => ({ note, rows: note.dataset.rows.split(" ") }));
const named = [...filters.elements].filter(field => field.name);
const names = new Set(named.map(field => field.name).filter(name => name !== "text"));
const chosen = () => new URLSearchParams(new FormData(filters));
const usual = chosen().toString();

// read sets the filters that the address names.
function read() {
  const wanted = new URLSearchParams(location.hash.slice(1));
  for (const field of named.filter(field => wanted.has(field.name))) {
    if (field.type === "checkbox") field.checked = wanted.getAll(field.name).includes(field.value);
    else field.value = wanted.get(field.name);
    if (field.selectedIndex === -1) field.selectedIndex = 0;
  }
}

function apply() {
  const now = chosen();
  const text = now.get("text").trim().toLowerCase();
  const wanted = [...names].map(name => [name, new Set(now.getAll(name))]);
  let shown = 0;
  items.forEach((item, i) => {
    const match = texts[i].includes(text) && wanted.every(([name, values]) => values.has("") || values.has(item.dataset[name]));
    item.hidden = !match;
    shown += match;
  });
  for (const { note, rows } of notes) note.hidden = !rows.some(i => !items[i].hidden);
  for (const section of document.querySelectorAll("section:has(.item,[data-rows])")) {
    section.hidden = !section.querySelector(".item:not([hidden]),.findings>li:not([hidden])");
  }
  document.getElementById("shown").textContent = `${shown} of ${items.length} shown`;
  document.getElementById("none").hidden = shown > 0;
}

function change() {
  const now = chosen().toString();
  history.replaceState(null, "", location.href.split("#")[0] + (now === usual ? "" : "#" + now));
  apply();
}

filters.addEventListener("input", change);
filters.addEventListener("reset", () => setTimeout(change));
filters.addEventListener("submit", event => event.preventDefault());
addEventListener("hashchange", () => { read(); apply(); });
// A link within the page leaves the filters in the address.
document.addEventListener("click", event => {
  const link = event.target.closest("a[href^='#']");
  if (!link) return;
  event.preventDefault();
  const to = document.querySelector(link.getAttribute("href"));
  to.scrollIntoView();
  to.focus({ preventScroll: true });
});
// Without a clipboard, as in a page from a file in some browsers, the text is selected instead.
for (const button of document.querySelectorAll("button.copy")) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const text = button.previousElementSibling;
    try {
      await navigator.clipboard.writeText(text.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(text);
      button.textContent = "Selected: copy it";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 3000);
  });
}
filters.hidden = false;
read();
apply();
