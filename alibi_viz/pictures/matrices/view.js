// Matrices under one row of hands. The views follow the hands, and what is chosen in these is a hand.

import { formatSlope, halving, nearShare, slopeOf } from "../attention.js";
import { clamp, formatNumber, make, mounting, wholePercent } from "../shared.js";
import { isWithin, LOWEST, PHONE, sayIn } from "../hands/hands.js";
import { PictureBase } from "../hands/picture_base.js";
import { isInside, MatrixView } from "./matrix.js";

const SQUARE = 60; // pixels: what stands above and below a square matrix, less what stands beside it
const CLOSEST = 8; // tokens a side of the smallest window that a zoom opens

/** @import { Message } from "./message.d.ts" */

/** @extends {PictureBase<Message & { words: Record<string, string> }>} */
export class Matrices extends PictureBase {
  /** @type {MatrixView[]} */ views = [];
  board = make("div", "board");
  note = make("p", "note");

  constructor(host) {
    super(host, make("div", "picture matrices"));
    const { root, board, trouble, note, room } = this;
    root.append(this.hands.row, this.hands.foot, this.hands.advanced, trouble, note, board, room);
  }

  close() {
    for (const view of this.views) view.close();
    super.close();
  }

  /** Python's numbers. */
  take(message) {
    this.message = message;
    this.showProblem(message.problem, [this.board, this.note]);
    this.note.hidden ||= !message.note.template;
    if (message.problem) return;
    message.views.forEach((_, at) => {
      this.views[at] ??= this.added(at);
    });
    this.say();
    this.fit(); // a matrix that has no room is not drawn
    message.views.forEach((view, at) =>
      this.views[at].update({ data: [view, at ? `${message.key} ${at}` : message.key, message.words] })
    );
    this.hands.row.hidden = !message.hands.hands.length;
  }

  added(at) {
    const place = make("div", at ? "place beside" : "place");
    this.board.append(place);
    const view = new MatrixView(place, this), { alt, plots, tools } = view;
    alt.id = `alt-${at}`;
    plots.setAttribute("aria-describedby", alt.id);
    if (!at) {
      this.tools.replaceWith(tools);
      view.painted = () => this.say();
    }
    return view;
  }

  lockAt([i, j]) {
    const [view] = this.views;
    if (view?.message.locked && isInside(view.message, { i, j })) view.move({ i, j, locked: true });
  }

  // What is chosen in a matrix is a hand too. isStep: more of them may follow.

  lock(cell, isStep) {
    this.hands.values.cell = cell;
    if (isStep) this.hands.releaseLater();
    else this.hands.release();
  }

  pick(panel) {
    this.hands.set({ head: panel + 1 });
    this.hands.release();
  }

  /** Another window: around a cell by a factor closer, or all of it (0). */
  zoom(row, col, factor) {
    const whole = Number(this.hands.values.n), span = Number(this.hands.values.span) || whole;
    const wide = factor ? clamp(Math.trunc(span / factor), Math.min(CLOSEST, whole), whole) : whole;
    const from = (middle) => Math.trunc(clamp(middle - wide / 2, 0, whole - wide));
    this.hands.set({ row: from(row), col: from(col), span: wide >= whole ? 0 : wide });
    this.hands.release();
  }

  /** The window from a cell on, as wide as it is; more of it may follow. */
  look(row, col) {
    const { n, span } = this.hands.values, from = (start) => Math.round(clamp(start, 0, Number(n) - Number(span)));
    this.hands.set({ row: from(row), col: from(col) });
    this.hands.releaseLater();
  }

  moved() {
    for (const view of this.views) view.follow();
    this.say();
  }

  /** The sentence that follows the hand. */
  say() {
    const { values } = this.hands, { template, numbers } = this.message.note;
    const slope = slopeOf(Number(values.head) || 1, Number(values.heads) || 1) * Number(values.strength ?? 1);
    const live = { slope: formatSlope(slope), half: formatNumber(halving(slope)), ...this.nearShare() };
    const hand = (name) => (Object.hasOwn(values, name) ? formatNumber(Number(values[name]), 9) : undefined);
    sayIn(this.note, template, (name) => live[name] ?? numbers[name] ?? hand(name));
  }

  /** Of a query's weight on earlier tokens, the share on the nearest ones. */
  nearShare() {
    const { near } = this.message.note, view = this.views[0]?.message, weights = view?.panels.at(-1)?.values;
    if (!near || !weights) return {};
    const [query, window] = near, from = query * view.cols.count;
    return { near: wholePercent(nearShare(weights.subarray(from, from + query + 1), window)) };
  }

  paint() {} // each matrix does

  arrange() {
    if (!this.message || !this.root.clientWidth) return;
    this.fit();
    for (const view of this.views) view.layOut(false);
  }

  /** The matrices are as high as the hands and the sentence leave. */
  fit() {
    const { root, board, room, message, note, hands } = this;
    const isNarrow = root.clientWidth < PHONE && message.hands.hands.length > 0;
    root.classList.toggle("narrow", isNarrow);
    const above = isNarrow && !isWithin(root) ? 0 : hands.row.offsetHeight + hands.foot.offsetHeight + 12 +
      (hands.advanced.hidden ? 0 : hands.advanced.offsetHeight + 6) + note.offsetHeight;
    const high = Math.max(LOWEST, room.offsetHeight - above), most = root.clientWidth - message.beside - 12;
    const wide = message.beside ? Math.min(most, Math.max(high - SQUARE, LOWEST)) : root.clientWidth;
    board.style.setProperty("--stage-height", `${high}px`);
    board.style.setProperty("--large", `${wide}px`);
  }
}

export default mounting(Matrices);
