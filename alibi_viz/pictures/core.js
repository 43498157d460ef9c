// What the pictures share without a page: the message, known words, templates.

const TYPES = { float32: Float32Array, float64: Float64Array, uint8: Uint8Array };

/**
 * One message of bytes (see message.py), each array in its place.
 * @typedef {(Float32Array | Float64Array | Uint8Array) & { shape: number[] }} Numbers
 * @type {(bytes: Uint8Array) => any}
 */
export function unpack(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), length = view.getUint32(0, true);
  const body = bytes.slice(4 + length); // a copy: aligned, and free of the transport's buffer
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(4, 4 + length));
  const arrayOf = ({ array: type, at, shape }) => {
    const count = shape.reduce((product, side) => product * side, 1);
    return Object.assign(new TYPES[type](body.buffer, body.byteOffset + at, count), { shape });
  };
  return JSON.parse(text, (_, value) => (value?.array ? arrayOf(value) : value));
}

/** Known words and all of them, between two bytes of a text. @param {ArrayLike<number>} words [W, 3] @returns {[number, number]} */
export function countWords(words, from, to) {
  let known = 0, all = 0;
  for (let at = 0; at < words.length; at += 3) {
    if (words[at] < from || words[at + 1] > to) continue;
    known += words[at + 2];
    all += 1;
  }
  return [known, all];
}

/** Split a template into [text, name] pieces, name "" but for values; `lookup` gives each {name}, undefined leaves it as it stands. */
export function fillTemplate(template, lookup) {
  return template.split(/(\{\w+\})/).filter(Boolean).map((piece) => {
    const name = /^\{(\w+)\}$/.exec(piece)?.[1] ?? "", value = name ? lookup(name) : undefined;
    return value === undefined ? [piece, ""] : [value, name];
  });
}

/** A template with its values, as one text. */
export const filled = (template, lookup) => fillTemplate(template, lookup).map(([text]) => text).join("");

/** A long label with an ellipsis in place of its end. */
export function shorten(text, most) {
  const letters = Array.from(text);
  return letters.length <= most ? text : letters.slice(0, most - 1).join("") + "…";
}
