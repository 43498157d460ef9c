// Pointer, keys, cursor and readout of the matrix view, and the module's entry.

Object.assign(View.prototype, {
  /** The panel under an event, and the token cell when the event is inside its plot. */
  hit(event) {
    const figure = event.target.closest?.(".panel");
    if (!figure) return null;
    const index = Number(figure.dataset.index), { base, place } = this.parts.panels[index];
    const box = base.getBoundingClientRect(), { rows, cols } = this.message;
    const x = (event.clientX - box.left - place.left) / place.cellWidth;
    const y = (event.clientY - box.top - place.top) / place.cellHeight;
    const inside = x >= 0 && y >= 0 && x < cols.count && y < rows.count;
    const token = (axis, at) => axis.start + Math.floor(at * axis.step);
    return { index, cell: inside ? { i: token(rows, y), j: token(cols, x) } : null };
  },

  onPointer(event) {
    const hit = this.message && this.hit(event);
    if (!hit) return;
    if (event.type === "pointerdown") this.wasTouch = event.pointerType === "touch";
    if (!hit.cell || this.cursor?.locked) return;
    this.pointed = hit.index;
    this.cursor = { ...hit.cell, locked: false };
    this.showCursor();
  },

  onLeave() {
    if (!this.cursor || this.cursor.locked) return;
    this.cursor = null;
    this.showCursor();
  },

  onClick(event) {
    const hit = this.message && this.hit(event);
    if (!hit) return;
    if (this.message.mode === "pick") {
      this.pick(hit.index);
    } else if (hit.cell) {
      const { cursor } = this;
      this.pointed = hit.index;
      const again = cursor?.locked && this.sampleOf(cursor) === this.sampleOf(hit.cell);
      if (again) this.unlock();
      else this.lock(hit.cell);
    }
  },

  onDoubleClick(event) {
    const hit = this.message?.zoomable && this.hit(event);
    if (hit?.cell) this.trigger("zoom", [hit.cell.i, hit.cell.j, 2]);
  },

  sampleOf({ i, j }) {
    const { rows, cols } = this.message;
    return Math.floor((i - rows.start) / rows.step) * cols.count + Math.floor((j - cols.start) / cols.step);
  },

  lock(cell) {
    this.cursor = { i: cell.i, j: cell.j, locked: true };
    this.showCursor();
    this.tell([cell.i, cell.j]);
  },

  unlock() {
    this.cursor = { ...this.cursor, locked: false };
    this.showCursor();
    this.tell(null);
  },

  /** Tell Python the locked cell; the time makes locking the same cell again something new. */
  tell(cell) {
    clearTimeout(this.reporting);
    this.told = [...this.told.slice(-7), JSON.stringify(cell)];
    this.report("cell", cell ? [...cell, Date.now()] : [Date.now()]);
  },

  pick(index) {
    this.active = this.picked = index;
    this.showPicked();
    this.report("picked", index);
  },

  act(name) {
    const { rows, cols, filename, words } = this.message;
    if (name === "png" || name === "copy") {
      const picture = composePicture(this.parts, this.message, this.values, this.cursor, this.theme);
      if (name === "png") download(picture, filename);
      else copyPicture(picture).then((worked) => { if (worked) this.speak(words.copied); });
      return;
    }
    const middle = (axis) => axis.start + Math.floor((axis.count * axis.step) / 2);
    const at = this.cursor ?? { i: middle(rows), j: middle(cols) };
    this.trigger("zoom", [at.i, at.j, { zoom_in: 2, zoom_out: 0.5, zoom_all: 0 }[name]]);
  },

  onKey(event) {
    if (!this.message || event.altKey || event.ctrlKey || event.metaKey) return;
    const zoom = { "+": "zoom_in", "=": "zoom_in", "-": "zoom_out", 0: "zoom_all" }[event.key];
    const done = zoom && this.message.zoomable ? (this.act(zoom), true)
      : this.message.mode === "pick" ? this.pickKey(event) : this.cellKey(event);
    if (!done) return;
    event.preventDefault();
    event.stopPropagation(); // Streamlit has single-key commands of its own
  },

  pickKey({ key }) {
    const count = this.message.panels.length;
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[key];
    if (step) this.active = Math.min(count - 1, Math.max(0, this.active + step));
    else if (key === "Home") this.active = 0;
    else if (key === "End") this.active = count - 1;
    else if (key === "Enter" || key === " ") this.pick(this.active);
    else return false;
    this.showPicked();
    return true;
  },

  cellKey({ key, shiftKey }) {
    const { rows, cols } = this.message;
    const first = { i: rows.start, j: cols.start };
    const last = { i: rows.start + rows.count * rows.step - 1, j: cols.start + cols.count * cols.step - 1 };
    const far = shiftKey ? 10 : 1, page = Math.max(1, Math.round((last.i - first.i + 1) / 8));
    const { i, j } = this.cursor ?? first;
    if (key === "Enter" || key === " ") {
      if (this.cursor?.locked) this.unlock();
      else this.lock({ i, j });
      return true;
    }
    if (key === "Escape") {
      if (!this.cursor) return false;
      if (this.cursor.locked) this.unlock();
      else this.cursor = null;
      this.showCursor();
      return true;
    }
    const next = {
      ArrowLeft: [i, j - far], ArrowRight: [i, j + far], ArrowUp: [i - far, j], ArrowDown: [i + far, j],
      Home: [i, first.j], End: [i, last.j], PageUp: [i - page, j], PageDown: [i + page, j],
    }[key];
    if (!next) return false;
    const keep = (value, low, high) => Math.min(high, Math.max(low, value));
    const cell = this.cursor ? [keep(next[0], first.i, last.i), keep(next[1], first.j, last.j)] : [i, j];
    this.cursor = { i: cell[0], j: cell[1], locked: Boolean(this.cursor?.locked) };
    this.showCursor();
    clearTimeout(this.reporting);
    if (this.cursor.locked) this.reporting = setTimeout(() => this.tell(cell), REPORT_AFTER);
    return true;
  },

  /** The cursor in every panel, its values beside the titles, and its words below. */
  showCursor() {
    const { parts, message, cursor, theme, ratio } = this;
    if (!this.width) return;
    parts.panels.forEach((part, index) => {
      const ctx = sizeCanvas(part.over, part.place.width, part.place.height, ratio);
      if (cursor) drawCursor(ctx, part.place, cursor, message, theme);
      part.now.textContent = cursor && message.panels[index].size !== "thumb" ? this.valueWord(index) : "";
    });
    if (message.readout) this.showReadout();
  },

  valueWord(index) {
    const value = this.valueAt(index, this.cursor.i, this.cursor.j);
    return value === -Infinity ? this.message.words.masked : formatNumber(value);
  },

  /** A panel's exact value at a token cell: its own where a sample is one token, else the model's. */
  valueAt(index, i, j) {
    const { rows, cols, panels } = this.message, panel = panels[index], head = this.heads[panel.model];
    const sample = this.values[index][this.sampleOf({ i, j })];
    if ((rows.step === 1 && cols.step === 1) || !head || !panel.stage) return sample;
    if (head.causal && j > i && sample === -Infinity) return sample;
    const exact = evaluate(head, panel.stage, i, j);
    return Number.isNaN(exact) ? sample : exact;
  },

  isMasked({ i, j }) {
    const head = this.speaker();
    return head ? head.causal && j > i : this.values[this.pointed]?.[this.sampleOf({ i, j })] === -Infinity;
  },

  speaker() {
    return this.heads[this.message.panels[this.pointed]?.model] ?? this.heads[0] ?? null;
  },

  template({ allowed, masked, empty, ahead }, cursor) {
    if (!cursor) return empty;
    if (this.isMasked(cursor)) return masked;
    return cursor.j > cursor.i && ahead ? ahead : allowed;
  },

  showReadout() {
    const { readout } = this.parts, { cursor, message } = this, { words } = message;
    if (this.pointed >= message.panels.length) this.pointed = 0;
    const template = this.template(message.readout, cursor);
    const line = make("span", "words");
    for (const [text, value] of fillTemplate(template, (name) => this.placeholder(name))) {
      line.append(value ? make("span", "v", text) : text);
    }
    readout.classList.toggle("quiet", !cursor);
    readout.replaceChildren(line);
    if (cursor?.locked) {
      const pin = make("button", "pin", words.locked, { type: "button", title: words.unlock, "aria-label": words.unlock });
      pin.onclick = () => { this.unlock(); this.parts.plots.focus(); };
      readout.prepend(pin);
    }
    this.speak(line.textContent);
  },

  /** Announce, but no faster than it can be listened to. */
  speak(text) {
    this.spoken = text;
    this.speaking ??= setTimeout(() => {
      this.speaking = undefined;
      if (this.parts.live.textContent !== this.spoken) this.parts.live.textContent = this.spoken;
    }, SPOKEN_EVERY);
  },

  /** The words for one placeholder of the readout; undefined for an unknown one. */
  placeholder(name) {
    const { cursor, message } = this, head = this.speaker();
    const label = (axis, at) => axis.names?.[at] ?? axis.labels?.[Math.floor((at - axis.start) / axis.step)]
      ?? message.words.token.replace("{n}", at);
    if (name === "slope" || name === "strength") return head ? formatNumber(head[name]) : "–";
    if (!cursor) return undefined;
    const { i, j } = cursor;
    const fixed = {
      i: () => String(i),
      j: () => String(j),
      query: () => label(message.rows, i),
      key: () => label(message.cols, j),
      distance: () => formatNumber(i - j),
      ahead: () => formatNumber(j - i),
      panel: () => message.panels[this.pointed].title,
      value: () => this.valueWord(this.pointed),
    }[name];
    if (fixed) return fixed();
    const mine = message.panels[this.pointed]?.key === name ? this.pointed : message.panels.findIndex(({ key }) => key === name);
    if (mine >= 0) return formatNumber(this.valueAt(mine, i, j));
    if (!head) return undefined;
    if (["content", "bias", "scores", "masked", "weights"].includes(name)) return formatNumber(evaluate(head, name, i, j));
    if (name === "exp") return formatNumber(Math.exp(evaluate(head, "masked", i, j)));
    if (name !== "sum" && name !== "max") return undefined;
    const { max, sum } = rowStatistics(head, i);
    return formatNumber(name === "max" ? max : sum * Math.exp(max));
  },
});

const views = new WeakMap();

/** Streamlit's entry: called at every update with new data or a new theme; returns what to do when it goes. */
export default function render(component) {
  const { parentElement } = component;
  let view = views.get(parentElement);
  if (!view) views.set(parentElement, (view = new View(parentElement)));
  const { trouble, plots, bar, readout } = view.parts;
  try {
    view.update(component);
    trouble.hidden = true;
    plots.hidden = bar.hidden = false;
  } catch (error) {
    const words = view.message?.words.broken ?? "These matrices could not be drawn: {reason}";
    trouble.textContent = words.replace("{reason}", error.message);
    trouble.hidden = false;
    plots.hidden = bar.hidden = readout.hidden = true;
    console.error(error);
  }
  return () => {
    views.get(parentElement)?.close();
    views.delete(parentElement);
  };
}
