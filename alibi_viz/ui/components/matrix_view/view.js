// The matrix view itself: state, events, preview. One View an element.

const TOLERANCE = 1e-5; // relative to max(1, |value|), as float32 rounds: beyond it, preview and PyTorch disagree
const RELEASE_PATIENCE = 8000; // ms after release in which the released value is still awaited
const SCALE = 40; // pixels of a colour bar and its numbers
const EXTENT_FROM = 200; // pixels of a matrix under which there is room for its real minimum and maximum too
const SPOKEN_EVERY = 700; // ms between two announcements to a screen reader
const REPORT_AFTER = 150; // ms without a key press before a locked cell moved by keys is reported
const same = (a, b) => a !== null && b !== null && Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));

class View {
  constructor(host) {
    this.parts = buildView(host);
    this.message = null;
    this.values = []; // what is painted, one array a panel
    this.buffers = []; // where previews are computed, one a panel
    this.cursor = null; // {i, j, locked}, tokens
    this.pointed = 0; // the panel whose model the readout speaks of
    this.active = 0; // of thumbnails: the one the arrow keys stand on
    this.drag = null; // {value, released, done}: the newest dragged value; done when Python has answered it
    this.off = new AbortController();
    const { plots, root } = this.parts, { signal } = this.off;
    const listeners = {
      pointermove: "onPointer", pointerdown: "onPointer", pointerleave: "onLeave",
      click: "onClick", dblclick: "onDoubleClick", keydown: "onKey",
    };
    for (const [kind, method] of Object.entries(listeners)) {
      plots.addEventListener(kind, (event) => { if (this.message) this[method](event); });
    }
    window.addEventListener("alibi-viz:drag", (event) => this.onDrag(event.detail), { signal });
    this.observer = new ResizeObserver(() => this.onResize());
    for (const part of [root, this.parts.room]) this.observer.observe(part);
  }

  close() {
    this.off.abort();
    this.observer.disconnect();
    cancelAnimationFrame(this.frame);
    for (const timer of [this.speaking, this.reporting, this.patience]) clearTimeout(timer);
    this.parts.root.remove();
  }

  /** New data from Python, or a new theme. What cannot be drawn is said where the panels would stand. */
  update(component) {
    const { trouble, plots, bar, readout } = this.parts;
    this.report = component.setStateValue;
    this.trigger = component.setTriggerValue;
    try {
      if (component.data !== this.data) this.read(component.data);
      this.theme = readTheme(this.parts.root);
      this.arrange();
      this.paint();
      trouble.hidden = true;
      plots.hidden = bar.hidden = false;
    } catch (error) {
      const sentence = this.message?.words.broken ?? "These matrices could not be drawn: {reason}";
      trouble.textContent = sentence.replace("{reason}", error.message);
      trouble.hidden = false;
      plots.hidden = bar.hidden = readout.hidden = true;
      console.error(error);
    }
  }

  read(data) {
    const message = decode(data), { parts } = this, { rows, cols, panels, words } = message;
    const shape = JSON.stringify([panels.length, message.size, message.zoomable, words]);
    if (shape !== this.shape) {
      buildTools(parts, message, (name) => this.act(name));
      buildPanels(parts, message);
      this.shape = shape;
    }
    this.pickable = message.picked !== null;
    [this.data, this.message] = [data, message];
    parts.root.classList.toggle("pick", this.pickable);
    parts.plots.setAttribute("role", this.pickable ? "listbox" : "application");
    parts.plots.setAttribute("aria-label", this.pickable ? words.pick_label : words.label);
    parts.readout.hidden = !message.readout;
    panels.forEach((panel, index) => {
      parts.panels[index].title.textContent = panel.title;
      parts.panels[index].caption.textContent = panel.caption;
    });
    if (this.pickable) this.describePanels(message);
    const cells = rows.count * cols.count;
    if (this.buffers[0]?.length !== cells) this.buffers = [];
    this.buffers = panels.map((_, index) => this.buffers[index] ?? new Float32Array(cells));
    const inside = (axis, token) => token >= axis.start && token < axis.start + axis.count * axis.step;
    if (this.cursor && !(inside(rows, this.cursor.i) && inside(cols, this.cursor.j))) this.cursor = null;
    this.settle(message);
  }

  describePanels({ panels, picked }) {
    this.parts.panels.forEach(({ figure }, index) => {
      figure.id = `panel-${index}`;
      figure.setAttribute("role", "option");
      figure.setAttribute("aria-label", panels[index].title);
    });
    if (picked !== this.picked) this.active = picked;
    this.picked = picked;
    this.showPicked();
  }

  showPicked() {
    this.parts.panels.forEach(({ figure }, index) => {
      figure.classList.toggle("picked", index === this.picked);
      figure.classList.toggle("active", index === this.active);
      figure.setAttribute("aria-selected", String(index === this.picked));
    });
    this.parts.plots.setAttribute("aria-activedescendant", `panel-${this.active}`);
  }

  /** Python's numbers have come: take them, unless a newer dragged value is still on its way. */
  settle(message) {
    const { drag } = this, answered = drag && same(message.value, drag.value);
    if (drag && !answered && message.value !== null && message.channel !== null) return this.compute(drag.value);
    this.gap = answered ? this.compare(message) : null;
    if (answered && !drag.released) drag.done = true;
    else this.drag = null;
    return this.showPython();
  }

  showPython() {
    const { panels, models: heads, value: shown } = this.message;
    Object.assign(this, { source: "python", shown, heads, values: panels.map((panel) => panel.values) });
  }

  /** Python's numbers again, in place of a preview. */
  endDrag() {
    this.drag = null;
    if (this.source !== "preview") return;
    this.showPython();
    this.schedule();
  }

  /** The browser's own numbers for a value, and the heads that gave them; null for a panel that it cannot compute. */
  previewAt(value) {
    const { message, buffers } = this, heads = message.models.map((head) => withStrength(head, value));
    const previews = message.panels.map(({ model, stage, values }, index) => (
      canPreview(heads[model], stage, message) ? preview(heads[model], stage, message, buffers[index], values) : null));
    return { heads, previews };
  }

  /** Those numbers for Python's value against Python's; null where nothing can be compared. */
  compare({ panels, rows, cols, value }) {
    if (rows.step > 1 || cols.step > 1) return null; // a pooled sample has no single value to compare with
    const { previews } = this.previewAt(value);
    const gaps = previews.flatMap((ours, index) => (ours ? difference(ours, panels[index].values) : []));
    const largest = (kind) => Math.max(...gaps.map((gap) => gap[kind]));
    return gaps.length ? { absolute: largest("absolute"), relative: largest("relative") } : null;
  }

  /** Preview every panel that can be previewed; the others keep Python's last numbers. */
  compute(shown) {
    const { heads, previews } = this.previewAt(shown);
    const values = previews.map((ours, index) => ours ?? this.message.panels[index].values);
    Object.assign(this, { source: "preview", shown, gap: null, heads, values });
  }

  onDrag({ channel, value, phase }) {
    if (!this.message || channel === null || channel !== this.message.channel || !Number.isFinite(value)) return;
    clearTimeout(this.patience);
    const released = phase === "release";
    if (phase === "sync") this.endDrag(); // the value was set elsewhere: what Python sent is right
    else if (this.drag && same(this.drag.value, value)) {
      this.drag.released = released;
      if (this.drag.done && released) this.drag = null;
    } else if (this.source === "python" && same(this.message.value, value)) this.drag = null;
    else this.drag = { value, released, done: false };
    if (!this.drag) return;
    if (!this.drag.done) this.schedule();
    // A released value that Python never answers (refused, or ignored by the page) must not stay on the screen.
    if (released) this.patience = setTimeout(() => { if (this.drag?.released) this.endDrag(); }, RELEASE_PATIENCE);
  }

  /** At most one computation and painting a frame. */
  schedule() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      if (this.drag && !this.drag.done) this.compute(this.drag.value);
      this.paint();
    });
  }

  onResize() {
    const width = this.parts.root.clientWidth, height = this.parts.room.offsetHeight;
    if (!this.message || !width || (width === this.width && height === this.height)) return;
    this.arrange();
    this.paint(false);
  }

  /** Grid columns and the layout of a panel's canvas for the present width. */
  arrange() {
    const { parts, message } = this;
    this.width = parts.root.clientWidth;
    this.height = parts.room.offsetHeight;
    if (!this.width) return;
    this.arranged = false;
    this.ratio = Math.max(1, window.devicePixelRatio || 1);
    const { across, gap, each } = columnsFor(message.size, message.panels.length, this.width);
    const grid = { gridTemplateColumns: `repeat(${across}, ${each}px)`, columnGap: `${gap}px` };
    // The gap of rows would also part a panel's title from its plot where the caption between them is low.
    Object.assign(parts.plots.style, grid, { rowGap: message.panels.length > across ? "" : "0" });
    this.layout = computeLayout(probe, message, each, this.theme, this.roomFor(message, across));
    const place = { paddingLeft: `${this.layout.left}px`, width: `${this.layout.width - 1}px` };
    for (const { scale } of parts.panels) Object.assign(scale.style, place);
  }

  /** On a stage: how tall a panel's canvas may be, beside all that stands above and below it. */
  roomFor({ size }, across) {
    if (size !== "stage") return Infinity;
    const { room, root, plots, panels } = this.parts, rows = Math.ceil(panels.length / across);
    const words = Math.max(...panels.map(({ title, caption }) => title.parentElement.offsetHeight + caption.offsetHeight));
    const others = root.offsetHeight - plots.offsetHeight + (words + SCALE) * rows + 28 * (rows - 1) + 8; // 28: the grid's gap
    return (room.offsetHeight - others) / rows;
  }

  paint(announce = true) {
    const { parts, message, theme, ratio, layout } = this;
    if (!this.width) return;
    parts.panels.forEach((part, index) => {
      const panel = message.panels[index];
      fillImage(part, panel, this.values[index], message, theme.dark);
      const ctx = sizeCanvas(part.base, layout.width, layout.height, ratio, !this.arranged);
      const draw = this.arranged ? drawPlot : drawPanel; // ticks and labels stay while only values change
      if (this.arranged) ctx.clearRect(layout.left - 1, layout.top - 1, layout.plotWidth + 2, layout.plotHeight + 2);
      draw(ctx, layout, part.image, message, theme, ratio);
      this.paintScale(part, panel, this.values[index]);
    });
    this.arranged = true;
    this.showBadge();
    this.showCursor();
    if (!announce) return;
    const detail = { key: message.key, value: this.shown, source: this.source, at: performance.now() };
    window.dispatchEvent(new CustomEvent("alibi-viz:painted", { detail }));
  }

  paintScale(part, panel, values) {
    const extent = range(values), { named, plotWidth } = this.layout;
    const ctx = sizeCanvas(part.strip, plotWidth, named ? 14 : 11, this.ratio);
    drawBar(ctx, 0, 3, plotWidth, named ? 8 : 5, panel, extent, this.theme);
    const [low, high] = [panel.low, panel.high].map((end) => formatNumber(end, 3));
    const [least, most] = extent ? extent.map((end) => formatNumber(end, 3)) : ["–", "–"];
    // A thumbnail has room for two numbers: the real ones. Its domain is in the title.
    part.low.textContent = named ? low : least;
    part.high.textContent = named ? high : most;
    part.extent.textContent = named && plotWidth >= EXTENT_FROM ? `min ${least} · max ${most}` : "";
    part.scale.title = `${low} … ${high}`;
  }

  showBadge() {
    const { badge } = this.parts, { words, channel } = this.message, { gap } = this;
    badge.hidden = channel === null;
    const preview = this.source === "preview";
    badge.textContent = preview ? words.preview
      : gap ? words.differed.replace("{difference}", formatNumber(gap.absolute, 3)) : words.python;
    badge.classList.toggle("preview", preview);
    badge.classList.toggle("off", !preview && Boolean(gap) && !(gap.relative <= TOLERANCE));
    if (gap) badge.dataset.difference = String(gap.absolute);
    else delete badge.dataset.difference;
  }
}
