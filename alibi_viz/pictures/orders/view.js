// The view of two word orders: each sentence with its weights; words glide to other places, and weights fade.

import { Canvas } from "../canvas.js";
import { colours } from "../matrix_view/colour.js";
import { drawHatching, probe, setFont } from "../parts.js";
import { clamp, mounting } from "../shared.js";
import { decode, placesOf, weightOf } from "./core.js";

const NAME = 12.5; // pixels of an axis's name
const GAP = 28, AXIS = 22, TIGHT = 40; // pixels; a cell below TIGHT has no room for its number
const SLENDER = 1.6; // a cell is at most so many times as high as it is wide
const APART = 0.005; // weights that differ by more than a reader sees are outlined

/** Two matrices side by side or one below the other: the larger cells. */
function layoutOf(words, width, height, theme, axis = "") {
  const count = words.length;
  setFont(probe, theme, 400, NAME);
  const named = probe.measureText(axis).width;
  const tried = [[2, 1], [1, 2]].map(([across, down]) => {
    const wide = (width - GAP * (across - 1)) / across, high = (height - GAP * (down - 1)) / down;
    const type = clamp(wide / 22, 13, 21);
    setFont(probe, theme, 500, type);
    const longest = Math.max(...words.map((word) => probe.measureText(word).width)), left = Math.max(longest, named) + 10;
    const cellWith = (top) => Math.max(12, Math.min((wide - left) / count, (high - top) / count));
    const level = cellWith(AXIS + type + 8), upright = longest > level - 4, top = AXIS + (upright ? longest : type) + 8;
    const cell = Math.floor(upright ? cellWith(top) : level), tall = Math.floor(Math.min((high - top) / count, SLENDER * cell));
    return { across, wide, high, type, left, top, upright, cell, tall: Math.max(cell, tall) };
  });
  const best = tried[0].cell * tried[0].tall >= tried[1].cell * tried[1].tall ? tried[0] : tried[1];
  return { ...best, width, height };
}

/** @import { Message, Settings } from "./core.js"  @extends {Canvas<Message, { locked?: boolean }, Settings, ReturnType<typeof layoutOf>>} */
class View extends Canvas {
  lockable = false;
  decode = decode;

  constructor(host) {
    super(host, "orders");
    this.parts.plots.setAttribute("role", "img"); // it has no cursor, so it takes no keys
    this.parts.plots.removeAttribute("tabindex");
  }

  sent({ settings }) {
    return settings;
  }

  computed({ settings }, { channel }, value) {
    return { ...settings, [channel]: value };
  }

  place(height) {
    const { sentences, names } = this.message;
    return layoutOf(sentences[0].words, this.width, height, this.theme, `${names?.query} ↓`);
  }

  drawOn(ctx) {
    const { across, wide, high, left, top, cell, tall } = this.layout, { sentences: [first, second] } = this.message;
    const side = left + cell * first.words.length, depth = top + tall * first.words.length, beside = across > 1;
    const x = Math.max(0, (wide - side) / 2), below = Math.max(0, (this.layout.height - (beside ? 1 : 2) * depth - (beside ? 0 : GAP)) / 2);
    this.drawSentence(ctx, first, x, below);
    this.drawSentence(ctx, second, beside ? x + wide + GAP : x, beside ? below : Math.min(high, depth + below) + GAP, first);
  }

  /** A sentence: its words as queries and as keys, and a cell for each pair. other: what its cells are compared with. */
  drawSentence(ctx, sentence, x, y, other = sentence) {
    const { theme, now, layout: { left, top, cell, tall, type } } = this, at = placesOf(sentence, now);
    const [x0, y0] = [x + left, y + top], table = colours("weight", theme.dark);
    this.drawWords(ctx, sentence.words, at, x0, y0);
    at.forEach((row, i) => at.forEach((col, j) => {
      const weight = weightOf(sentence, now, i, j), /** @type {[number, number, number, number]} */ box = [x0 + col * cell + 1, y0 + row * tall + 1, cell - 2, tall - 2];
      const hidden = j > i ? now.mask : 0, fill = table[Math.round(Math.sqrt(clamp(weight, 0, 1)) * 255)];
      /** @type {[number, number, number]} */
      const rgb = [fill & 255, (fill >> 8) & 255, (fill >> 16) & 255];
      ctx.globalAlpha = 1 - hidden;
      ctx.fillStyle = `rgb(${rgb.join(",")})`;
      ctx.fillRect(...box);
      ctx.globalAlpha = hidden;
      drawHatching(ctx, ...box, theme, this.ratio);
      ctx.globalAlpha = 1 - hidden;
      if (cell >= TIGHT) this.write(ctx, weight.toFixed(2), box, type, rgb);
      ctx.globalAlpha = 1;
      if (other !== sentence && now.moved === 1 && this.differs(weight, other, Math.round(row), Math.round(col))) {
        Object.assign(ctx, { strokeStyle: theme.text, lineWidth: 2.5 });
        ctx.strokeRect(...box);
      }
    }));
  }

  differs(weight, other, row, col) {
    return Math.abs(weight - weightOf(other, this.now, row, col)) > APART;
  }

  write(ctx, text, [x, y, width, height], type, [red, green, blue]) {
    setFont(ctx, this.theme, 500, type);
    const pale = 0.3 * red + 0.59 * green + 0.11 * blue > 130;
    Object.assign(ctx, { fillStyle: pale ? "#15181c" : "#ffffff", textAlign: "center", textBaseline: "middle" });
    ctx.fillText(text, x + width / 2, y + height / 2);
  }

  drawWords(ctx, words, at, x0, y0) {
    const { theme, message: { names }, layout: { cell, tall, type, top, upright } } = this;
    setFont(ctx, theme, 400, NAME);
    Object.assign(ctx, { fillStyle: theme.soft, textAlign: "left", textBaseline: "top" });
    ctx.fillText(`${names?.key} →`, x0, y0 - top);
    Object.assign(ctx, { textAlign: "right", textBaseline: "bottom" });
    ctx.fillText(`${names?.query} ↓`, x0 - 8, y0 - 6);
    setFont(ctx, theme, 500, type);
    Object.assign(ctx, { fillStyle: theme.text, textBaseline: "middle" });
    words.forEach((word, index) => {
      const middle = (at[index] + 0.5) * cell;
      ctx.textAlign = "right";
      ctx.fillText(word, x0 - 8, y0 + (at[index] + 0.5) * tall);
      ctx.save();
      ctx.translate(x0 + middle, y0 - 6);
      if (upright) ctx.rotate(-Math.PI / 2);
      Object.assign(ctx, { textAlign: upright ? "left" : "center", textBaseline: upright ? "middle" : "bottom" });
      ctx.fillText(word, 0, 0);
      ctx.restore();
    });
  }
}

export default mounting(View);
