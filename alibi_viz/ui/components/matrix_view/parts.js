// Elements of the matrix view, its toolbar and the exported picture. Outside text goes in as text, never as HTML.

const SVG = "http://www.w3.org/2000/svg";
const ICONS = {
  zoom_in: "M7 2.5v9M2.5 7h9",
  zoom_out: "M2.5 7h9",
  zoom_all: "M2 5V2h3M9 2h3v3M12 9v3H9M5 12H2V9",
};

/** One element with a class, optional text and attributes. */
function make(tag, name, text, attributes = {}) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  if (text !== undefined && text !== null) element.textContent = text;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

function makeIcon(path) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 14 14");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(SVG, "path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

/** Everything of one view that outlives an update. */
function buildView(host) {
  const root = make("div", "mv");
  const badge = make("span", "badge", "", { role: "status", hidden: "" });
  const tools = make("div", "tools");
  const plots = make("div", "plots", null, { tabindex: "0" });
  const readout = make("div", "readout");
  const live = make("div", "live", "", { "aria-live": "polite" });
  const trouble = make("div", "trouble", "", { role: "alert", hidden: "" });
  const bar = make("div", "bar");
  bar.append(badge, tools);
  root.append(trouble, bar, plots, readout, live);
  host.append(root);
  return { root, bar, badge, tools, plots, readout, live, trouble, panels: [], runs: [] };
}

/** The toolbar's buttons; `act` is called with the button's name. */
function buildTools(parts, message, act) {
  const { words } = message, names = [];
  if (message.zoomable) names.push("zoom_in", "zoom_out", "zoom_all");
  names.push("png");
  if (navigator.clipboard?.write && typeof ClipboardItem === "function") names.push("copy");
  parts.tools.replaceChildren(...names.map((name) => {
    const title = words[`${name}_title`] ?? words[name];
    const button = make("button", `tool ${name}`, null, { type: "button", title, "aria-label": title });
    if (ICONS[name]) button.append(makeIcon(ICONS[name]));
    else button.append(make("span", "", words[name]));
    button.onclick = () => act(name);
    return button;
  }));
}

/** Panels in runs of one size; a run is one grid, so that titles and plots of a row stand level. */
function buildPanels(parts, message) {
  parts.panels = [];
  parts.runs = [];
  parts.plots.replaceChildren();
  message.panels.forEach((panel, index) => {
    const last = parts.runs.at(-1);
    const run = last?.size === panel.size ? last : { size: panel.size, element: make("div", `run ${panel.size}`), count: 0 };
    if (run !== last) {
      parts.runs.push(run);
      parts.plots.append(run.element);
    }
    run.count += 1;
    const built = buildPanel(index);
    run.element.append(built.figure);
    parts.panels.push(built);
  });
}

function buildPanel(index) {
  const figure = make("figure", "panel", null, { "data-index": index });
  const head = make("figcaption", "head"), title = make("span", "title"), now = make("span", "now");
  head.append(title, now);
  const caption = make("div", "caption"), plot = make("div", "plot");
  const base = make("canvas", "base"), over = make("canvas", "over");
  plot.append(base, over);
  const scale = make("div", "scale"), strip = make("canvas", "strip");
  const ends = make("div", "ends"), low = make("span"), extent = make("span", "extent"), high = make("span");
  ends.append(low, extent, high);
  scale.append(strip, ends);
  figure.append(head, caption, plot, scale);
  const image = document.createElement("canvas");
  return { figure, title, now, caption, plot, base, over, scale, strip, low, extent, high, image, place: null };
}

/** A new picture of `values` on the panel's hidden canvas of one pixel a sample. */
function fillImage(part, panel, values, message, dark) {
  const { image } = part, { rows, cols } = message;
  if (image.width !== cols.count || image.height !== rows.count || !part.pixels) {
    image.width = cols.count;
    image.height = rows.count;
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
    canvas.width = wide;
    canvas.height = high;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const ctx = canvas.getContext("2d");
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  if (clear) ctx.clearRect(0, 0, width, height);
  return ctx;
}

/** How many panels stand in a row of this width, and how wide each is. Full rows are preferred to a ragged last one. */
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
function composePicture(parts, message, values, cursor, theme) {
  const margin = 20, ratio = 2, frame = parts.plots.getBoundingClientRect();
  const picture = document.createElement("canvas");
  picture.width = Math.round((frame.width + 2 * margin) * ratio);
  picture.height = Math.round((frame.height + 2 * margin) * ratio);
  const ctx = picture.getContext("2d");
  ctx.scale(ratio, ratio);
  ctx.fillStyle = theme.page;
  ctx.fillRect(0, 0, picture.width, picture.height);
  ctx.translate(margin - frame.left, margin - frame.top);
  parts.panels.forEach((part, index) => {
    const panel = message.panels[index];
    const texts = [[part.title, 600, theme.text], [part.caption, 400, theme.soft]];
    for (const [element, weight, colour] of texts) drawText(ctx, element, weight, colour, theme);
    const at = part.plot.getBoundingClientRect();
    ctx.save();
    ctx.translate(at.left, at.top);
    drawPanel(ctx, part.place, panel, part.image, message, theme, ratio);
    if (cursor?.locked) drawCursor(ctx, part.place, cursor, message, theme);
    ctx.restore();
    const bar = part.strip.getBoundingClientRect();
    drawBar(ctx, bar.left, bar.top + 3, bar.width, bar.height - 6, panel, range(values[index]), theme);
    for (const element of [part.low, part.extent, part.high]) drawText(ctx, element, 400, theme.soft, theme);
  });
  return picture;
}

function drawText(ctx, element, weight, colour, theme) {
  const box = element.getBoundingClientRect();
  if (!element.textContent || !box.width) return;
  const size = parseFloat(getComputedStyle(element).fontSize);
  setFont(ctx, theme, weight, size);
  ctx.fillStyle = colour;
  ctx.textAlign = "left";
  ctx.textBaseline = "top";
  const apart = parseFloat(getComputedStyle(element).lineHeight) || size * 1.4;
  wrap(ctx, element.textContent, box.width + 4).forEach((line, at) => ctx.fillText(line, box.left, box.top + 1 + at * apart));
}

/** Hand a canvas to the browser as a PNG file. */
function download(picture, filename) {
  picture.toBlob((blob) => {
    const link = make("a", "", null, { download: `${filename}.png` });
    link.href = URL.createObjectURL(blob);
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }, "image/png");
}

/** Put a canvas on the clipboard; resolves to whether it worked. */
function copyPicture(picture) {
  const blob = new Promise((resolve) => { picture.toBlob(resolve, "image/png"); });
  return navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]).then(() => true, () => false);
}
