// The tiny language models without PyTorch: they read a text byte by byte, with a KV cache, and write on. What alibi_viz/lm and
// alibi_viz/positions compute is the reference, and tests hold this to it.
//
// - A file of weights says in its metadata what alibi_viz/lm/weights.py knows of the model. Nothing of a shape is fixed here.
// - Weights are float32 once they are read, sums are float64: probabilities differ from PyTorch's by less than 1e-4.
// - POSITIONS has a method's whole part in one entry. Who adds a method adds one.
// - A worker has the text of this file (lm_worker.js), so it imports nothing.

const LONGEST = 4096, LENGTHS = 16; // a text has so many bytes, or, where that is more, training lengths
const LARGEST_CACHE = 2 ** 28; // bytes of the keys and values of a text
const FIRST_ROWS = 256; // of a cache, which doubles
const PIECE = 100; // ms between two pieces of a text that is being written

/**
 * @typedef {{ method: string, block: "gpt" | "llama", length: number, heads: number, head_dim: number, layers: number, options: Record<string, number>, slopes: number[] | null }} Config
 * @typedef {{ config: Config, weights: Record<string, Float32Array> }} Weights
 *
 * What a method does in one layer. Biases are those of the query at position `at`, whose input is x: of head h and the keys from
 * `first` on, in scores[h * (at + 1) + key].
 * @typedef {object} Position
 * @property {string[]} [options] names of the options that are read here; a model with others is refused
 * @property {number} [most] positions that have a vector
 * @property {(x: Float32Array, at: number) => void} [embed] adds to embeddings
 * @property {number[]} [frequencies] by which pairs of q and k are turned, in radians a token
 * @property {(scores: Float32Array, at: number, first: number, x: Float32Array) => void} [bias]
 * @property {number} [window] keys farther back are hidden
 * @property {number[][]} [gates] of each head and token
 */

// Positions.

const BASE = 10000;

/** A bias that depends on the distance alone. @param {(head: number, distance: number) => number} of @returns {Position["bias"]} */
function byDistance(heads, of) {
  const tables = Array.from({ length: heads }, () => /** @type {number[]} */ ([]));
  return (scores, at, first) => {
    for (const [h, table] of tables.entries()) {
      while (table.length <= at - first) table.push(of(h, table.length));
      for (let j = first, to = h * (at + 1); j <= at; j += 1) scores[to + j] = table[at - j];
    }
  };
}

/** T5's bucket of a distance: in float32, so that the few distances on an edge fall on the same side. */
export function bucketOf(distance, buckets, farthest) {
  const exact = buckets / 2, { fround, log } = Math;
  if (distance < exact) return distance;
  const ratio = fround(fround(log(fround(distance / exact))) / fround(log(farthest / exact)));
  return Math.min(buckets - 1, exact + Math.floor(fround(ratio * (buckets - exact))));
}

/** @param {Model} model @returns {Position} */
const rope = ({ dim, config: { block } }) => {
  const round = block === "llama" ? Math.fround : Number; // the block to take away computes angles in float32
  return { frequencies: Array.from({ length: dim / 2 }, (_, m) => round(BASE ** -round((2 * m) / dim))) };
};

const kerple = (of, largest = Infinity) => ({ heads, weights }) => {
  const within = (name) => weights[`position.${name}`].map((value) => Math.max(0.01, value));
  const p = within("p").map((value) => Math.min(value, largest)), a = within("a");
  return { bias: byDistance(heads, (h, d) => of(d, p[h], a[h])) };
};

/** What a layer of a model has: layers are counted from 0. @type {Record<string, (model: Model, layer: number) => Position>} */
export const POSITIONS = {
  none: () => ({}),
  learned: ({ width, weights }) => {
    const table = weights["position.table.weight"], root = Math.sqrt(width);
    return { most: table.length / width, embed: (x, at) => x.forEach((_, i) => x[i] += table[at * width + i] * root) };
  },
  sinusoidal: ({ width }) => ({
    embed: (x, at) => {
      for (let i = 0; i < width; i += 1) {
        const angle = at * BASE ** -((i - (i % 2)) / width);
        x[i] += i % 2 ? Math.cos(angle) : Math.sin(angle);
      }
    },
  }),
  rope,
  t5: ({ heads, weights, config: { options } }) => {
    const table = weights["position.table.weight"], { max_distance: farthest } = options;
    const bucket = (distance) => bucketOf(distance, table.length / heads, farthest);
    return { options: ["max_distance"], bias: byDistance(heads, (h, d) => table[bucket(d) * heads + h]) };
  },
  alibi: ({ heads, strength, config: { slopes } }) => ({
    bias: byDistance(heads, (h, d) => -strength * /** @type {number[]} */ (slopes)[h] * d),
  }),
  kerple: kerple((d, p, a) => -p * Math.log1p(a * d)),
  kerple_power: kerple((d, p, a) => -a * d ** p, 2),
  sandwich: ({ heads, width }) => {
    const sum = (d) => { // of cos x - 1, written as the square of a sine
      let total = 0;
      for (let n = 1; n <= width >> 1; n += 1) total -= 2 * Math.sin((d * BASE ** ((-2 * n) / width)) / 2) ** 2;
      return total;
    };
    return { bias: byDistance(heads, (h, d) => sum(d) / ((8 * (h + 1)) / heads)) };
  },
  fire: ({ heads, weights: w, config: { options } }) => {
    const [c] = w["position.c"], [multiplier] = w["position.multiplier"];
    const [weight, shift] = [w["position.first.weight"], w["position.first.bias"]];
    const [second, last] = [w["position.second.weight"], w["position.second.bias"]], hidden = shift.length;
    const psi = (x) => Math.log1p(Math.abs(c) * x), threshold = Math.abs(multiplier * options.threshold);
    return {
      options: ["threshold"],
      bias: (scores, at, first) => {
        const longest = psi(Math.max(at, threshold)) + 1e-6;
        for (let j = first; j <= at; j += 1) {
          const share = psi(at - j) / longest;
          for (let h = 0; h < heads; h += 1) scores[h * (at + 1) + j] = last[h];
          for (let k = 0; k < hidden; k += 1) {
            const value = share * weight[k] + shift[k];
            if (value <= 0) continue;
            for (let h = 0; h < heads; h += 1) scores[h * (at + 1) + j] += value * second[h * hidden + k];
          }
        }
      },
    };
  },
  forgetting: ({ heads, of }, layer) => {
    const weight = of(layer, "gate.weight"), shift = of(layer, "gate.bias"), logits = new Float32Array(heads);
    const sums = Array.from({ length: heads }, () => [0]); // of ln f, before each token, and after the last one
    const gates = sums.map(() => /** @type {number[]} */ ([]));
    return {
      gates,
      bias: (scores, at, first, x) => {
        times(weight, x, logits);
        for (let h = 0; h < heads; h += 1) {
          const sum = sums[h], step = -Math.log1p(Math.exp(-logits[h] - shift[h])), to = h * (at + 1);
          gates[h].push(Math.exp(step));
          sum.push(sum[at] + step);
          for (let j = first; j <= at; j += 1) scores[to + j] = sum[at + 1] - sum[j + 1];
        }
      },
    };
  },
  inkling: ({ heads, width, of }, layer) => {
    const weight = of(layer, "r_proj.weight"), profiles = of(layer, "proj");
    const states = new Float32Array(weight.length / width), count = states.length / heads;
    const extent = profiles.length / count;
    return {
      options: ["rel_extent"],
      bias: (scores, at, first, x) => {
        times(weight, x, states);
        for (let h = 0; h < heads; h += 1) {
          for (let j = first; j <= at; j += 1) {
            const far = at - j, last = far < extent ? count : 0; // beyond the extent it is 0
            let mixed = 0;
            for (let r = 0; r < last; r += 1) mixed += states[h * count + r] * profiles[r * extent + far];
            scores[h * (at + 1) + j] = mixed;
          }
        }
      },
    };
  },
  hybrid: (model, layer) => {
    const { window, every = 2 } = model.config.options, isFree = (layer + 1) % every === 0;
    return { options: ["window", "every"], ...(isFree ? {} : { window, ...rope(model) }) };
  },
};

// Layers.

/** y = W x. */
function times(W, x, y) {
  const columns = x.length, whole = columns - (columns % 4);
  for (let r = 0, at = 0; r < y.length; r += 1) {
    let a = 0, b = 0, c = 0, d = 0, k = 0;
    for (; k < whole; k += 4, at += 4) {
      a += W[at] * x[k];
      b += W[at + 1] * x[k + 1];
      c += W[at + 2] * x[k + 2];
      d += W[at + 3] * x[k + 3];
    }
    for (; k < columns; k += 1, at += 1) a += W[at] * x[k];
    y[r] = a + b + c + d;
  }
}

/** y = x, normed: a layer norm, or an RMS norm where there is no shift. */
function norm(x, { gain, shift }, y) {
  const size = x.length;
  let mean = 0, square = 0;
  if (shift) { for (let i = 0; i < size; i += 1) mean += x[i] / size; }
  for (let i = 0; i < size; i += 1) square += (x[i] - mean) ** 2;
  const scale = 1 / Math.sqrt(square / size + (shift ? 1e-5 : 2 ** -23));
  for (let i = 0; i < size; i += 1) y[i] = (x[i] - mean) * scale * gain[i] + (shift ? shift[i] : 0);
}

const FIT = [-1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587];
FIT.push(-0.82215223, 0.17087277);

/** The error function, to 1.2e-7: the Chebyshev fit of Numerical Recipes. */
function erf(x) {
  const t = 1 / (1 + Math.abs(x) / 2);
  let sum = 0;
  for (let i = FIT.length - 1; i >= 0; i -= 1) sum = sum * t + FIT[i];
  const rest = t * Math.exp(sum - x * x);
  return x >= 0 ? 1 - rest : rest - 1;
}

const BLOCKS = {
  gpt: { parts: ["to_q", "to_k", "to_v", "to_out"], norm: "perceptron_norm" },
  llama: { parts: ["q_proj", "k_proj", "v_proj", "o_proj"], norm: "mlp_norm" },
};

/** Float32Array -> one of so many numbers, with the same at its beginning. */
const grown = (array, size) => {
  const larger = new Float32Array(size);
  larger.set(array);
  return larger;
};

/** Turn each pair (i, i + half) of every head of v by position * frequency. */
function turn(v, dim, position, frequencies) {
  const half = dim / 2;
  for (let i = 0; i < half; i += 1) {
    const angle = position * frequencies[i], cos = Math.cos(angle), sin = Math.sin(angle);
    for (let a = i; a < v.length; a += dim) {
      const first = v[a], second = v[a + half];
      v[a] = first * cos - second * sin;
      v[a + half] = second * cos + first * sin;
    }
  }
}

/** One layer, with the keys and values of its text so far. */
class Layer {
  /** Is called with "q", "bias" and "weights" of each token; first: the first key that is not hidden. */
  /** @type {((name: string, numbers: Float32Array, first: number) => void) | null} */ see = null;

  keys = new Float32Array(0);
  values = this.keys;
  scores = this.keys;
  plain = this.keys; // keys that are not turned

  /** @param {Model} model */
  constructor(model, number) {
    const { weights, config: { block } } = model, { parts, norm: second } = BLOCKS[block];
    const of = (name) => weights[`blocks.${number}.${name}`];
    const names = [...parts.map((part) => `attention.${part}`), "up", "down", "gate"];
    const [toQ, toK, toV, toOut, up, down, gate] = names.map((name) => of(`${name}.weight`));
    const norms = ["attention_norm", second].map((name) => ({ gain: of(`${name}.weight`), shift: of(`${name}.bias`) }));
    this.matrices = { toQ, toK, toV, toOut, norms, up, down, gate };
    this.model = model;
    const { method } = model.config;
    if (!Object.hasOwn(POSITIONS, method)) throw new Error(method);
    this.position = POSITIONS[method](model, number);
    this.inner = toK.length / model.width; // numbers of all keys of a token; query heads may share one
    this.q = new Float32Array(toQ.length / model.width);
    this.far = this.q.slice();
    this.out = this.q.slice();
    this.hidden = new Float32Array(up.length / model.width);
    this.gated = this.hidden.slice();
  }

  /** x, of the token at this position, becomes what the layer makes of it. */
  read(x, at) {
    const { model: { y, normed }, matrices: { norms, toOut, up, down, gate }, out, hidden, gated } = this;
    norm(x, norms[0], normed);
    this.attend(normed, at);
    times(toOut, out, y);
    for (let i = 0; i < x.length; i += 1) x[i] += y[i];
    norm(x, norms[1], normed);
    times(up, normed, hidden);
    if (gate) {
      times(gate, normed, gated);
      for (let i = 0; i < hidden.length; i += 1) hidden[i] *= gated[i] / (1 + Math.exp(-gated[i]));
    } else for (let i = 0; i < hidden.length; i += 1) hidden[i] *= (1 + erf(hidden[i] * Math.SQRT1_2)) / 2;
    times(down, hidden, y);
    for (let i = 0; i < x.length; i += 1) x[i] += y[i];
  }

  attend(x, at) {
    const { model, q, far, out, position, inner, matrices: { toQ, toK, toV } } = this, { heads, dim } = model;
    const here = at * inner, stride = at + 1, last = model.clamp ? model.clamp - 1 : Infinity;
    const shared = (heads * dim) / inner; // query heads that share a key
    if (here === this.keys.length) {
      const size = Math.max(2 * here, FIRST_ROWS * inner);
      [this.keys, this.values] = [grown(this.keys, size), grown(this.values, size)];
      this.scores = new Float32Array((heads * size) / inner);
    }
    const { keys, values, scores } = this, key = keys.subarray(here, here + inner);
    times(toQ, x, q);
    times(toK, x, key);
    times(toV, x, values.subarray(here, here + inner));
    if (position.frequencies) {
      if (model.clamp) { // a far key as it stands at 0, the query at the largest distance that counts
        this.plain = here + inner > this.plain.length ? grown(this.plain, keys.length) : this.plain;
        this.plain.set(key, here);
        far.set(q);
        turn(far, dim, last, position.frequencies);
      }
      turn(q, dim, at, position.frequencies);
      turn(key, dim, at, position.frequencies);
    }
    const first = Math.max(0, at - Math.min(position.window ?? Infinity, model.window || Infinity));
    scores.fill(0, 0, heads * stride);
    position.bias?.(scores, at, first, x);
    if (at > last) {
      for (let row = 0; row < heads * stride; row += stride) scores.fill(scores[row + at - last], row, row + at - last);
    }
    this.see?.("q", q, first);
    this.see?.("bias", scores, first);
    out.fill(0);
    for (let h = 0; h < heads; h += 1) {
      const o = h * dim, row = h * stride, part = Math.floor(h / shared) * dim;
      let top = -Infinity, sum = 0;
      for (let j = first; j <= at; j += 1) {
        const isFar = at - j > last && position.frequencies, [query, others] = isFar ? [far, this.plain] : [q, keys];
        let product = 0;
        for (let i = 0, k = j * inner + part; i < dim; i += 1) product += query[o + i] * others[k + i];
        const score = scores[row + j] += product / Math.sqrt(dim);
        if (score > top) top = score;
      }
      for (let j = first; j <= at; j += 1) sum += scores[row + j] = Math.exp(scores[row + j] - top);
      for (let j = first; j <= at; j += 1) {
        const weight = scores[row + j] /= sum;
        for (let i = 0, k = j * inner + part; i < dim; i += 1) out[o + i] += weight * values[k + i];
      }
    }
    this.see?.("weights", scores, first);
  }
}

// The model.

/** Numbers of 16 bits, all finite: their bits where 32 have them, and then the exponent. @param {Uint16Array} halves */
function floatsOf(halves) {
  const bits = new Uint32Array(halves.length), floats = new Float32Array(bits.buffer);
  for (let i = 0; i < bits.length; i += 1) {
    bits[i] = ((halves[i] & 0x8000) << 16) | ((halves[i] & 0x7fff) << 13);
    floats[i] *= 2 ** 112;
  }
  return floats;
}

/** What a file of weights has. @param {ArrayBuffer} buffer @returns {Weights} */
function readWeights(buffer) {
  const length = Number(new DataView(buffer).getBigUint64(0, true)), text = new Uint8Array(buffer, 8, length);
  const { __metadata__: { config }, ...header } = JSON.parse(new TextDecoder().decode(text));
  const weights = Object.entries(header).map(([name, { dtype, data_offsets: [from, to] }]) => {
    const bytes = buffer.slice(8 + length + from, 8 + length + to);
    return [name, dtype === "F16" ? floatsOf(new Uint16Array(bytes)) : new Float32Array(bytes)];
  });
  return { config: JSON.parse(config), weights: Object.fromEntries(weights) };
}

export class Model {
  at = 0; // tokens that are read

  /**
   * window: bytes; every layer hides the keys farther back; 0: none. strength: multiplies ALiBi's slopes. clamp: a key so many bytes
   * back or more counts as one byte less, for RoPE and biases of distances; 0: none.
   * @param {ArrayBuffer | Weights} file of weights, or what is in it
   */
  constructor(file, { window = 0, strength = 1, clamp = 0 } = {}) {
    const { config, weights } = file instanceof ArrayBuffer ? readWeights(file) : file;
    this.config = config;
    this.weights = weights;
    this.window = window;
    this.strength = strength;
    this.clamp = clamp;
    this.heads = config.heads;
    this.dim = config.head_dim;
    this.embedding = weights["embedding.weight"];
    this.width = this.embedding.length / 256;
    this.x = new Float32Array(this.width);
    this.y = this.x.slice();
    this.normed = this.x.slice();
    this.layers = Array.from({ length: config.layers }, (_, number) => new Layer(this, number));
    this.position = this.layers[0].position;
    const unknown = Object.keys(config.options).filter((name) => !this.position.options?.includes(name));
    if (unknown.length) throw new Error(`options: ${unknown}`);
    const memory = Math.floor(LARGEST_CACHE / (8 * config.layers * this.layers[0].inner));
    const ends = { table: this.position.most ?? Infinity, length: Math.max(LONGEST, LENGTHS * config.length), memory };
    /** Bytes of the longest text. */ this.most = Math.min(...Object.values(ends));
    this.reason = Object.keys(ends).find((name) => ends[name] === this.most) ?? "";
  }

  /** A parameter of the method in a layer. */
  of = (layer, name) => this.weights[`blocks.${layer}.attention.position.${name}`] ?? this.weights[`position.${name}`];

  /** Read the next byte of the text. */
  read(byte) {
    const { x, width, at } = this;
    for (let i = 0; i < width; i += 1) x[i] = this.embedding[byte * width + i] * Math.sqrt(width);
    this.position.embed?.(x, at);
    for (const layer of this.layers) layer.read(x, at);
    this.at += 1;
  }

  /** Of the byte that follows, Float32Array [256]. */
  logits() {
    const { x, weights, normed } = this, logits = new Float32Array(256);
    norm(x, { gain: weights["norm.weight"], shift: weights["norm.bias"] }, normed);
    times(this.embedding, normed, logits);
    return logits;
  }
}

/**
 * What one layer's attention (0 is the first) does with a text: q, k and v [T, heads, dim], as they are compared; of FoX its gates
 * [heads][T]. Of every `step`-th query and of the last one, and of heads `of` (default: all): bias and weights [of, rows, T],
 * -Infinity where a key is hidden. The model has no later layers then.
 * @param {Model} model @param {Uint8Array} text
 */
export function trace(model, text, number, { of = /** @type {number[] | null} */ (null), step = 1 } = {}) {
  const { heads, dim } = model, tokens = text.length, layer = model.layers[number], last = tokens - 1;
  const count = Math.ceil(last / step) + 1, chosen = of ?? Array.from({ length: heads }, (_, head) => head);
  const rows = () => new Float32Array(chosen.length * count * tokens).fill(-Infinity);
  const seen = { q: new Float32Array(tokens * heads * dim), bias: rows(), weights: rows() };
  layer.see = (name, numbers, first) => {
    const { at } = model, stride = at + 1, row = at === last ? count - 1 : at / step;
    if (name === "q") return seen.q.set(numbers, at * numbers.length);
    if (!Number.isInteger(row)) return;
    for (const [place, h] of chosen.entries()) {
      const keys = numbers.subarray(h * stride + first, (h + 1) * stride);
      seen[name].set(keys, (place * count + row) * tokens + first);
    }
  };
  model.layers.splice(number + 1);
  for (const byte of text) model.read(byte);
  const [k, v] = [layer.keys, layer.values].map((all) => all.slice(0, tokens * layer.inner));
  const { gates, frequencies } = layer.position;
  return { ...seen, k, v, gates, frequencies, tokens, heads, dim };
}

// Writing.

/** Python's random.Random(seed).random, the Mersenne Twister: a seed writes the same text everywhere. @param {number} seed below 2^32 */
export function pythonRandom(seed) {
  const state = new Uint32Array(624), { imul } = Math;
  let at = 0;
  const mixed = (i) => state[i - 1] ^ (state[i - 1] >>> 30);
  state[0] = 19650218;
  for (let i = 1; i < 624; i += 1) state[i] = imul(1812433253, mixed(i)) + i;
  for (let step = 0, i = 1; step < 1247; step += 1, i += 1) {
    if (i === 624) [state[0], i] = [state[623], 1];
    if (step < 624) state[i] = (state[i] ^ imul(mixed(i), 1664525)) + seed;
    else state[i] = (state[i] ^ imul(mixed(i), 1566083941)) - i;
  }
  state[0] = 0x80000000;
  const next = () => {
    const pair = (state[at] & 0x80000000) | (state[(at + 1) % 624] & 0x7fffffff);
    let y = state[at] = state[(at + 397) % 624] ^ (pair >>> 1) ^ (pair & 1 ? 0x9908b0df : 0);
    at = (at + 1) % 624;
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  };
  return () => ((next() >>> 5) * 67108864 + (next() >>> 6)) / 2 ** 53;
}

/** The byte that a draw in (0, 1] takes; at temperature 0 the likeliest. Throws where a logit is no number. */
export function sample(logits, temperature, draw) {
  if (!logits.every(Number.isFinite)) throw new Error("not finite");
  let top = 0, sum = 0;
  for (let i = 1; i < 256; i += 1) if (logits[i] > logits[top]) top = i;
  if (temperature === 0) return top;
  const sums = Float64Array.from(logits, (logit) => sum += Math.exp((logit - logits[top]) / temperature));
  return sums.findIndex((reached) => reached >= draw * sum);
}

/**
 * The new bytes that a model writes after a prompt, one by one; a prompt is not empty. written: new ones that are there already.
 * Returns what has ended the text before so many more: "table" (of positions), "length" or "memory"; else "".
 * @param {Model} model
 * @param {{ prompt: Uint8Array, written?: Uint8Array, temperature: number, seed: number, length: number }} order
 * @returns {Generator<number, string, void>}
 */
export function* write(model, { prompt, written = new Uint8Array(), temperature, seed, length }) {
  const text = [...prompt, ...written], random = pythonRandom(seed);
  written.forEach(random); // each byte has a draw
  for (let n = 0; n < length; n += 1) {
    if (text.length >= model.most) return model.reason;
    while (model.at < text.length) model.read(text[model.at]);
    text.push(sample(model.logits(), temperature, 1 - random()));
    yield text[text.length - 1];
  }
  return "";
}

/**
 * What a worker does with a message: it writes a text in pieces, or traces a layer of the prompt. post: sends { bytes }, then { end },
 * as `write` returns it; or { trace }.
 * @param {any} order
 */
export function serve({ weights, window, strength, clamp, layer = -1, ...order }, post) {
  const model = new Model(weights, { window, strength, clamp });
  if (layer >= 0) return post({ trace: trace(model, order.prompt, layer, order) });
  const writing = write(model, order);
  let piece = /** @type {number[]} */ ([]), since = -Infinity, next = writing.next();
  for (; !next.done; next = writing.next()) {
    piece.push(next.value);
    if (performance.now() - since < PIECE) continue;
    post({ bytes: Uint8Array.from(piece) });
    [piece, since] = [[], performance.now()];
  }
  if (piece.length) post({ bytes: Uint8Array.from(piece) });
  post({ end: next.value });
}
