// One dial a pair of dimensions; the hand of pair i stands at position x turns[i] full turns, counted from 12 o'clock.
// Shaded: the angles of training. Where the hand has passed them, what lies beyond is filled too.

import { clamp, make, makeSvg, mounting, setAttributes } from "../shared.js";

const GAP = 8, CAPTION = 20, LARGEST = 220, NAMED = 80; // pixels; dials below NAMED have no room for their number

class Clocks {
  constructor(host) {
    this.root = make("div", "clocks", { role: "img" });
    this.grid = make("div", "dials");
    this.legend = make("div", "legend", { "aria-hidden": "true" });
    this.room = make("div", "room", { "aria-hidden": "true" }); // as tall as the stage
    this.root.append(this.grid, this.legend, this.room);
    this.dials = [];
    host.append(this.root);
    this.onDrag = ({ detail }) => { if (this.channel && detail.channel === this.channel) this.turn(detail.value); };
    this.onTake = ({ detail }) => this.giveTo(detail);
    window.addEventListener("alibi-viz:drag", this.onDrag);
    window.addEventListener("alibi-viz:take", this.onTake);
    this.observer = new ResizeObserver(() => this.arrange());
    for (const part of [this.root, this.room]) this.observer.observe(part);
  }

  close() {
    window.removeEventListener("alibi-viz:drag", this.onDrag);
    window.removeEventListener("alibi-viz:take", this.onTake);
    this.observer.disconnect();
    this.root.remove();
  }

  update({ data }) {
    const { turns, trained, names, captions, legend, label, colours, channel, position } = data;
    Object.assign(this, { turns, trained, channel });
    this.root.setAttribute("aria-label", label);
    this.root.style.setProperty("--hand", colours.hand);
    this.root.style.setProperty("--beyond", colours.beyond);
    this.legend.replaceChildren(...Object.entries(legend).map(([kind, text]) => make("span", `key ${kind}`, {}, text)));
    while (this.dials.length < turns.length) this.dials.push(this.dial(this.dials.length));
    while (this.dials.length > turns.length) this.dials.pop().box.remove();
    this.dials.forEach(({ box, title, known, caption }, pair) => {
      box.classList.toggle("part", trained[pair] < 1);
      title.textContent = names[pair];
      caption.textContent = captions[pair];
      known.setAttribute("d", sector(0, trained[pair]));
    });
    this.turn(position);
    this.arrange();
  }

  dial(pair) {
    const box = make("div", "dial"), svg = makeSvg("svg", { viewBox: "0 0 40 40" }), title = makeSvg("title");
    const known = makeSvg("path", { class: "known" }), beyond = makeSvg("path", { class: "beyond" });
    const face = makeSvg("circle", { cx: 20, cy: 20, r: 18, class: "face" });
    const noon = makeSvg("line", { x1: 20, y1: 2, x2: 20, y2: 4.5, class: "noon" });
    const hand = makeSvg("line", { x1: 20, y1: 20, x2: 20, y2: 4, class: "hand" });
    const pin = makeSvg("circle", { cx: 20, cy: 20, r: 1.5, class: "pin" });
    const number = makeSvg("text", { x: 0.5, y: 5, class: "number" }), caption = make("div", "caption");
    number.textContent = pair;
    svg.append(title, known, beyond, face, noon, hand, pin, number);
    box.append(svg, caption);
    this.grid.append(box);
    return { box, svg, title, known, beyond, hand, caption };
  }

  turn(position) {
    this.root.dataset.position = position;
    this.dials.forEach(({ box, hand, beyond }, pair) => {
      const turns = position * this.turns[pair], trained = this.trained[pair];
      const past = trained < 1 && turns > trained * (1 + 1e-12); // equal but for rounding, as in Python
      box.classList.toggle("past", past);
      beyond.setAttribute("d", past ? sector(trained, Math.min(turns, 1)) : "");
      hand.setAttribute("transform", `rotate(${(360 * (turns - Math.floor(turns))).toFixed(2)} 20 20)`);
    });
  }

  /** The dials with their captions and the legend as parts of one SVG picture, for what is taken away from the page. */
  giveTo({ stage, pictures }) {
    if (!stage.contains(this.root.getRootNode().host ?? this.root)) return;
    const { left, top, width, height } = this.root.getBoundingClientRect(), nodes = [];
    const at = (element) => {
      const box = element.getBoundingClientRect();
      return { x: box.left - left, y: box.top - top, width: box.width, height: box.height };
    };
    for (const { svg, caption } of this.dials) {
      nodes.push(setAttributes(withLook(svg), at(svg)), written(caption, at(caption)));
    }
    for (const key of this.legend.children) {
      const box = at(key), mark = getComputedStyle(key, "::before");
      if (mark.display !== "none") nodes.push(dot(box, mark));
      nodes.push(written(key, { ...box, x: box.x + 17 }));
    }
    pictures.push({ width, height, nodes });
  }

  /** As many dials a row as make them largest, in the width of the page and the height of the stage. */
  arrange() {
    const count = this.dials.length, width = this.root.clientWidth;
    const height = this.room.offsetHeight - this.legend.offsetHeight - GAP;
    if (!count || !width) return;
    let size = 0, across = 1;
    for (let columns = 1; columns <= count; columns++) {
      const rows = Math.ceil(count / columns);
      const fits = Math.min((width - GAP * (columns - 1)) / columns, (height - GAP * (rows - 1)) / rows - CAPTION, LARGEST);
      if (fits > size) [size, across] = [fits, columns];
    }
    this.grid.style.gridTemplateColumns = `repeat(${across}, 1fr)`;
    this.root.style.setProperty("--dial", `${Math.floor(size)}px`);
    this.root.style.setProperty("--caption", `${clamp(0.16 * size, 8.5, 13)}px`);
    this.root.classList.toggle("small", size < NAMED);
  }
}

/** The slice of a dial from one share of a turn to another, as an SVG path. */
function sector(from, to) {
  if (to - from >= 1 - 1e-9) return "M20 2 A18 18 0 1 1 19.99 2 Z";
  const at = (turn) => `${(20 + 18 * Math.sin(2 * Math.PI * turn)).toFixed(3)} ${(20 - 18 * Math.cos(2 * Math.PI * turn)).toFixed(3)}`;
  return `M20 20 L${at(from)} A18 18 0 ${to - from > 0.5 ? 1 : 0} 1 ${at(to)} Z`;
}

const LOOK = ["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-linecap", "opacity", "font-size", "display"];

/** A copy of an SVG element that keeps its look without this page's style sheet. */
function withLook(element) {
  const copy = element.cloneNode(true), copies = copy.querySelectorAll("*");
  element.querySelectorAll("*").forEach((part, index) => {
    const style = getComputedStyle(part);
    for (const name of LOOK) copies[index].style.setProperty(name, style.getPropertyValue(name));
  });
  return copy;
}

/** The text of an element as it stands in its box. */
function written(element, { x, y, width, height }) {
  const style = getComputedStyle(element), middle = style.textAlign === "center";
  const place = { x: middle ? x + width / 2 : x, y: y + height / 2, "text-anchor": middle ? "middle" : "start" };
  const text = makeSvg("text", { ...place, "dominant-baseline": "central", fill: style.color, "font-size": style.fontSize });
  text.textContent = element.textContent;
  return text;
}

/** The mark before a word of the legend. */
function dot({ x, y, height }, mark) {
  const dashed = mark.borderTopStyle === "dashed" ? { stroke: mark.borderTopColor, "stroke-dasharray": "2 2" } : {};
  return makeSvg("circle", { cx: x + 5.5, cy: y + height / 2, r: 5, fill: mark.backgroundColor, ...dashed });
}

export default mounting(Clocks);
