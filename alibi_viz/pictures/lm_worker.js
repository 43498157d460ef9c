// A tiny language model at work in a worker of its own, so that no drag stutters. Its script is made of the text of lm.js: an
// exported file, and the site from the disk, cannot load a worker from an address.

import { askedOnce } from "./shared.js";

const ENGINE = /*ENGINE*/ ""; // lm.js as a plain script, which answers messages

let script = "";
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
    script ||= URL.createObjectURL(new Blob([ENGINE], { type: "text/javascript" }));
    worker = new Worker(script);
    worker.onmessage = ({ data }) => isOver || onAnswer(data, stop);
    worker.onerror = (event) => {
      event.preventDefault();
      fail(event.message || "worker"); // without a message: the browser allows none
    };
    worker.postMessage({ ...order, weights: buffer });
  };
  begin().catch((error) => fail(String(error)));
  return { stop };
}

/**
 * A model writes `length` bytes after a prompt, and after what is `written` already. onBytes: the next piece; onEnd: "", or what has
 * ended the text before: "table", "length" or "memory"; onFail: why it cannot.
 * @param {{ weights: () => Promise<ArrayBuffer>, prompt: Uint8Array, written?: Uint8Array, temperature: number, seed: number,
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
 * @import { trace } from "./lm.js"
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
    const found = /** @type {Trace[]} */ ([]);
    const goOn = () => {
      const { next } = this;
      this.stop();
      next();
    };
    this.next = () => {};
    this.readers = orders.map((order, at) =>
      openReader({
        ...order,
        onTrace: (trace) => {
          found[at] = trace;
          if (Object.keys(found).length < orders.length) return;
          take(found);
          goOn();
        },
        onFail: (reason) => {
          fail(reason);
          goOn();
        },
      })
    );
  }

  stop() {
    for (const reader of this.readers) reader.stop();
    this.readers = [];
    this.next = () => {};
  }
}
