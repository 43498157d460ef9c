// Thumbnails: panels of which one is chosen, by a click or with keys.

import { computeLayout } from "./draw.js";
import { MatrixView } from "./matrix.js";
import { gridBeside } from "./parts.js";
import { probe, typeSize } from "../plot.js";
import { clamp } from "../shared.js";

export class Thumbnails extends MatrixView {
  active = 0; // the one that the arrow keys stand on

  receive(data) {
    super.receive(data);
    const { root, plots, message: { picked, words } } = this;
    root.classList.add("pick");
    plots.setAttribute("role", "listbox");
    plots.setAttribute("aria-label", words.pick_label);
    this.active = picked ?? 0;
    this.showPicked();
  }

  showPicked() {
    const { picked } = this.message;
    this.panels.forEach(({ figure }, index) => {
      figure.classList.toggle("picked", index === picked);
      figure.classList.toggle("active", index === this.active);
      figure.setAttribute("aria-selected", String(index === picked));
    });
    this.plots.setAttribute("aria-activedescendant", `panel-${this.active}`);
  }

  /** The chosen head is a hand too: its frame moves with it. */
  follow() {
    super.follow();
    const head = Number(this.owner.hands.values.head);
    if (head >= 1 && head <= this.message.panels.length) this.choose(head - 1);
  }

  choose(index) {
    this.message.picked = this.active = index;
    this.showPicked();
  }

  pick(index) {
    this.choose(index);
    this.owner.pick(index);
  }

  onClick(event) {
    const figure = event.target.closest?.(".panel");
    if (figure) this.pick(Number(figure.dataset.index));
  }

  useKey({ key }) {
    const count = this.message.panels.length;
    const step = { ArrowLeft: -1, ArrowUp: -this.across, ArrowRight: 1, ArrowDown: this.across }[key];
    if (step) this.active = clamp(this.active + step, 0, count - 1);
    else if (key === "Home") this.active = 0;
    else if (key === "End") this.active = count - 1;
    else if (key === "Enter" || key === " ") this.pick(this.active);
    else return false;
    return this.showPicked();
  }

  /** Beside the stage's matrix: as large as the place has room for, in a place of their own. */
  arrange() {
    if (this.message.size !== "beside") return super.arrange();
    this.showTabs();
    const { message, width, plots, ruler } = this;
    const title = Math.ceil(1.3 * typeSize(this.theme)),
      place = [message.panels.length, width - 8, ruler.offsetHeight - 8];
    const named = gridBeside(...place, title), isBare = named.each < 2 * title; // too small for their numbers
    const grid = isBare ? gridBeside(...place, 0) : named;
    plots.classList.toggle("bare", isBare);
    this.setGrid(grid);
    this.layout = { ...computeLayout(probe, message, grid.each, this.theme, grid.each), fits: true };
    return undefined;
  }
}
