// One model that is trained in a worker of its own. The page asks for a few steps at a time, so that it can pause between two
// answers; a tab in the background goes on.

import { openWriter, workerOf } from "../lm_worker.js";

const TRAINER = /*TRAINER*/ ""; // trainer.js as a plain script, which answers messages
const CHUNK = 200; // ms of training between two answers
const FIRST_STEPS = 3; // before it is known how long one takes
const MOST_STEPS = 20;

/** @import { Config } from "./trainer.js" */

export class Run {
  /** @type {number[]} of each step */ losses = [];
  /** @type {{ loss: number, by_block: number[] }[]} of the test */ measured = [];
  /** @type {import("../lm.js").Weights | null} at the end */ file = null;
  milliseconds = 0; // of training, in all
  isWaiting = false; // for an answer
  budget = 0; // steps that it may still do
  problem = "";
  written = new Uint8Array();
  /** @type {{ stop: () => void } | null} */ writer = null;

  /** @param {{ config: Config, train: Uint8Array, held_out: Uint8Array, times: number[] }} task @param {() => void} changed */
  constructor(task, changed) {
    this.task = task;
    this.changed = changed;
    try {
      this.worker = workerOf(TRAINER, (answer) => this.take(answer), (problem) => this.fail(problem));
      this.worker.postMessage({ begin: task });
    } catch (error) {
      this.fail(String(error));
    }
  }

  get step() {
    return this.losses.length;
  }

  get isDone() {
    return this.file !== null || Boolean(this.problem);
  }

  fail(problem) {
    this.problem = problem;
    this.stop();
    queueMicrotask(this.changed);
  }

  stop() {
    this.worker?.terminate();
    this.writer?.stop();
  }

  /** Go on, so many steps at most. */
  goOn(steps = Infinity) {
    this.budget = steps;
    this.next();
  }

  pause() {
    this.budget = 0;
  }

  next() {
    const { task: { config: { steps, length }, times }, step, budget, measured, milliseconds } = this;
    if (this.isWaiting || this.isDone || budget <= 0) return;
    this.isWaiting = true;
    const chunk = step ? Math.round((CHUNK * step) / milliseconds) : FIRST_STEPS, left = Math.min(budget, steps - step);
    if (step < steps) this.worker?.postMessage({ steps: Math.min(Math.max(chunk, 1), MOST_STEPS, left) });
    else this.worker?.postMessage(measured.length < times.length ? { length: times[measured.length] * length } : {});
  }

  take({ losses = [], milliseconds = 0, measured, file }) {
    this.isWaiting = false;
    this.losses.push(...losses);
    this.milliseconds += milliseconds;
    this.budget -= losses.length;
    if (measured) this.measured.push(measured);
    if (file) {
      this.file = file;
      this.worker?.terminate();
    }
    this.next();
    this.changed();
  }

  /** The model writes on. @param {{ prompt: Uint8Array<ArrayBuffer>, temperature: number, seed: number, length: number }} order */
  write(order) {
    this.writer?.stop();
    this.written = order.prompt;
    this.writer = openWriter({
      ...order,
      weights: async () => /** @type {import("../lm.js").Weights} */ (this.file),
      onBytes: (bytes) => {
        this.written = Uint8Array.from([...this.written, ...bytes]);
        this.changed();
      },
      onEnd: () => this.changed(),
      onFail: (problem) => this.fail(problem),
    });
  }
}
