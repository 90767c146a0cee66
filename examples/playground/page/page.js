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
    marks.delete(editor);
    number(editor);
  }
}

// number writes the numbers of the lines beside a text. Those that are marked have a kind.
function number(editor) {
  const lines = editor.value.split("\n").length;
  const gutter = editor.previousElementSibling;
  const marked = marks.get(editor) || { lines: [], kind: "" };
  const state = JSON.stringify([lines, marked]);
  if (gutter.dataset.state === state) return;
  gutter.dataset.state = state;
  const parts = [];
  let from = 1;
  const plain = (to) => {
    if (from < to) parts.push(Array.from({ length: to - from }, (_, i) => from + i).join("\n") + "\n");
    from = to;
  };
  for (const line of marked.lines.filter((line) => line >= 1 && line <= lines)) {
    plain(line);
    parts.push(Object.assign(document.createElement("mark"), { textContent: line, className: marked.kind, title: marked.kind === "fault" ? "the fault is here" : "a fix changed this line" }));
    from = line + 1;
  }
  plain(lines + 1);
  gutter.replaceChildren(...parts);
  gutter.scrollTop = editor.scrollTop;
}

// What is marked: the lines that a fix changed, or the line of a fault.
const marks = new Map();

function mark(editor, lines, kind) {
  const line = lines[0];
  if (line) marks.set(editor, { lines, kind });
  else marks.delete(editor);
  number(editor);
  if (!line) return;
  const height = 19; // of a line
  const top = (line - 1) * height;
  if (top < editor.scrollTop || top + 2 * height > editor.scrollTop + editor.clientHeight) editor.scrollTop = Math.max(0, top - 3 * height);
}

// changed returns the lines of a text that another one does not have in this order. Where lines
// are only gone, it is the line that follows them.
function changed(before, after) {
  const a = before.split("\n"), b = after.split("\n");
  let head = 0, tail = 0;
  while (head < Math.min(a.length, b.length) && a[head] === b[head]) head++;
  while (tail < Math.min(a.length, b.length) - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++;
  const old = a.slice(head, a.length - tail), now = b.slice(head, b.length - tail);
  if (old.length * now.length > 4e6) return now.map((_, i) => head + i + 1);
  const common = Array.from({ length: old.length + 1 }, () => new Uint32Array(now.length + 1));
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      common[i][j] = old[i] === now[j] ? common[i + 1][j + 1] + 1 : Math.max(common[i + 1][j], common[i][j + 1]);
    }
  }
  const lines = new Set();
  for (let i = 0, j = 0; i < old.length || j < now.length;) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      i++; j++;
    } else if (j < now.length && (i === old.length || common[i][j + 1] >= common[i + 1][j])) {
      lines.add(head + ++j);
    } else {
      i++;
      lines.add(Math.min(head + j + 1, b.length));
    }
  }
  return [...lines].sort((x, y) => x - y);
}

// markFault marks the line that an error, or the first fault of the catalog, names.
function markFault(a) {
  for (const [name, editor] of Object.entries(editors)) {
    const text = a.error?.startsWith(name) ? a.error : name === "catalog" && a.faults?.[0];
    const line = text && /\bline (\d+)/.exec(text);
    if (line) mark(editor, [Number(line[1])], "fault");
    else if (marks.get(editor)?.kind === "fault") mark(editor, [], "");
  }
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
  markFault(a);
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
  mark(editors.cluster, changed(before.cluster, reply.cluster), "changed");
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
    marks.delete(editor);
    number(editor);
    byID("answer").setAttribute("aria-busy", "true");
    clearTimeout(timer);
    timer = setTimeout(answer, pause);
  });
}

// Files that are dropped on a text stand for it.
const largest = 64 << 20;
for (const editor of Object.values(editors)) {
  const frame = editor.parentElement;
  const over = (on) => (e) => {
    if (!e.dataTransfer.types.includes("Files")) return;
    e.preventDefault();
    frame.classList.toggle("drop", on);
  };
  frame.addEventListener("dragover", over(true));
  frame.addEventListener("dragleave", over(false));
  frame.addEventListener("drop", async (e) => {
    over(false)(e);
    const files = [...e.dataTransfer.files];
    if (files.length === 0) return;
    if (files.reduce((sum, f) => sum + f.size, 0) > largest) return say(`These files have more than ${largest >> 20} MB.`);
    const texts = await Promise.all(files.map((f) => f.text()));
    remember(input());
    setInput({ ...input(), [editor.id]: texts.map((t) => t.endsWith("\n") ? t : t + "\n").join("---\n") });
    answer();
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
