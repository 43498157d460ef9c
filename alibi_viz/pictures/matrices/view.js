// Matrices under one row of hands. The views follow the hands, and what is chosen in these is a hand.

import { formatSlope, halving, nearShare, slopeOf } from "../attention.js";
import { clamp, formatNumber, lookUp, make, mounting, wholePercent } from "../shared.js";
import { runsLeft, shorten } from "../text.js";
import { alike, isWithin, LOWEST, PHONE, sayIn } from "../hands/hands.js";
import { PictureBase } from "../hands/picture_base.js";
import { fileOf, Readings } from "../lm_worker.js";
import { isInside, MatrixView } from "./matrix.js";
import { isOfWords, sharesOf } from "./preview.js";
import { isCut, readingOf, viewOf } from "./trained.js";
import { Thumbnails } from "./thumbnails.js";

const SQUARE = 60; // pixels: what stands above and below a square matrix, less what stands beside it
const LETTERS = 24; // of a word in the sentence
const CLOSEST = 8; // tokens a side of the smallest window that a zoom opens

/**
 * @import { Message as Sent } from "./message.d.ts"
 * @typedef {Sent & { words: Record<string, string>, trained: Record<string, import("./trained.js").Trained>, isOurs?: boolean }} Message
 *   isOurs: the numbers are not Python's
 */

/** @extends {PictureBase<Message>} */
export class Matrices extends PictureBase {
  /** @type {MatrixView[]} */ views = [];
  board = make("div", "board");
  note = make("p", "note");
  readings = new Readings();

  constructor(host) {
    super(host, make("div", "picture matrices"));
    const { root, board, trouble, note, ruler } = this;
    root.append(this.hands.row, this.hands.foot, this.hands.advanced, trouble, note, board, ruler);
  }

  close() {
    this.readings.stop();
    for (const view of this.views) view.close();
    super.close();
  }

  take(message) {
    this.readings.stop();
    this.show(message);
  }

  show(message) {
    this.message = message;
    this.showProblem(message.problem, [this.board, this.note]);
    this.note.hidden ||= !message.note.template;
    if (message.problem) return;
    this.readWords();
    this.readByModel();
    message.views.forEach((_, at) => {
      this.views[at] ??= this.added(at, message);
    });
    this.say();
    this.hands.row.hidden = !message.hands.hands.length;
    this.fit(); // a matrix that has no room is not drawn
    message.views.forEach((view, at) =>
      this.views[at].update({ data: [view, at ? `${message.key} ${at}` : message.key, message.words] })
    );
  }

  added(at, message) {
    const place = make("div", at ? "place beside" : "place");
    this.board.append(place);
    const View = message.views[at].picked === null ? MatrixView : Thumbnails;
    const view = new View(place, this), { alt, plots, tools } = view;
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
    if (view?.isKept() && isInside(view.message, { i, j })) view.move({ i, j, locked: true });
  }

  // What is chosen in a matrix is a hand too.

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
  }

  moved() {
    this.readWords();
    for (const view of this.views) view.follow();
    this.say();
    this.readByModel();
  }

  /** A trained model reads the text, where more has moved than the view follows. */
  readByModel() {
    const { message, hands: { values: { ...values } } } = this, model = lookUp(message.trained, String(values.model));
    if (!model) return;
    const text = String(values.passage), others = { ...message.hands.values, cell: values.cell };
    for (const key of Object.keys(message.views[0].follows ?? {})) others[key] = values[key];
    this.hands.say(isCut(model, text) ? model.cut : "");
    this.showProblem(text ? "" : this.hands.refusalOf("passage"), [this.board, this.note]);
    if (!text || alike(values, others)) return this.readings.stop();
    const order = { ...readingOf(model, values), weights: () => fileOf(this.component, model.weights) };
    const take = (found) => {
      const { view, note } = viewOf(model, values, found[0]);
      this.show({ ...message, hands: { ...message.hands, values }, views: [view], note, isOurs: true });
    };
    const fail = (reason) =>
      this.showProblem(this.hands.words.broken.replace("{reason}", reason), [this.board, this.note]);
    this.readings.ask([values.model, text].join(), [order], take, fail);
  }

  readWords() {
    if (this.message.views.some(isOfWords)) this.hands.read("text", String(this.hands.values.unit));
  }

  /** The sentence that follows the hand. */
  say() {
    const { values } = this.hands, { template, few, numbers } = this.message.note, said = this.ofLastWord();
    const slope = slopeOf(Number(values.head) || 1, Number(values.heads) || 1) * Number(values.strength ?? 1);
    const live = { slope: formatSlope(slope), half: formatNumber(halving(slope)), ...this.nearShare(), ...said };
    const hand = (name) => (Object.hasOwn(values, name) ? formatNumber(Number(values[name]), 9) : undefined);
    sayIn(this.note, said && said.at < 2 ? few : template, (name) => live[name] ?? numbers[name] ?? hand(name));
  }

  /** What the sentence says of the reader's words; null where they are not the reader's. */
  ofLastWord() {
    const view = this.views[0]?.message;
    if (!view || !isOfWords(view)) return null;
    const shares = sharesOf(view), query = shorten(shares.query, LETTERS);
    return { ...shares, query: runsLeft(query) ? `\u2068${query}\u2069` : query };
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
    const { root, board, ruler, message, note, hands } = this;
    const isNarrow = root.clientWidth < PHONE && message.hands.hands.length > 0;
    root.classList.toggle("narrow", isNarrow);
    const above = isNarrow && !isWithin(root) ? 0 : hands.row.offsetHeight + hands.foot.offsetHeight + 12 +
      (hands.advanced.hidden ? 0 : hands.advanced.offsetHeight + 6) + note.offsetHeight;
    const high = Math.max(LOWEST, ruler.offsetHeight - above), most = root.clientWidth - message.beside - 12;
    const wide = message.beside ? Math.min(most, Math.max(high - SQUARE, LOWEST)) : root.clientWidth;
    board.style.setProperty("--stage-height", `${high}px`);
    board.style.setProperty("--large", `${wide}px`);
  }
}

export default mounting(Matrices);
