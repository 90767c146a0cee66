"use strict";

// What a question may take, in milliseconds. Then its thread is ended and a new one begins.
const patience = 20000;
// How long nobody has to type before an answer is made.
const pause = 250;

const byID = (id) => document.getElementById(id);
const editors = { catalog: byID("catalog"), cluster: byID("cluster") };
const question = byID("question");
let examples = [];
let history = []; // what Undo goes back to
let shown = null; // what the answer is about
let lastPicture = null;

// The library, in its thread.

let worker, waiting, count = 0;

function startLibrary() {
  worker = new Worker("worker.js");
  waiting = null;
  worker.onmessage = ({ data }) => {
    if (data.failed) {
      say(`The library does not start: ${data.failed}`);
    } else if (data.ready) {
      document.documentElement.dataset.ready = Math.round(performance.now());
      if (waiting) waiting.begin();
    } else if (waiting && data.id === waiting.id) {
      const done = waiting.done;
      clearTimeout(waiting.timer);
      waiting = null;
      done(data.reply);
    }
  };
  worker.onerror = (e) => say(`The library does not start: ${e.message || "its file is missing"}`);
}

// ask has the library answer a call. Who asks again ends what he asked before.
function ask(call) {
  if (waiting) {
    clearTimeout(waiting.timer);
    waiting.done(null);
  }
  return new Promise((done) => {
    const id = ++count;
    const begin = () => {
      if (!waiting || waiting.id !== id || waiting.timer) return;
      waiting.timer = setTimeout(() => {
        worker.terminate();
        done({ error: `There is no answer after ${patience / 1000} s. Make the question smaller.` });
        startLibrary();
      }, patience);
    };
    waiting = { id, done, begin, timer: 0 };
    worker.postMessage({ id, call });
    if (document.documentElement.dataset.ready) begin();
  });
}

// The texts.

const input = () => ({ catalog: editors.catalog.value, cluster: editors.cluster.value, question: question.value });
const same = (a, b) => a && b && a.catalog === b.catalog && a.cluster === b.cluster && a.question === b.question;

function setInput(to) {
  editors.catalog.value = to.catalog;
  editors.cluster.value = to.cluster;
  question.value = to.question;
  for (const editor of Object.values(editors)) {
    editor.setSelectionRange(0, 0); // else the first focus scrolls to the end
    editor.scrollTop = 0;
    number(editor);
  }
}

// number writes the numbers of the lines beside a text.
function number(editor) {
  const lines = editor.value.split("\n").length;
  const gutter = editor.previousElementSibling;
  if (gutter.dataset.lines === String(lines)) return;
  gutter.dataset.lines = lines;
  gutter.textContent = Array.from({ length: lines }, (_, i) => i + 1).join("\n") + "\n";
  gutter.scrollTop = editor.scrollTop;
}

function remember(before) {
  history.push(before);
  if (history.length > 100) history.shift();
  byID("undo").disabled = false;
}

// The answer.

const say = (text) => { byID("state").textContent = text; };

async function answer() {
  const about = input();
  say(document.documentElement.dataset.ready ? "" : "Loading the library, 6 MB …");
  byID("answer").setAttribute("aria-busy", "true");
  const reply = await ask(about);
  if (!reply) return; // another question came
  shown = about;
  say("");
  show(reply.answer || { error: reply.error });
  await keep();
  if (!waiting) byID("answer").removeAttribute("aria-busy");
}

function show(a) {
  document.documentElement.dataset.answered ||= Math.round(performance.now());
  const text = byID("text").firstElementChild;
  text.textContent = a.error || a.text;
  text.className = a.error ? "fault" : "";
  const [heading = [], ...rows] = a.table || [];
  const row = (cells, kind) => {
    const tr = document.createElement("tr");
    for (const cell of cells) tr.append(Object.assign(document.createElement(kind), { textContent: cell }));
    return tr;
  };
  byID("table").firstElementChild.replaceChildren(row(heading, "th"), ...rows.map((r) => row(r, "td")));
  const picture = byID("picture");
  if (picture.dataset.url) URL.revokeObjectURL(picture.dataset.url);
  picture.dataset.url = "";
  if (a.picture) {
    const img = new Image();
    img.alt = "The answer as a graph; the text has the same";
    lastPicture = new Blob([a.picture], { type: "image/svg+xml" });
    picture.dataset.url = img.src = URL.createObjectURL(lastPicture);
    picture.replaceChildren(img);
  } else {
    picture.textContent = "There is nothing to draw.";
  }
  showFixes(a.fixes || []);
  showFaults(a.faults || []);
}

function showFixes(fixes) {
  const parts = [];
  let title = "", list;
  fixes.forEach((fix, i) => {
    if (fix.title !== title) {
      title = fix.title;
      list = document.createElement("ul");
      parts.push(Object.assign(document.createElement("h3"), { textContent: title }), list);
    }
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: "Apply" });
    button.setAttribute("aria-label", `Apply: ${fix.text}`);
    button.addEventListener("click", () => apply(i));
    const item = document.createElement("li");
    item.append(button, Object.assign(document.createElement("span"), { textContent: fix.text }));
    list.append(item);
  });
  byID("fixes").replaceChildren(...parts);
}

function showFaults(faults) {
  const list = document.createElement("ul");
  for (const f of faults) list.append(Object.assign(document.createElement("li"), { textContent: f }));
  byID("faults").replaceChildren(...(faults.length ? [Object.assign(document.createElement("h3"), { textContent: "Faults of the catalog" }), list] : []));
}

// apply carries the fix out on the text that it was found for.
async function apply(fix) {
  const before = shown;
  if (!same(before, input())) return; // the answer to what is there now is on its way
  byID("answer").setAttribute("aria-busy", "true");
  const reply = await ask({ ...before, fix });
  if (!reply) return;
  if (reply.error) {
    byID("answer").removeAttribute("aria-busy");
    return say(reply.error);
  }
  remember(before);
  setInput({ ...before, cluster: reply.cluster });
  await answer();
  byID("undo").focus();
}

function undo() {
  setInput(history.pop());
  byID("undo").disabled = history.length === 0;
  if (history.length === 0) byID("text").focus();
  answer();
}

// The address: the name of an example, or everything, packed.

const exampleNow = () => examples.find((e) => same(e, input()));

async function keep() {
  const e = exampleNow();
  byID("example").value = e ? e.name : "";
  const state = e ? e.name : await pack(input());
  if (location.hash.slice(1) !== state) window.history.replaceState(null, "", `#${state}`);
}

async function pack(value) {
  const bytes = new Uint8Array(await through(new CompressionStream("deflate-raw"), JSON.stringify(value)));
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return `~${btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")}`;
}

async function unpack(text) {
  const bytes = Uint8Array.from(atob(text.slice(1).replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  const value = JSON.parse(new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), bytes)));
  if ([value.catalog, value.cluster, value.question].some((v) => typeof v !== "string")) throw new Error("no input");
  return value;
}

const through = (stream, data) => new Response(new Blob([data]).stream().pipeThrough(stream)).arrayBuffer();

async function fromAddress() {
  const state = location.hash.slice(1);
  let to = examples.find((e) => e.name === state) || examples[0];
  let complaint = "";
  if (state.startsWith("~")) {
    try {
      to = await unpack(state);
    } catch {
      complaint = "The address is damaged: here is an example.";
    }
  }
  if (shown && same(to, input())) return;
  setInput(to);
  await answer();
  if (complaint) say(complaint);
}

// Everything together.

const tabs = [...document.querySelectorAll("[role=tab]")];

function choose(tab) {
  for (const t of tabs) {
    const chosen = t === tab;
    t.setAttribute("aria-selected", chosen);
    t.tabIndex = chosen ? 0 : -1;
    byID(t.getAttribute("aria-controls")).hidden = !chosen;
  }
}

for (const tab of tabs) {
  tab.addEventListener("click", () => choose(tab));
  tab.addEventListener("keydown", (e) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!step) return;
    e.preventDefault();
    const next = tabs[(tabs.indexOf(tab) + step + tabs.length) % tabs.length];
    choose(next);
    next.focus();
  });
}
choose(tabs[0]);

let timer;
for (const editor of Object.values(editors)) {
  editor.addEventListener("scroll", () => { editor.previousElementSibling.scrollTop = editor.scrollTop; });
  editor.addEventListener("input", () => {
    number(editor);
    byID("answer").setAttribute("aria-busy", "true");
    clearTimeout(timer);
    timer = setTimeout(answer, pause);
  });
}
question.addEventListener("change", answer);
byID("example").addEventListener("change", () => {
  const e = examples.find((e) => e.name === byID("example").value);
  if (!e) return;
  remember(input());
  setInput(e);
  answer();
});
byID("undo").addEventListener("click", undo);
byID("share").addEventListener("click", async () => {
  await keep();
  try {
    await navigator.clipboard.writeText(location.href);
    say("The link is copied.");
  } catch {
    say("The address of this page is the link.");
  }
});
window.addEventListener("hashchange", fromAddress);

(async () => {
  startLibrary();
  const response = await fetch("examples.json");
  examples = await response.json();
  byID("example").append(
    ...examples.map((e) => new Option(e.title, e.name)),
    Object.assign(new Option("Your own", ""), { disabled: true }),
  );
  await fromAddress();
})().catch((err) => say(String(err)));
