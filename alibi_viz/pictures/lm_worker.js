// A tiny language model at work in a worker of its own, so that no drag stutters. Its script is made of the text of lm.js: an
// exported file, and the site from the disk, cannot load a worker from an address.

import { askedOnce } from "./shared.js";

const ENGINE = /*ENGINE*/ ""; // lm.js as a plain script, which answers messages

/** @type {Map<string, string>} by their texts */ const scripts = new Map();
/** @type {Map<string, Promise<ArrayBuffer>>} by their address */ const files = new Map();

/**
 * A file that models need: weights, or words. The page around a picture may have it (host.js); the app sends it.
 * @param {{ file?: (address: string) => Promise<ArrayBuffer> }} component @param {string} address as alibi_viz/ui/weights.py says
 * @returns {Promise<ArrayBuffer>}
 */
export function fileOf(component, address) {
  return askedOnce(files, address, async () => {
    if (component.file) return component.file(address);
    const answer = await fetch(new URL(address, document.baseURI));
    if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
    return answer.arrayBuffer();
  });
}

/** A worker of a script. onFail: why there are no more answers. @param {string} script */
export function workerOf(script, onAnswer, onFail) {
  const address = scripts.get(script) ?? URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  scripts.set(script, address);
  const worker = new Worker(address);
  worker.onmessage = ({ data }) => onAnswer(data);
  worker.onerror = (event) => {
    event.preventDefault();
    onFail(event.message || "worker"); // without a message: the browser allows none
  };
  return worker;
}

/**
 * Start a worker. onFail is told once why there is no answer, or no more of it; nothing is called after `stop`.
 * @returns {{ stop: () => void }}
 */
function start(weights, order, onAnswer, onFail) {
  /** @type {Worker | undefined} */ let worker;
  let isOver = false;
  const stop = () => {
    isOver = true;
    worker?.terminate();
  };
  const fail = (reason) => {
    if (isOver) return;
    stop();
    onFail(reason);
  };
  const begin = async () => {
    const buffer = await weights();
    if (isOver) return;
    worker = workerOf(ENGINE, (data) => isOver || onAnswer(data, stop), fail);
    worker.postMessage({ ...order, weights: buffer });
  };
  begin().catch((error) => fail(String(error)));
  return { stop };
}

/**
 * A model writes `length` bytes after a prompt, and after what is `written` already. onBytes: the next piece; onEnd: "", or what has
 * ended the text before: "table", "length" or "memory"; onFail: why it cannot.
 * @param {{ weights: () => Promise<ArrayBuffer | Weights>, prompt: Uint8Array, written?: Uint8Array, temperature: number, seed: number,
 *   length: number, window?: number, clamp?: number, onBytes: (bytes: Uint8Array) => void, onEnd: (reason: string) => void,
 *   onFail: (reason: string) => void }} order
 */
export function openWriter({ weights, onBytes, onEnd, onFail, ...order }) {
  return start(weights, order, ({ bytes, end }, stop) => {
    if (bytes) return onBytes(bytes);
    stop();
    onEnd(end);
  }, onFail);
}

/**
 * @import { trace, Weights } from "./lm.js"
 * @typedef {ReturnType<typeof trace>} Trace
 * @typedef {{ weights: () => Promise<ArrayBuffer>, prompt: Uint8Array, layer: number, window?: number, strength?: number,
 *   of?: number[], step?: number }} Reading what a model reads, and what of it is looked at (`trace` of lm.js)
 */

/** A model reads a text. @param {Reading & { onTrace: (found: Trace) => void, onFail: (reason: string) => void }} order */
export function openReader({ weights, onTrace, onFail, ...order }) {
  return start(weights, order, ({ trace }, stop) => {
    stop();
    onTrace(trace);
  }, onFail);
}

/** What a picture wants to know of models, the newest question last: while one is answered the next one waits. */
export class Readings {
  /** @type {{ stop: () => void }[]} */ readers = [];
  next = () => {};
  text = ""; // that is read

  /**
   * @param {Reading[]} orders of one text @param {(found: Trace[]) => void} take @param {(reason: string) => void} fail
   * @param {string} text a name for it: who reads another one stops
   */
  ask(text, orders, take, fail) {
    if (text !== this.text) this.stop();
    this.text = text;
    this.next = () => this.begin(orders, take, fail);
    if (!this.readers.length) this.next();
  }

  begin(orders, take, fail) {
    const read = (order) =>
      new Promise((onTrace, onFail) => {
        this.readers.push(openReader({ ...order, onTrace, onFail }));
      });
    this.next = () => {};
    Promise.all(orders.map(read)).then(take, fail).then(() => {
      const { next } = this;
      this.stop();
      next();
    });
  }

  stop() {
    for (const reader of this.readers) reader.stop();
    this.readers = [];
    this.next = () => {};
  }
}
