// The library runs in a thread of its own: a hard question does not stop the page, and the
// page can end it.
"use strict";
importScripts("wasm_exec.js");

const started = new Promise((resolve) => { self.ready = resolve; });

async function start() {
  const response = await fetch("library.wasm.gz");
  if (!response.ok) throw new Error(`library.wasm.gz: ${response.status}`);
  let code = await response.arrayBuffer();
  const [a, b] = new Uint8Array(code, 0, 2);
  if (a === 0x1f && b === 0x8b) { // else the server has said how it is packed, and it is unpacked
    code = await new Response(new Blob([code]).stream().pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
  }
  const go = new Go();
  const { instance } = await WebAssembly.instantiate(code, go.importObject);
  const ended = go.run(instance).then(() => { throw new Error("the library has ended"); });
  await Promise.race([started, ended]);
}

const library = start();
library.then(() => postMessage({ ready: true }), (err) => postMessage({ failed: String(err) }));

onmessage = async ({ data }) => {
  try {
    await library;
  } catch {
    return; // it is said already
  }
  self.resolvent(JSON.stringify(data.call), (reply) => postMessage({ id: data.id, reply: JSON.parse(reply) }));
};
