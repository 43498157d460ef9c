// A tiny language model that a browser tab trains and measures: what alibi_viz/lm/model.py ("gpt" layers), training.py and
// evaluation.py do, with the gradients written out. A test holds gradients, losses and measurements to PyTorch's.
//
// - One sequence after the other goes forward, then backward, which adds to the gradients: there is no dimension of the batch.
// - All numbers lie in one WebAssembly memory; an array is its address in bytes. kernels.ts does the arithmetic.
// - One product does for X W^T (with W transposed once a step), dY W and dY^T X: it takes strides.
// - Attention goes by ROWS queries, which see the keys up to the last of them: the causal half of the work.
// - The bias of a head is one row by distance, from far to near, then FUTURE. A query reads it from its own place on, so the
//   mask, ALiBi and T5 are one addition, and the gradient of T5's table is one too.
// - It draws its own random numbers: a run is not PyTorch's of the same seed.

import { bucketOf, Model } from "../lm.js";
import { BLOCK, meanOf, randomOf } from "./verdict.js";

const ROWS = 32, FUTURE = -1e9, BYTES = 256;
const PAGE = 65536; // bytes of WebAssembly's memory
const BUCKETS = 32; // of T5
const SLIDING = 4; // a window of the test moves by a quarter

/**
 * @typedef {{ method: string, length: number, width: number, layers: number, heads: number, head_dim: number, steps: number, batch: number,
 *   seed: number, learning_rate: number, weight_decay: number, warmup: number, clip: number, slopes: number[], max_distance: number,
 *   longest: number }} Config as TrainConfig has it, with ALiBi's slopes, T5's option, and the longest text that is measured
 * @typedef {{ size: number, shape: number[], weight: number, gradient: number, first: number, second: number, transposed: number, decays: boolean }} Parameter
 */

/** The shapes of all parameters, as PyTorch names them. @param {Config} config @returns {Record<string, number[]>} */
function shapesOf({ method, width, layers, heads, head_dim: dim }) {
  const inner = heads * dim, shapes = /** @type {Record<string, number[]>} */ ({ "embedding.weight": [BYTES, width] });
  const norm = (name) => Object.assign(shapes, { [`${name}.weight`]: [width], [`${name}.bias`]: [width] });
  for (let layer = 0; layer < layers; layer += 1) {
    const of = `blocks.${layer}.`;
    for (const name of ["to_q", "to_k", "to_v"]) shapes[`${of}attention.${name}.weight`] = [inner, width];
    shapes[`${of}attention.to_out.weight`] = [width, inner];
    Object.assign(shapes, { [`${of}up.weight`]: [4 * width, width], [`${of}down.weight`]: [width, 4 * width] });
    norm(`${of}attention_norm`);
    norm(`${of}perceptron_norm`);
  }
  norm("norm");
  if (method === "t5") shapes["position.table.weight"] = [BUCKETS, heads];
  return shapes;
}

export class Trainer {
  step = 0; // that are done
  top = 1024; // bytes of the memory that are taken
  numbers = new Float32Array(0); // all of it
  waves = new Float32Array(0); // of sinusoidal positions
  /** @type {Record<string, Parameter>} */ parameters = {};

  /** @param {WebAssembly.Module} kernels @param {Config} config @param {Uint8Array} text to learn from */
  constructor(kernels, config, text) {
    const { length, width, heads, head_dim: dim, longest } = config, inner = heads * dim;
    this.config = config;
    this.text = text;
    this.memory = new WebAssembly.Memory({ initial: 64, maximum: 4096 });
    this.kernels = /** @type {any} */ (new WebAssembly.Instance(kernels, { env: { memory: this.memory } }).exports);
    for (const [name, shape] of Object.entries(shapesOf(config))) {
      const size = shape.reduce((a, b) => a * b);
      const [weight, gradient, first, second] = this.reserve(size, size, size, size);
      const isMatrix = shape.length === 2, transposed = isMatrix ? this.reserve(size)[0] : 0;
      const decays = isMatrix && !name.startsWith("position");
      this.parameters[name] = { size, shape, weight, gradient, first, second, transposed, decays };
    }
    this.training = this.activations(length, true);
    this.reading = this.activations(longest, false);
    this.reach = longest + ROWS;
    const [bias, biasGradient] = this.reserve(heads * this.reach, heads * this.reach), angles = (longest * dim) / 2;
    const [cosines, sines, noBias] = this.reserve(angles, angles, longest + BYTES);
    this.places = { bias, biasGradient, cosines, sines, noBias };
    this.gradients = this.reserve(
      ...[width, width, Math.max(4 * width, inner), Math.max(inner, width), inner].map((row) => row * length),
      ROWS * length,
    );
    this.layPositions();
    this.draw();
  }

  /** Addresses of arrays of so many numbers. @param {number[]} sizes */
  reserve(...sizes) {
    const places = sizes.map((size) => {
      const here = this.top;
      this.top += (4 * size + 63) & ~63;
      return here;
    });
    const lack = this.top - this.memory.buffer.byteLength;
    if (lack > 0) this.memory.grow(Math.ceil(lack / PAGE));
    this.numbers = new Float32Array(this.memory.buffer);
    return places;
  }

  /** The numbers at an address. */
  array(address, size) {
    return this.numbers.subarray(address >> 2, (address >> 2) + size);
  }

  /** What a forward pass over up to so many bytes writes. keeps: each layer has its own, for the way back. */
  activations(tokens, keeps) {
    const { width, heads, head_dim: dim, layers } = this.config, row = tokens * width, inner = tokens * heads * dim;
    const norm = () => {
      const [out, normed, scales] = this.reserve(row, row, tokens);
      return { out, normed, scales };
    };
    const layer = () => {
      const [q, k, v, kT, vT, attended] = this.reserve(inner, inner, inner, inner, inner, inner);
      const [weights] = this.reserve(keeps ? heads * tokens * tokens : ROWS * tokens);
      const [middle, up, gelu, out] = this.reserve(row, 4 * row, 4 * row, row);
      return { q, k, v, kT, vT, attended, weights, middle, up, gelu, out, first: norm(), second: norm() };
    };
    const shared = layer(), [x, logits] = this.reserve(row, tokens * BYTES);
    const all = Array.from({ length: layers }, (_, at) => (keeps && at ? layer() : shared));
    return { tokens, keeps, x, logits, last: norm(), layers: all };
  }

  /** What the method does in lm.js, with the weights as they are. */
  get position() {
    return new Model(this.file()).position;
  }

  /** What positions give at each place: sines, or the turns of RoPE. */
  layPositions() {
    const { position: { embed, frequencies = [] }, places, config: { width, head_dim: dim, longest } } = this;
    const half = dim / 2, [cosines, sines] = [places.cosines, places.sines].map((at) => this.array(at, longest * half));
    if (embed) this.waves = new Float32Array(longest * width);
    for (let at = 0; at < longest; at += 1) {
      embed?.(this.waves.subarray(at * width, (at + 1) * width), at);
      for (const [pair, frequency] of frequencies.entries()) {
        cosines[at * half + pair] = Math.cos(at * frequency);
        sines[at * half + pair] = Math.sin(at * frequency);
      }
    }
  }

  /** The weights before the first step: as PyTorch draws them, with numbers of our own; of a seed the same for every method. */
  draw() {
    const random = randomOf(this.config.seed * 7919 + 1);
    const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    for (const [name, { weight, size, shape }] of Object.entries(this.parameters)) {
      const array = this.array(weight, size), limit = shape[1] ** -0.5, deviation = this.config.width ** -0.5;
      const isTable = name.startsWith("embedding") || name.startsWith("position");
      for (let i = 0; i < size; i += 1) {
        if (shape.length === 1) array[i] = Number(name.endsWith("weight"));
        else array[i] = isTable ? deviation * normal() : limit * (2 * random() - 1);
      }
    }
    this.prepare();
  }

  /** What follows from the weights: their transposes, and the bias of every head by distance. */
  prepare() {
    const { reach, config: { heads, longest } } = this, rows = new Float32Array(heads * longest);
    for (const { weight, transposed, shape } of Object.values(this.parameters)) {
      if (transposed) this.kernels.transpose(weight, transposed, ...shape);
    }
    this.position.bias?.(rows, longest - 1, 0, rows);
    for (let head = 0; head < heads; head += 1) {
      const row = this.array(this.places.bias + 4 * head * reach, reach);
      row.set(rows.subarray(head * longest, (head + 1) * longest));
      row.fill(FUTURE, longest);
    }
  }

  // One way: from bytes to logits, and back.

  /** Y = X W^T of so many rows; adds: to what Y is. */
  linear(name, X, Y, rows, adds = 0) {
    const { transposed, shape: [outs, ins] } = this.parameters[name];
    this.kernels.matmul(X, 4 * ins, 4, transposed, 4 * outs, Y, 4 * outs, rows, outs, ins, adds);
  }

  /** dX = dY W, or added to it, and dY^T X is added to W's gradient. */
  linearBack(name, dY, X, dX, rows, adds = 0) {
    const { weight, gradient, shape: [outs, ins] } = this.parameters[name];
    this.kernels.matmul(dY, 4 * outs, 4, weight, 4 * ins, dX, 4 * ins, rows, ins, outs, adds);
    this.kernels.matmul(dY, 4, 4 * outs, X, 4 * ins, gradient, 4 * ins, outs, ins, rows, 1);
  }

  norm(name, X, { out, normed, scales }, rows) {
    const { [`${name}.weight`]: gain, [`${name}.bias`]: shift } = this.parameters;
    this.kernels.norm(X, out, normed, scales, gain.weight, shift.weight, rows, this.config.width);
  }

  /** Adds to dX. */
  normBack(name, dY, { normed, scales }, dX, rows) {
    const { [`${name}.weight`]: gain, [`${name}.bias`]: shift } = this.parameters, { width } = this.config;
    this.kernels.normBack(dY, normed, scales, gain.weight, gain.gradient, shift.gradient, dX, rows, width);
  }

  copy(from, to, size) {
    this.array(to, size).set(this.array(from, size));
  }

  turn(X, rows, sign) {
    const { places: { cosines, sines }, config: { heads, head_dim: dim } } = this;
    this.kernels.turn(X, cosines, sines, rows, heads, dim, sign);
  }

  /** Where the row of a head's bias begins for a query. */
  rowOf(bias, head, query) {
    return bias + 4 * (head * this.reach + this.config.longest - 1 - query);
  }

  /** Of each head and each ROWS queries: their first one, the keys that they see, and where their numbers stand. */
  *pieces(tokens, { tokens: most, keeps }, { weights }) {
    const { heads, head_dim: dim } = this.config;
    for (let head = 0; head < heads; head += 1) {
      for (let query = 0; query < tokens; query += ROWS) {
        const column = 4 * head * dim, P = weights + (keeps ? 4 * (head * most + query) * most : 0);
        yield { head, query, keys: query + ROWS, P, column, rows: 4 * query * heads * dim + column };
      }
    }
  }

  /** The logits of what follows each of so many bytes go to pass.logits; tokens: a multiple of ROWS. */
  forward(bytes, tokens, pass) {
    const { kernels, config: { width } } = this, root = Math.sqrt(width), x = this.array(pass.x, tokens * width);
    const embedding = this.array(this.parameters["embedding.weight"].weight, BYTES * width);
    for (let i = 0, at = 0; i < tokens; i += 1) {
      for (let j = bytes[i] * width; j < (bytes[i] + 1) * width; j += 1, at += 1) x[at] = embedding[j] * root;
    }
    if (this.waves.length) { for (let i = 0; i < x.length; i += 1) x[i] += this.waves[i]; }
    let into = pass.x;
    for (const [at, layer] of pass.layers.entries()) {
      const of = `blocks.${at}.`, { middle, up, gelu, out, first, second, attended } = layer;
      this.norm(`${of}attention_norm`, into, first, tokens);
      for (const name of ["q", "k", "v"]) {
        this.linear(`${of}attention.to_${name}.weight`, first.out, layer[name], tokens);
      }
      this.attend(tokens, pass, layer);
      this.copy(into, middle, tokens * width);
      this.linear(`${of}attention.to_out.weight`, attended, middle, tokens, 1);
      this.norm(`${of}perceptron_norm`, middle, second, tokens);
      this.linear(`${of}up.weight`, second.out, up, tokens);
      kernels.gelu(up, gelu, 4 * tokens * width);
      this.copy(middle, out, tokens * width);
      this.linear(`${of}down.weight`, gelu, out, tokens, 1);
      into = out;
    }
    this.norm("norm", into, pass.last, tokens);
    this.linear("embedding.weight", pass.last.out, pass.logits, tokens);
  }

  attend(tokens, pass, layer) {
    const { kernels, config: { heads, head_dim: dim, method } } = this, { q, k, v, kT, attended } = layer;
    const inner = heads * dim, row = 4 * inner, all = 4 * pass.tokens;
    if (method === "rope") { for (const turned of [q, k]) this.turn(turned, tokens, 1); }
    kernels.transpose(k, kT, tokens, inner);
    for (const { head, query, keys, P, column, rows } of this.pieces(tokens, pass, layer)) {
      kernels.matmul(q + rows, row, 4, kT + column * tokens, 4 * tokens, P, all, ROWS, keys, dim, 0);
      kernels.softmax(P, all, ROWS, keys, dim ** -0.5, this.rowOf(this.places.bias, head, query));
      kernels.matmul(P, all, 4, v + column, row, attended + rows, row, ROWS, dim, keys, 0);
    }
  }

  /** Losses of the predictions of so many bytes, in nats; the logits become probabilities. @returns {number[]} */
  losses(targets, tokens, { logits }) {
    this.kernels.softmax(logits, 4 * BYTES, tokens, BYTES, 1, this.places.noBias + 4 * tokens);
    const shares = this.array(logits, tokens * BYTES);
    return Array.from(targets, (byte, at) => -Math.log(Math.max(shares[at * BYTES + byte], 1e-30)));
  }

  /** Adds the gradients of the sum of these losses. */
  backward(bytes, targets, tokens, pass) {
    const { kernels, config: { width } } = this, [dx, dNormed, dInner] = this.gradients, row = tokens * width;
    const dLogits = this.array(pass.logits, tokens * BYTES);
    for (let i = 0; i < tokens; i += 1) dLogits[i * BYTES + targets[i]] -= 1;
    this.linearBack("embedding.weight", pass.logits, pass.last.out, dNormed, tokens);
    this.array(dx, row).fill(0);
    this.normBack("norm", dNormed, pass.last, dx, tokens);
    for (const [at, layer] of [...pass.layers.entries()].reverse()) {
      const of = `blocks.${at}.`, { up, gelu, first, second } = layer;
      this.linearBack(`${of}down.weight`, dx, gelu, dInner, tokens);
      kernels.multiply(dInner, up, 4 * row);
      this.linearBack(`${of}up.weight`, dInner, second.out, dNormed, tokens);
      this.normBack(`${of}perceptron_norm`, dNormed, second, dx, tokens);
      const back = this.attendBack(`${of}attention.`, dx, tokens, pass, layer);
      for (const [n, [name, gradient]] of Object.entries(back).entries()) {
        this.linearBack(`${of}attention.to_${name}.weight`, gradient, first.out, dNormed, tokens, Number(n > 0));
      }
      this.normBack(`${of}attention_norm`, dNormed, first, dx, tokens);
    }
    const { gradient } = this.parameters["embedding.weight"], root = Math.sqrt(width), d = this.array(dx, row);
    const table = this.array(gradient, BYTES * width);
    for (let i = 0, at = 0; i < tokens; i += 1) {
      for (let j = bytes[i] * width; j < (bytes[i] + 1) * width; j += 1, at += 1) table[j] += d[at] * root;
    }
  }

  /** The gradients of q, k and v. */
  attendBack(of, dx, tokens, pass, layer) {
    const { kernels, config: { heads, head_dim: dim, method } } = this, { attended, v, vT } = layer;
    const inner = heads * dim, row = 4 * inner, all = 4 * pass.tokens, [, , dk, dAttended, dv, dP] = this.gradients;
    this.linearBack(`${of}to_out.weight`, dx, attended, dAttended, tokens);
    kernels.transpose(v, vT, tokens, inner);
    const dq = attended; // which is not needed any more
    for (const gradient of [dk, dv]) this.array(gradient, tokens * inner).fill(0);
    for (const { head, query, keys, P, column, rows } of this.pieces(tokens, pass, layer)) {
      kernels.matmul(P, 4, all, dAttended + rows, row, dv + column, row, keys, dim, ROWS, 1);
      kernels.matmul(dAttended + rows, row, 4, vT + column * tokens, 4 * tokens, dP, all, ROWS, keys, dim, 0);
      kernels.softmaxBack(P, all, dP, all, ROWS, keys, dim ** -0.5, this.rowOf(this.places.biasGradient, head, query));
      kernels.matmul(dP, all, 4, layer.k + column, row, dq + rows, row, ROWS, dim, keys, 0);
      kernels.matmul(dP, 4, all, layer.q + rows, row, dk + column, row, keys, dim, ROWS, 1);
    }
    if (method === "rope") { for (const turned of [dq, dk]) this.turn(turned, tokens, -1); }
    return { q: dq, k: dk, v: dv };
  }

  // Training.

  /** The mean loss of the sequences that begin at these places; adds the gradients of its sum. @param {number[]} starts */
  learn(starts) {
    const { config: { length }, text, training } = this;
    let sum = 0;
    for (const start of starts) {
      const bytes = text.subarray(start, start + length), targets = text.subarray(start + 1, start + length + 1);
      this.forward(bytes, length, training);
      for (const loss of this.losses(targets, length, training)) sum += loss;
      this.backward(bytes, targets, length, training);
    }
    this.fold();
    return sum / (starts.length * length);
  }

  /** T5: the gradient by distance becomes one by bucket. */
  fold() {
    const { config: { method, heads, length, max_distance: farthest }, reach, places: { biasGradient } } = this;
    if (method !== "t5") return;
    const table = this.array(this.parameters["position.table.weight"].gradient, BUCKETS * heads);
    for (let distance = 0; distance < length; distance += 1) {
      const bucket = bucketOf(distance, BUCKETS, farthest) * heads;
      for (let head = 0; head < heads; head += 1) {
        table[bucket + head] += this.numbers[this.rowOf(biasGradient, head, distance) >> 2];
      }
    }
    this.array(biasGradient, heads * reach).fill(0);
  }

  /** As `learning_rate` of training.py. */
  rate(step) {
    const { steps, learning_rate: rate, warmup: most } = this.config, warmup = Math.min(most, Math.floor(steps / 4));
    if (step < warmup) return (rate * (step + 1)) / warmup;
    const progress = (step - warmup) / Math.max(steps - warmup, 1);
    return rate * (0.1 + 0.45 * (1 + Math.cos(Math.PI * progress)));
  }

  /** Where the sequences of a step begin: of a seed the same for every method. */
  starts(step) {
    const { seed, batch, length } = this.config, random = randomOf(seed * 1000003 + step * 7919 + 5);
    return Array.from({ length: batch }, () => Math.floor(random() * (this.text.length - length)));
  }

  /** One step of training; the loss before it, in nats per byte. */
  advance(starts = this.starts(this.step)) {
    const { batch, length, clip, weight_decay: decay } = this.config, all = Object.values(this.parameters);
    const rate = this.rate(this.step), tokens = batch * length, loss = this.learn(starts);
    this.step += 1;
    const norm = Math.sqrt(all.reduce((sum, { gradient, size }) => sum + this.kernels.squares(gradient, size), 0));
    const factor = Math.min(1, clip / (norm / tokens + 1e-6)) / tokens;
    const pace = rate / (1 - 0.9 ** this.step), root = Math.sqrt(1 - 0.999 ** this.step);
    for (const { weight, gradient, first, second, size, decays } of all) {
      const keep = 1 - (decays ? rate * decay : 0);
      this.kernels.adamw(weight, gradient, first, second, size, pace, keep, root, factor);
    }
    this.prepare();
    return loss;
  }

  // What it has learned.

  /**
   * The mean loss on a text, and those of its blocks, as `evaluate` of evaluation.py: each prediction counts once, in windows of
   * `length` bytes that begin every `stride` bytes.
   * @param {Uint8Array} text
   */
  evaluate(text, length, stride = length) {
    const predictions = text.length - 1, losses = /** @type {number[]} */ ([]);
    for (let begin = 0; losses.length < predictions; begin += stride) {
      const end = Math.min(begin + length, predictions), tokens = Math.ceil((end - begin) / ROWS) * ROWS;
      const bytes = new Uint8Array(tokens); // a window that is cut ends with zeros, which no earlier byte sees
      bytes.set(text.subarray(begin, end));
      this.forward(bytes, tokens, this.reading);
      const found = this.losses(text.subarray(begin + 1, end + 1), tokens, this.reading);
      losses.push(...found.slice(losses.length - begin));
    }
    return { loss: meanOf(losses), by_block: blocksOf(losses) };
  }

  /** What lm.js finds in a file of weights. @returns {import("../lm.js").Weights} */
  file() {
    const { config, parameters } = this, { method, max_distance } = config;
    const weights = /** @type {Record<string, Float32Array>} */ ({});
    for (const [name, { weight, size }] of Object.entries(parameters)) weights[name] = this.array(weight, size).slice();
    const options = /** @type {Record<string, number>} */ (method === "t5" ? { max_distance } : {});
    return { config: { ...config, block: "gpt", options }, weights };
  }
}

/** Means of blocks of nearly one size, the larger ones first. @param {number[]} losses */
function blocksOf(losses) {
  const count = Math.max(1, Math.round(losses.length / BLOCK)), size = Math.floor(losses.length / count);
  const larger = losses.length - count * size, begin = (block) => block * size + Math.min(block, larger);
  return Array.from({ length: count }, (_, block) => meanOf(losses.slice(begin(block), begin(block + 1))));
}

const KERNELS = /*KERNELS*/ ""; // kernels.wasm in base 64

/** What a worker does: it begins, trains so many steps, measures a window, or hands out its weights. */
export default function serve() {
  /** @type {Trainer} */ let trainer;
  let heldOut = new Uint8Array();
  /** @param {MessageEvent} event */
  onmessage = ({ data: { begin, steps, length } }) => {
    if (begin) {
      const bytes = Uint8Array.from(atob(KERNELS), (letter) => letter.charCodeAt(0));
      if (!globalThis.WebAssembly?.validate(bytes)) throw new Error("SIMD");
      trainer = new Trainer(new WebAssembly.Module(bytes), begin.config, begin.train);
      heldOut = begin.held_out;
    } else if (steps) {
      const since = performance.now(), losses = Array.from({ length: steps }, () => trainer.advance());
      postMessage({ losses, milliseconds: performance.now() - since });
    } else if (length) postMessage({ measured: trainer.evaluate(heldOut, length, length / SLIDING) });
    else postMessage({ file: trainer.file() });
  };
}
