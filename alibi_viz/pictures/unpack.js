// The message of a picture, as numbers and words again (see message.py).

const TYPES = { float32: Float32Array, float64: Float64Array, uint8: Uint8Array };

/**
 * One message of bytes (see message.py), each array in its place.
 * @typedef {(Float32Array | Float64Array | Uint8Array) & { shape: number[], diagonals?: ArrayLike<number> }} Numbers
 * @type {(bytes: Uint8Array) => any}
 */
export function unpack(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), length = view.getUint32(0, true);
  const body = bytes.slice(4 + length); // a copy: aligned, and free of the transport's buffer
  const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(4, 4 + length));
  const arrayOf = ({ array: type, at, shape, by_distance: byDistance }) => {
    const [rows, cols] = shape;
    const count = byDistance ? rows + cols - 1 : shape.reduce((product, side) => product * side, 1);
    const sent = new TYPES[type](body.buffer, body.byteOffset + at, count);
    return Object.assign(byDistance ? fromDiagonals(sent, cols) : sent, { shape });
  };
  return JSON.parse(text, (_, value) => (value?.array ? arrayOf(value) : value));
}

/** A matrix that is one number a diagonal. It keeps these: who looks at every number looks at them. Lowest diagonal first. */
export const fromDiagonals = (diagonals, cols) =>
  Object.assign(spread(diagonals, new diagonals.constructor((diagonals.length - cols + 1) * cols), cols), {
    diagonals,
  });

/** Fill a matrix with its diagonals. */
export function spread(diagonals, matrix, cols) {
  const last = diagonals.length - cols;
  for (let row = 0; row <= last; row += 1) matrix.set(diagonals.subarray(last - row, last - row + cols), row * cols);
  return matrix;
}
