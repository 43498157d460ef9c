// The matrix view itself: state, events, preview. One View an element; Streamlit calls the default export at every update.

const TOLERANCE = 1e-5; // beyond this, preview and PyTorch disagree (relative to max(1, |value|): float32 rounds large numbers)
const RELEASE_PATIENCE = 8000; // ms after release in which the released value is still awaited
const SPOKEN_EVERY = 700; // ms between two announcements to a screen reader
const REPORT_AFTER = 150; // ms without a key press before a locked cell moved by keys is reported
const same = (a, b) => a !== null && b !== null && Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a), Math.abs(b));

class View {
  constructor(host) {
    this.parts = buildView(host);
    this.message = null;
    this.values = []; // what is painted, one array a panel
    this.buffers = [];
    this.cursor = null; // {i, j, locked}, tokens
    this.pointed = 0; // the panel whose model the readout speaks of
    this.active = 0; // pick mode: the panel the arrow keys stand on
    this.obeyed = undefined;
    this.told = [];
    this.drag = null; // {value, released}: the newest dragged value Python has not answered
    this.off = new AbortController();
    this.listen();
  }

  listen() {
    const { plots, root } = this.parts, { signal } = this.off;
    plots.addEventListener("pointermove", (event) => this.onPointer(event), { signal });
    plots.addEventListener("pointerdown", (event) => this.onPointer(event), { signal });
    plots.addEventListener("pointerleave", () => this.onLeave(), { signal });
    plots.addEventListener("click", (event) => this.onClick(event), { signal });
    plots.addEventListener("dblclick", (event) => this.onDoubleClick(event), { signal });
    plots.addEventListener("keydown", (event) => this.onKey(event), { signal });
    window.addEventListener("alibi-viz:drag", (event) => this.onDrag(event.detail), { signal });
    this.observer = new ResizeObserver(() => this.onResize());
    this.observer.observe(root);
  }

  close() {
    this.off.abort();
    this.observer.disconnect();
    cancelAnimationFrame(this.frame);
    for (const timer of [this.speaking, this.reporting, this.patience]) clearTimeout(timer);
    this.parts.root.remove();
  }

  /** New data from Python, or a new theme. */
  update(component) {
    this.report = component.setStateValue;
    this.trigger = component.setTriggerValue;
    if (component.data !== this.data) this.read(component.data);
    this.theme = readTheme(this.parts.root);
    this.arrange();
    this.paint();
  }

  read(data) {
    const message = decode(data), { parts } = this, pick = message.mode === "pick";
    const shape = JSON.stringify([message.panels.map((panel) => panel.size), message.mode, message.zoomable, message.words]);
    if (shape !== this.shape) {
      buildTools(parts, message, (name) => this.act(name));
      buildPanels(parts, message);
      this.shape = shape;
    }
    [this.data, this.message] = [data, message];
    parts.root.classList.toggle("pick", pick);
    parts.plots.setAttribute("role", pick ? "listbox" : "application");
    parts.plots.setAttribute("aria-label", pick ? message.words.pick_label : message.words.label);
    message.panels.forEach((panel, index) => this.describe(parts.panels[index], panel, index));
    const cells = message.rows.count * message.cols.count;
    this.buffers = message.panels.map((panel, index) => (
      this.buffers[index]?.length === cells ? this.buffers[index] : new Float32Array(cells)));
    parts.readout.hidden = !message.readout;
    this.obey(message);
    this.settle(message);
  }

  describe(part, panel, index) {
    const { mode, picked } = this.message;
    part.title.textContent = panel.title;
    part.caption.textContent = panel.caption;
    part.base.setAttribute("aria-hidden", "true");
    if (mode !== "pick") return;
    part.figure.id = `panel-${index}`;
    part.figure.setAttribute("role", "option");
    part.figure.setAttribute("aria-label", panel.title);
    if (index === 0 && picked !== null && picked !== undefined && picked !== this.picked) this.active = picked;
    if (index === 0) this.picked = picked;
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

  /** Follow the page's cursor when it changes, unless it is only the echo of what was told to Python. */
  obey({ cursor, rows, cols }) {
    const name = JSON.stringify(cursor ?? null), first = this.obeyed === undefined;
    if (name !== this.obeyed && !this.told.includes(name)) {
      if (cursor) this.cursor = { i: cursor[0], j: cursor[1], locked: true };
      else if (!first && this.cursor?.locked) this.cursor = null;
    }
    this.obeyed = name;
    if (!this.cursor) return;
    const inside = (axis, at) => at >= axis.start && at < axis.start + axis.count * axis.step;
    if (!inside(rows, this.cursor.i) || !inside(cols, this.cursor.j)) this.cursor = null;
  }

  /** Python's numbers have come: take them, unless a newer dragged value is still on its way. */
  settle(message) {
    const { drag } = this;
    const answered = drag && same(message.value, drag.value);
    const given = drag && (message.value === null || message.channel === null || (drag.released && performance.now() > drag.until));
    if (drag && !answered && !given) {
      this.compute(drag.value);
      return;
    }
    this.gap = answered ? this.compare(message) : null;
    if (answered && !drag.released) drag.done = true;
    else this.drag = null;
    this.showPython();
  }

  showPython() {
    this.source = "python";
    this.shown = this.message.value;
    this.values = this.message.panels.map((panel) => panel.values);
    this.heads = this.message.models;
  }

  /** The browser's own numbers for Python's value against Python's. */
  compare(message) {
    let found = null;
    message.panels.forEach((panel, index) => {
      const head = this.head(panel.model, message.value);
      // A pooled sample has no single value to compare with.
      if (message.rows.step > 1 || message.cols.step > 1 || !canPreview(head, panel.stage, message)) return;
      const gap = difference(preview(head, panel.stage, message, this.buffers[index], panel.values), panel.values);
      found ??= { absolute: 0, relative: 0 };
      found.absolute = Math.max(found.absolute, gap.absolute);
      found.relative = Math.max(found.relative, gap.relative);
    });
    return found;
  }

  head(index, value) {
    const head = index === null || index === undefined ? null : this.message.models[index];
    return head && withParam(head, this.message.param, value);
  }

  /** Preview every panel that can be previewed; the others keep Python's last numbers. */
  compute(value) {
    const { message } = this;
    this.source = "preview";
    this.shown = value;
    this.gap = null;
    this.heads = message.models.map((_, index) => this.head(index, value));
    this.values = message.panels.map((panel, index) => {
      const head = this.heads[panel.model] ?? null;
      return canPreview(head, panel.stage, message)
        ? preview(head, panel.stage, message, this.buffers[index], panel.values) : panel.values;
    });
  }

  onDrag({ channel, value, phase }) {
    if (!this.message || channel === null || channel !== this.message.channel || !Number.isFinite(value)) return;
    clearTimeout(this.patience);
    if (phase === "sync") { // the value was set elsewhere: what Python sent is right
      this.drag = null;
      if (this.source === "preview") { this.showPython(); this.schedule(); }
      return;
    }
    const released = phase === "release";
    if (this.drag && same(this.drag.value, value)) {
      this.drag.released = released;
      if (this.drag.done && released) this.drag = null;
    } else if (this.source === "python" && same(this.message.value, value)) {
      this.drag = null;
      return;
    } else this.drag = { value, released, done: false };
    if (this.drag && released) this.awaitPython();
    if (this.drag && !this.drag.done) this.schedule();
  }

  /** A released value that Python never answers (it was refused, or the page ignores it) must not stay on the screen. */
  awaitPython() {
    this.drag.until = performance.now() + RELEASE_PATIENCE;
    this.patience = setTimeout(() => {
      if (!this.drag?.released) return;
      this.drag = null;
      this.showPython();
      this.schedule();
    }, RELEASE_PATIENCE);
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
    const width = this.parts.root.clientWidth;
    if (!this.message || !width || width === this.width) return;
    this.arrange();
    this.paint(false);
  }

  /** Grid columns and canvas places for the present width. */
  arrange() {
    const { parts, message } = this;
    this.width = parts.root.clientWidth;
    if (!this.width) return;
    this.arranged = false;
    this.ratio = Math.max(1, window.devicePixelRatio || 1);
    const cache = new Map();
    for (const run of parts.runs) {
      const { across, gap, each } = columnsFor(run.size, run.count, this.width);
      run.element.style.gridTemplateColumns = `repeat(${across}, ${each}px)`;
      run.element.style.columnGap = `${gap}px`;
      run.each = each;
      cache.set(run.size, layOut(probe, message, run.size, each, this.theme));
    }
    parts.panels.forEach((part, index) => {
      part.place = cache.get(message.panels[index].size);
      part.scale.style.paddingLeft = `${part.place.left}px`;
      part.scale.style.width = `${part.place.width - 1}px`;
    });
  }

  paint(announce = true) {
    const { parts, message, theme, ratio } = this;
    if (!this.width) return;
    parts.panels.forEach((part, index) => {
      const panel = message.panels[index], { place } = part;
      fillImage(part, panel, this.values[index], message, theme.dark);
      const ctx = sizeCanvas(part.base, place.width, place.height, ratio, !this.arranged);
      const draw = this.arranged ? drawPlot : drawPanel; // ticks and labels stay while only values change
      if (this.arranged) ctx.clearRect(place.left - 1, place.top - 1, place.plotWidth + 2, place.plotHeight + 2);
      draw(ctx, place, panel, part.image, message, theme, ratio);
      this.paintScale(part, panel, this.values[index]);
    });
    this.arranged = true;
    this.showBadge();
    this.showCursor();
    if (announce) {
      const detail = { key: message.key, value: this.shown, source: this.source, at: performance.now() };
      window.dispatchEvent(new CustomEvent("alibi-viz:painted", { detail }));
    }
  }

  paintScale(part, panel, values) {
    const extent = range(values), thumb = panel.size === "thumb", { plotWidth } = part.place;
    const ctx = sizeCanvas(part.strip, plotWidth, thumb ? 11 : 14, this.ratio);
    drawBar(ctx, 0, 3, plotWidth, thumb ? 5 : 8, panel, extent, this.theme);
    const [low, high] = [formatNumber(panel.low, 3), formatNumber(panel.high, 3)];
    const found = extent ? extent.map((end) => formatNumber(end, 3)) : ["–", "–"];
    // A thumb has room for two numbers: the real ones. Its domain is in the title.
    part.low.textContent = thumb ? found[0] : low;
    part.high.textContent = thumb ? found[1] : high;
    part.extent.textContent = thumb ? "" : `min ${found[0]} · max ${found[1]}`;
    part.scale.title = `${low} … ${high}`;
  }

  showBadge() {
    const { badge } = this.parts, { words, channel } = this.message, { gap } = this;
    badge.hidden = channel === null;
    const preview = this.source === "preview";
    badge.textContent = preview ? words.preview
      : gap ? words.differed.replace("{difference}", gap.absolute === 0 ? "0" : formatNumber(gap.absolute, 3)) : words.python;
    badge.classList.toggle("preview", preview);
    badge.classList.toggle("off", !preview && Boolean(gap) && !(gap.relative <= TOLERANCE));
    if (gap) badge.dataset.difference = String(gap.absolute);
    else delete badge.dataset.difference;
  }
}
