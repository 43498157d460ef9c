// One dial a pair of dimensions; the hand of pair i stands at position x turns[i] full turns, counted from 12 o'clock.

const SVG = "http://www.w3.org/2000/svg";

function shape(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

class Clocks {
  constructor(host) {
    this.off = new AbortController();
    this.root = document.createElement("div");
    this.root.className = "clocks";
    this.root.setAttribute("role", "img");
    host.append(this.root);
    this.dials = [];
    window.addEventListener("alibi-viz:drag", (event) => this.onDrag(event.detail), { signal: this.off.signal });
  }

  close() {
    this.off.abort();
    this.root.remove();
  }

  update({ data }) {
    this.data = data;
    this.root.setAttribute("aria-label", data.label);
    this.root.style.setProperty("--hand", data.colour);
    while (this.dials.length < data.turns.length) this.dials.push(this.dial(this.dials.length));
    while (this.dials.length > data.turns.length) this.dials.pop().box.remove();
    this.dials.forEach((dial, pair) => {
      dial.box.classList.toggle("part", !data.full[pair]);
      dial.title.textContent = data.names[pair];
    });
    this.turn(data.position);
  }

  dial(pair) {
    const box = shape("svg", { viewBox: "0 0 40 46" });
    const title = shape("title", {});
    const hand = shape("line", { x1: 20, y1: 19, x2: 20, y2: 5, class: "hand" });
    const number = shape("text", { x: 20, y: 45 });
    number.textContent = pair;
    box.append(title, shape("circle", { cx: 20, cy: 19, r: 16.5, class: "face" }),
      shape("line", { x1: 20, y1: 2.5, x2: 20, y2: 4.5, class: "noon" }), hand,
      shape("circle", { cx: 20, cy: 19, r: 1.8, class: "pin" }), number);
    this.root.append(box);
    return { box, title, hand };
  }

  turn(position) {
    this.root.dataset.position = position;
    this.dials.forEach(({ hand }, pair) => {
      const turns = position * this.data.turns[pair];
      hand.setAttribute("transform", `rotate(${(360 * (turns - Math.floor(turns))).toFixed(2)} 20 19)`);
    });
  }

  onDrag({ channel, value }) {
    if (this.data && this.data.channel !== null && channel === this.data.channel) this.turn(value);
  }
}

const shown = new WeakMap();

/** Streamlit's entry: called at every update; returns what to do when the clocks go. */
export default function render(component) {
  const { parentElement } = component;
  let clocks = shown.get(parentElement);
  if (!clocks) shown.set(parentElement, (clocks = new Clocks(parentElement)));
  clocks.update(component);
  return () => {
    shown.get(parentElement)?.close();
    shown.delete(parentElement);
  };
}
