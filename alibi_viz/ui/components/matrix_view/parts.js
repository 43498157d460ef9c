// Elements of the matrix view, its toolbar and the exported picture.

const ICONS = {
  zoom_in: "M7 2.5v9M2.5 7h9",
  zoom_out: "M2.5 7h9",
  zoom_all: "M2 5V2h3M9 2h3v3M12 9v3H9M5 12H2V9",
};

/** Everything of one view that outlives an update. */
function buildView(host) {
  const root = make("div", "mv"), bar = make("div", "bar");
  const parts = {
    trouble: make("div", "trouble", { role: "alert", hidden: "" }),
    badge: make("span", "badge", { role: "status", hidden: "" }),
    tools: make("div", "tools"),
    plots: make("div", "plots", { tabindex: "0" }),
    readout: make("div", "readout"),
    live: make("div", "live", { "aria-live": "polite" }),
    room: make("div", "room", { "aria-hidden": "true" }), // as tall as the stage
  };
  bar.append(parts.badge, parts.tools);
  root.append(parts.trouble, bar, parts.plots, parts.readout, parts.live, parts.room);
  host.append(root);
  return { ...parts, root, bar, panels: [] };
}

/** The toolbar's buttons; `act` is called with the button's name. */
function buildTools(parts, { words, zoomable }, act) {
  const names = zoomable ? ["zoom_in", "zoom_out", "zoom_all", "png"] : ["png"];
  if (navigator.clipboard?.write && typeof ClipboardItem === "function") names.push("copy");
  parts.tools.replaceChildren(...names.map((name) => {
    const title = words[`${name}_title`] ?? words[name];
    const button = make("button", `tool ${name}`, { type: "button", title, "aria-label": title });
    if (ICONS[name]) {
      const icon = makeSvg("svg", { viewBox: "0 0 14 14", "aria-hidden": "true" });
      icon.append(makeSvg("path", { d: ICONS[name] }));
      button.append(icon);
    } else button.append(make("span", "", {}, words[name]));
    button.onclick = () => act(name);
    return button;
  }));
}

/** All panels in one grid, so that titles and plots of a row stand level. */
function buildPanels(parts, message) {
  parts.panels = message.panels.map((_, index) => buildPanel(index));
  parts.plots.replaceChildren(...parts.panels.map((part) => part.figure));
  parts.plots.classList.toggle("thumb", message.size === "thumb");
}

function buildPanel(index) {
  const part = {
    figure: make("figure", "panel", { "data-index": index }),
    title: make("span", "title"),
    now: make("span", "now"),
    caption: make("div", "caption"),
    plot: make("div", "plot"),
    base: make("canvas", "base", { "aria-hidden": "true" }),
    over: make("canvas", "over"),
    scale: make("div", "scale"),
    strip: make("canvas", "strip"),
    low: make("span"),
    extent: make("span", "extent"),
    high: make("span"),
    image: make("canvas"), // one pixel a sample
  };
  const head = make("figcaption", "head"), ends = make("div", "ends");
  head.append(part.title, part.now);
  part.plot.append(part.base, part.over);
  ends.append(part.low, part.extent, part.high);
  part.scale.append(part.strip, ends);
  part.figure.append(head, part.caption, part.plot, part.scale);
  return part;
}

/** A new picture of `values` on the panel's hidden canvas of one pixel a sample. */
function fillImage(part, panel, values, message, dark) {
  const { image } = part, { rows, cols } = message;
  if (image.width !== cols.count || image.height !== rows.count || !part.pixels) {
    Object.assign(image, { width: cols.count, height: rows.count });
    part.pixels = image.getContext("2d").createImageData(cols.count, rows.count);
    part.words = new Uint32Array(part.pixels.data.buffer);
  }
  colourize(panel, values, colours(panel.quantity, dark), part.words);
  image.getContext("2d").putImageData(part.pixels, 0, 0);
}

/** Give a canvas a size in CSS pixels; returns its context, scaled and (unless told otherwise) cleared. */
function sizeCanvas(canvas, width, height, ratio, clear = true) {
  const wide = Math.round(width * ratio), high = Math.round(height * ratio);
  if (canvas.width !== wide || canvas.height !== high) {
    Object.assign(canvas, { width: wide, height: high });
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
  }
  const ctx = canvas.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  if (clear) ctx.clearRect(0, 0, width, height);
  return ctx;
}

/** Columns of a grid of this width, and how wide each is. Full rows are preferred to a ragged last one. */
function columnsFor(size, count, width) {
  const { least, most, gap } = SIZES[size];
  const fit = Math.max(1, Math.min(count, Math.floor((width + gap) / (least + gap))));
  const across = Math.ceil(count / Math.ceil(count / fit));
  return { across, gap, each: Math.floor(Math.min(most, (width - gap * (across - 1)) / across)) };
}

/** Break text into lines no wider than `width`. */
function wrap(ctx, text, width) {
  const lines = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const longer = lines.length ? `${lines.at(-1)} ${word}` : word;
    if (lines.length && ctx.measureText(longer).width <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

/** The whole view as one canvas at twice the size: panels where they stand on the page, on the page's background. */
function composePicture(parts, layout, message, values, cursor, theme) {
  const margin = 20, ratio = 2, frame = parts.plots.getBoundingClientRect();
  const [width, height] = [frame.width, frame.height].map((side) => Math.round((side + 2 * margin) * ratio));
  const picture = make("canvas", "", { width, height });
  const ctx = picture.getContext("2d");
  ctx.scale(ratio, ratio);
  ctx.fillStyle = theme.page;
  ctx.fillRect(0, 0, width, height);
  ctx.translate(margin - frame.left, margin - frame.top);
  parts.panels.forEach((part, index) => {
    drawText(ctx, part.title, 600, theme.text, theme);
    drawText(ctx, part.caption, 400, theme.soft, theme);
    const at = part.plot.getBoundingClientRect();
    ctx.save();
    ctx.translate(at.left, at.top);
    drawPanel(ctx, layout, part.image, message, theme, ratio);
    if (cursor?.locked) drawCursor(ctx, layout, cursor, message, theme);
    ctx.restore();
    const bar = part.strip.getBoundingClientRect();
    drawBar(ctx, bar.left, bar.top + 3, bar.width, bar.height - 6, message.panels[index], range(values[index]), theme);
    for (const element of [part.low, part.extent, part.high]) drawText(ctx, element, 400, theme.soft, theme);
  });
  return picture;
}

function drawText(ctx, element, weight, colour, theme) {
  const box = element.getBoundingClientRect();
  if (!element.textContent || !box.width) return;
  const style = getComputedStyle(element), size = parseFloat(style.fontSize);
  setFont(ctx, theme, weight, size);
  Object.assign(ctx, { fillStyle: colour, textAlign: "left", textBaseline: "top" });
  const apart = parseFloat(style.lineHeight) || size * 1.4;
  const lines = wrap(ctx, element.textContent, box.width + 4);
  lines.forEach((line, at) => ctx.fillText(line, box.left, box.top + 1 + at * apart));
}

/** Hand a canvas to the browser as a PNG file. */
function download(picture, filename) {
  picture.toBlob((blob) => {
    const link = make("a", "", { download: `${filename}.png`, href: URL.createObjectURL(blob) });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }, "image/png");
}

/** Put a canvas on the clipboard; resolves to whether it worked. */
function copyPicture(picture) {
  const blob = new Promise((resolve) => { picture.toBlob(resolve, "image/png"); });
  return navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]).then(() => true, () => false);
}
