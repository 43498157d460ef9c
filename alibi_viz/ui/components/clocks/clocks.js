// One dial a pair of dimensions; the hand of pair i stands at position x turns[i] full turns, counted from 12 o'clock.

class Clocks {
  constructor(host) {
    this.root = make("div", "clocks", { role: "img" });
    this.dials = [];
    host.append(this.root);
    this.onDrag = ({ detail }) => { if (this.channel && detail.channel === this.channel) this.turn(detail.value); };
    window.addEventListener("alibi-viz:drag", this.onDrag);
  }

  close() {
    window.removeEventListener("alibi-viz:drag", this.onDrag);
    this.root.remove();
  }

  update({ data }) {
    const { turns, full, names, label, colour, channel, position } = data;
    Object.assign(this, { turns, channel });
    this.root.setAttribute("aria-label", label);
    this.root.style.setProperty("--hand", colour);
    while (this.dials.length < turns.length) this.dials.push(this.dial(this.dials.length));
    while (this.dials.length > turns.length) this.dials.pop().box.remove();
    this.dials.forEach(({ box, title }, pair) => {
      box.classList.toggle("part", !full[pair]);
      title.textContent = names[pair];
    });
    this.turn(position);
  }

  dial(pair) {
    const box = makeSvg("svg", { viewBox: "0 0 40 46" }), title = makeSvg("title");
    const number = makeSvg("text", { x: 20, y: 45 });
    const hand = makeSvg("line", { x1: 20, y1: 19, x2: 20, y2: 5, class: "hand" });
    const face = makeSvg("circle", { cx: 20, cy: 19, r: 16.5, class: "face" });
    const noon = makeSvg("line", { x1: 20, y1: 2.5, x2: 20, y2: 4.5, class: "noon" });
    const pin = makeSvg("circle", { cx: 20, cy: 19, r: 1.8, class: "pin" });
    number.textContent = pair;
    box.append(title, face, noon, hand, pin, number);
    this.root.append(box);
    return { box, title, hand };
  }

  turn(position) {
    this.root.dataset.position = position;
    this.dials.forEach(({ hand }, pair) => {
      const turns = position * this.turns[pair];
      hand.setAttribute("transform", `rotate(${(360 * (turns - Math.floor(turns))).toFixed(2)} 20 19)`);
    });
  }
}

export default mounting(Clocks);
