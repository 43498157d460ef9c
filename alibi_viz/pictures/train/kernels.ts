// @ts-nocheck: AssemblyScript, a TypeScript of its own, which is compiled to kernels.wasm (benchmarks/kernels.py).
// The arithmetic of a small Transformer, four float32 numbers at once (WebAssembly SIMD). Pointers and strides are in bytes.

const ZERO = f32x4.splat(0);

/** C[M, N] = A B, or C += A B. A's strides make it A or its transpose; rows of B and C have no gaps. M is a multiple of 4, N of 8. */
export function matmul(
  A: u32,
  Ai: u32,
  Ak: u32,
  B: u32,
  Bk: u32,
  C: u32,
  Ci: u32,
  M: i32,
  N: i32,
  K: i32,
  add: i32,
): void {
  const A2 = Ai + Ai, A3 = A2 + Ai;
  for (let i = 0; i < M; i += 4) {
    for (let j = 0; j < N; j += 8) {
      let a = A + <u32> i * Ai, b = B + (j << 2);
      let c00 = ZERO, c01 = ZERO, c10 = ZERO, c11 = ZERO, c20 = ZERO, c21 = ZERO, c30 = ZERO, c31 = ZERO;
      for (let k = 0; k < K; k++, a += Ak, b += Bk) {
        const b0 = v128.load(b), b1 = v128.load(b, 16);
        let x = v128.load_splat<f32>(a);
        c00 = f32x4.add(c00, f32x4.mul(x, b0));
        c01 = f32x4.add(c01, f32x4.mul(x, b1));
        x = v128.load_splat<f32>(a + Ai);
        c10 = f32x4.add(c10, f32x4.mul(x, b0));
        c11 = f32x4.add(c11, f32x4.mul(x, b1));
        x = v128.load_splat<f32>(a + A2);
        c20 = f32x4.add(c20, f32x4.mul(x, b0));
        c21 = f32x4.add(c21, f32x4.mul(x, b1));
        x = v128.load_splat<f32>(a + A3);
        c30 = f32x4.add(c30, f32x4.mul(x, b0));
        c31 = f32x4.add(c31, f32x4.mul(x, b1));
      }
      const c = C + <u32> i * Ci + (j << 2);
      put(c, c00, c01, add);
      put(c + Ci, c10, c11, add);
      put(c + 2 * Ci, c20, c21, add);
      put(c + 3 * Ci, c30, c31, add);
    }
  }
}

function put(c: u32, x: v128, y: v128, add: i32): void {
  if (add) {
    x = f32x4.add(x, v128.load(c));
    y = f32x4.add(y, v128.load(c, 16));
  }
  v128.store(c, x);
  v128.store(c, y, 16);
}

/** Y[N, M] = X[M, N] transposed. */
export function transpose(X: u32, Y: u32, M: i32, N: i32): void {
  for (let i = 0; i < M; i++) {
    for (let j = 0; j < N; j++) store<f32>(Y + ((j * M + i) << 2), load<f32>(X + ((i * N + j) << 2)));
  }
}

function sum(x: v128): f32 {
  return f32x4.extract_lane(x, 0) + f32x4.extract_lane(x, 1) + f32x4.extract_lane(x, 2) + f32x4.extract_lane(x, 3);
}

function largest(x: v128): f32 {
  const first = max(f32x4.extract_lane(x, 0), f32x4.extract_lane(x, 1));
  return max(first, max(f32x4.extract_lane(x, 2), f32x4.extract_lane(x, 3)));
}

/** x y + z */
function step(x: v128, y: v128, z: f32): v128 {
  return f32x4.add(f32x4.mul(x, y), f32x4.splat(z));
}

/** e^x to 1e-7, 0 below -80 (Cephes). */
function exp(x: v128): v128 {
  const whole = f32x4.nearest(f32x4.mul(x, f32x4.splat(Mathf.LOG2E)));
  const high = f32x4.sub(x, f32x4.mul(whole, f32x4.splat(0.693359375)));
  const r = f32x4.add(high, f32x4.mul(whole, f32x4.splat(2.12194440e-4)));
  let y = step(r, f32x4.splat(1.9875691500e-4), 1.3981999507e-3);
  y = step(y, r, 8.3334519073e-3);
  y = step(y, r, 4.1665795894e-2);
  y = step(y, r, 1.6666665459e-1);
  y = step(y, r, 0.5);
  y = f32x4.add(step(f32x4.mul(y, r), r, 1), r);
  const power = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(whole), i32x4.splat(127)), 23);
  return v128.and(f32x4.mul(y, power), f32x4.gt(x, f32x4.splat(-80)));
}

/** Rows of scores S[M, N], in place: softmax(scale S + bias). The bias of row r begins r numbers before that of row 0. */
export function softmax(S: u32, Si: u32, M: i32, N: i32, scale: f32, bias: u32): void {
  const end = N << 2;
  for (let r = 0; r < M; r++, S += Si, bias -= 4) {
    let top = f32x4.splat(-1e30), total = ZERO;
    for (let j = 0; j < end; j += 16) {
      const x = f32x4.add(f32x4.mul(v128.load(S + j), f32x4.splat(scale)), v128.load(bias + j));
      v128.store(S + j, x);
      top = f32x4.max(top, x);
    }
    top = f32x4.splat(largest(top));
    for (let j = 0; j < end; j += 16) {
      const x = exp(f32x4.sub(v128.load(S + j), top));
      v128.store(S + j, x);
      total = f32x4.add(total, x);
    }
    const share = f32x4.splat(1 / sum(total));
    for (let j = 0; j < end; j += 16) v128.store(S + j, f32x4.mul(v128.load(S + j), share));
  }
}

/** The gradient of these rows' scores from that of their weights P, in place of it; that of the bias is added to dbias. */
export function softmaxBack(P: u32, Pi: u32, dP: u32, dPi: u32, M: i32, N: i32, scale: f32, dbias: u32): void {
  const end = N << 2;
  for (let r = 0; r < M; r++, P += Pi, dP += dPi, dbias -= 4) {
    let dot = ZERO;
    for (let j = 0; j < end; j += 16) dot = f32x4.add(dot, f32x4.mul(v128.load(P + j), v128.load(dP + j)));
    dot = f32x4.splat(sum(dot));
    for (let j = 0; j < end; j += 16) {
      const d = f32x4.mul(v128.load(P + j), f32x4.sub(v128.load(dP + j), dot));
      v128.store(dbias + j, f32x4.add(v128.load(dbias + j), d));
      v128.store(dP + j, f32x4.mul(d, f32x4.splat(scale)));
    }
  }
}

/** Y = norm(X) gain + bias, by rows of D numbers; H and R keep the normed rows and their scales. */
export function norm(X: u32, Y: u32, H: u32, R: u32, gain: u32, bias: u32, M: i32, D: i32): void {
  const row = D << 2;
  for (let r = 0; r < M; r++, X += row, Y += row, H += row) {
    let s = ZERO, q = ZERO;
    for (let j = 0; j < row; j += 16) s = f32x4.add(s, v128.load(X + j));
    const mean = f32x4.splat(sum(s) / <f32> D);
    for (let j = 0; j < row; j += 16) {
      const x = f32x4.sub(v128.load(X + j), mean);
      q = f32x4.add(q, f32x4.mul(x, x));
    }
    const scale: f32 = 1 / sqrt<f32>(sum(q) / <f32> D + 1e-5);
    store<f32>(R + (r << 2), scale);
    for (let j = 0; j < row; j += 16) {
      const h = f32x4.mul(f32x4.sub(v128.load(X + j), mean), f32x4.splat(scale));
      v128.store(H + j, h);
      v128.store(Y + j, f32x4.add(f32x4.mul(h, v128.load(gain + j)), v128.load(bias + j)));
    }
  }
}

/** Adds to dX, dgain and dbias. */
export function normBack(dY: u32, H: u32, R: u32, gain: u32, dgain: u32, dbias: u32, dX: u32, M: i32, D: i32): void {
  const row = D << 2;
  for (let r = 0; r < M; r++, dY += row, H += row, dX += row) {
    let a = ZERO, c = ZERO;
    for (let j = 0; j < row; j += 16) {
      const d = v128.load(dY + j), h = v128.load(H + j), t = f32x4.mul(d, v128.load(gain + j));
      a = f32x4.add(a, t);
      c = f32x4.add(c, f32x4.mul(t, h));
      v128.store(dgain + j, f32x4.add(v128.load(dgain + j), f32x4.mul(d, h)));
      v128.store(dbias + j, f32x4.add(v128.load(dbias + j), d));
    }
    a = f32x4.splat(sum(a) / <f32> D);
    c = f32x4.splat(sum(c) / <f32> D);
    const scale = v128.load_splat<f32>(R + (r << 2));
    for (let j = 0; j < row; j += 16) {
      const t = f32x4.sub(f32x4.mul(v128.load(dY + j), v128.load(gain + j)), a);
      const x = f32x4.sub(t, f32x4.mul(v128.load(H + j), c));
      v128.store(dX + j, f32x4.add(v128.load(dX + j), f32x4.mul(scale, x)));
    }
  }
}

/** G = GELU(U) = U Phi(U); U becomes the derivative. erf by Abramowitz and Stegun 7.1.26, to 2e-7. */
export function gelu(U: u32, G: u32, N: i32): void {
  for (let j = 0, end = N << 2; j < end; j += 16) {
    const u = v128.load(U + j), z = f32x4.mul(f32x4.abs(u), f32x4.splat(Mathf.SQRT1_2));
    const e = exp(f32x4.neg(f32x4.mul(z, z))), t = f32x4.div(f32x4.splat(1), step(z, f32x4.splat(0.3275911), 1));
    let y = step(t, f32x4.splat(1.061405429), -1.453152027);
    y = step(y, t, 1.421413741);
    y = step(y, t, -0.284496736);
    y = step(y, t, 0.254829592);
    const tail = f32x4.mul(f32x4.mul(f32x4.mul(y, t), e), f32x4.splat(0.5)); // Phi(-|u|)
    const phi = v128.bitselect(f32x4.sub(f32x4.splat(1), tail), tail, f32x4.ge(u, ZERO));
    v128.store(G + j, f32x4.mul(u, phi));
    v128.store(U + j, f32x4.add(phi, f32x4.mul(f32x4.mul(u, e), f32x4.splat(0.39894228))));
  }
}

/** X *= Y */
export function multiply(X: u32, Y: u32, N: i32): void {
  for (let j = 0, end = N << 2; j < end; j += 16) v128.store(X + j, f32x4.mul(v128.load(X + j), v128.load(Y + j)));
}

/** RoPE: turn the pairs (i, i + d/2) of each head by their angle, or back (sign -1). C, S: its cosines and sines [M, d/2]. */
export function turn(X: u32, C: u32, S: u32, M: i32, heads: i32, d: i32, sign: f32): void {
  const half = d << 1;
  for (let r = 0; r < M; r++, C += half, S += half) {
    for (let h = 0; h < heads; h++, X += half << 1) {
      for (let j = 0; j < half; j += 16) {
        const a = v128.load(X + j), b = v128.load(X + half + j);
        const c = v128.load(C + j), s = f32x4.mul(v128.load(S + j), f32x4.splat(sign));
        v128.store(X + j, f32x4.sub(f32x4.mul(a, c), f32x4.mul(b, s)));
        v128.store(X + half + j, f32x4.add(f32x4.mul(b, c), f32x4.mul(a, s)));
      }
    }
  }
}

/** Sum of squares. */
export function squares(X: u32, N: i32): f32 {
  let s = ZERO;
  for (let j = 0, end = N << 2; j < end; j += 16) {
    const x = v128.load(X + j);
    s = f32x4.add(s, f32x4.mul(x, x));
  }
  return sum(s);
}

/**
 * One step of AdamW, as torch.optim's. The gradient G is multiplied by `factor` first, and zero afterwards. keep: what decay leaves of
 * the weights; root: of the correction of the squares; pace: the learning rate, corrected for the first steps.
 */
export function adamw(W: u32, G: u32, m: u32, v: u32, N: i32, pace: f32, keep: f32, root: f32, factor: f32): void {
  for (let j = 0, end = N << 2; j < end; j += 16) {
    const g = f32x4.mul(v128.load(G + j), f32x4.splat(factor));
    const a = f32x4.add(f32x4.mul(v128.load(m + j), f32x4.splat(0.9)), f32x4.mul(g, f32x4.splat(0.1)));
    const square = f32x4.mul(f32x4.mul(g, g), f32x4.splat(0.001));
    const b = f32x4.add(f32x4.mul(v128.load(v + j), f32x4.splat(0.999)), square);
    const size = step(f32x4.sqrt(b), f32x4.splat(1 / root), 1e-8);
    const down = f32x4.div(f32x4.mul(a, f32x4.splat(pace)), size);
    v128.store(W + j, f32x4.sub(f32x4.mul(v128.load(W + j), f32x4.splat(keep)), down));
    v128.store(m + j, a);
    v128.store(v + j, b);
    v128.store(G + j, ZERO);
  }
}
