// The stage's picture to take away: as SVG or PNG with title, settings and source, for a slide, or on a worksheet to print.

import { make, makeSvg, mounting, penOf, setAttributes, tell } from "../../../pictures/shared.js";
import { add, collected, forget, worksheet } from "./worksheet.js";

const MARGIN = 24, TITLE = 20, LINE = 16, CAPTION = 12, SCALE = 2;
const SLIDE = { width: 1280, height: 720, title: 34, source: 16, margin: 40 };
const BUTTONS = ["png", "svg", "copy", "worksheet", "collect", "print"];

class TakeAway {
  constructor(host) {
    this.root = make("div", "take");
    this.said = make("span", "said", { role: "status" });
    this.choices = { white: true, slide: false, with_answers: true };
    host.append(this.root);
  }

  close() { this.root.remove(); }

  update({ data }) {
    this.data = data;
    const names = BUTTONS.filter((name) => name !== "copy" || navigator.clipboard?.write), titles = collected().map(({ title }) => title);
    const buttons = names.map((name) => this.button(name, data.words[name]));
    const choices = Object.keys(this.choices).map((name) => this.choice(name));
    const several = make("div", "several");
    if (titles.length) {
      const name = data.words.collected.replace("{{count}}", String(titles.length));
      several.append(this.button("several", name), this.button("forget", data.words.forget), make("span", "said", {}, titles.join(" · ")));
    }
    this.root.replaceChildren(...buttons, ...choices, several, this.said);
  }

  button(name, text) {
    const button = make("button", "", { type: "button" }, text);
    button.onclick = () => this.act(name);
    return button;
  }

  choice(name) {
    const label = make("label", "choice"), box = make("input", "", { type: "checkbox" });
    box.checked = this.choices[name];
    box.onchange = () => { this.choices[name] = box.checked; };
    label.append(box, this.data.words[name]);
    return label;
  }

  async act(name) {
    this.said.textContent = "";
    const { filename, words, paper: light } = this.data, { white, slide, with_answers: answers } = this.choices;
    if (name === "print") return window.print();
    if (name === "several") return save(worksheet(collected(), words, answers), "worksheet.html");
    if (name === "forget") {
      forget();
      return this.update(this);
    }
    const onPaper = name === "worksheet" || name === "collect", paper = white || onPaper ? light : null;
    const picture = findPicture(paper);
    if (!picture) return this.say("nothing");
    if (onPaper) {
      const part = { ...this.data, svg: asText(await captioned(picture, { ...this.data, title: "" }, paper)) };
      if (name === "worksheet") return save(worksheet([part], words, answers), `${filename}-worksheet.html`);
      const fits = add(part);
      this.update(this);
      return fits ? undefined : this.say("full");
    }
    const svg = await (slide ? onSlide : captioned)(picture, this.data, paper);
    if (name === "svg") return save(new Blob([asText(svg)], { type: "image/svg+xml" }), `${filename}.svg`);
    const png = asPng(svg);
    if (name === "png") return save(await png, `${filename}.png`);
    try {
      await navigator.clipboard.write([new ClipboardItem({ "image/png": png })]);
      return this.say("copied");
    } catch {
      return this.say("refused");
    }
  }

  say(word) { this.said.textContent = this.data.words[word]; }
}

/** What the stage shows, as {width, height, nodes}: parts of an SVG picture. paper: the colours to draw it in, or null. */
function findPicture(paper) {
  const stage = document.querySelector(".st-key-stage_picture");
  if (!stage) return null;
  const plot = stage.querySelector(".js-plotly-plot");
  const picture = plot ? ofLayers(plot, plot.querySelectorAll(".svg-container > .main-svg")) : ofView(stage, paper);
  if (paper) for (const node of picture?.nodes ?? []) recolour(node, paper.colours);
  return picture;
}

/** A view of this app answers with a canvas, or with the parts of an SVG picture. */
function ofView(stage, paper) {
  const asked = { stage, paper, pictures: [] };
  tell("take", asked);
  const [picture] = asked.pictures;
  if (!picture || picture.nodes) return picture ?? null;
  const size = { width: picture.width / SCALE, height: picture.height / SCALE };
  return { ...size, nodes: [makeSvg("image", { ...size, href: picture.toDataURL("image/png") })] };
}

/** A chart of one or more SVG layers of one size: Plotly draws several. */
function ofLayers(chart, all) {
  const { width, height } = chart.getBoundingClientRect();
  const layers = [...all].map((layer) => {
    const copy = layer.cloneNode(true);
    setAttributes(copy, { x: 0, y: 0, width, height });
    copy.style.background = "none";
    return copy;
  });
  return { width, height, nodes: layers };
}

/** Each of the dark theme's colours as it is on paper. */
function recolour(node, colours) {
  for (const element of [node, ...node.querySelectorAll("*")]) {
    for (const name of ["style", "fill", "stroke"]) {
      const value = element.getAttribute(name);
      if (value) element.setAttribute(name, value.replace(COLOUR, (colour) => colours[asHex(colour)] ?? colour));
    }
  }
}

const COLOUR = /rgb\(\d+, ?\d+, ?\d+\)|#[0-9a-f]{6}\b/gi;
const asHex = (colour) => (colour.startsWith("#") ? colour.toLowerCase()
  : `#${colour.match(/\d+/g).map((part) => Number(part).toString(16).padStart(2, "0")).join("")}`);

/** The picture as one SVG element, on paper or the page's background, with the title above, settings and source below. */
async function captioned({ width, height, nodes }, { title, settings, source, font }, paper) {
  const style = getComputedStyle(document.querySelector(".stApp") ?? document.body);
  const wide = Math.max(width, 420), colour = paper?.text ?? style.color;
  const lines = [...broken(settings, wide, CAPTION, font), ...broken(source, wide, CAPTION, font)];
  const heads = broken(title, wide, TITLE, font, 600);
  const top = MARGIN + heads.length * (TITLE + 6) + 8, bottom = top + height + 8;
  const size = { width: wide + 2 * MARGIN, height: bottom + lines.length * LINE + MARGIN };
  const svg = await sheetOf(size, font, paper?.page ?? style.backgroundColor);
  heads.forEach((text, at) => svg.append(written(text, MARGIN + (at + 1) * (TITLE + 6) - 6, TITLE, colour, 600)));
  const place = makeSvg("g", { transform: `translate(${MARGIN} ${top})` });
  place.append(...nodes);
  svg.append(place);
  lines.forEach((text, at) => svg.append(written(text, bottom + (at + 1) * LINE, CAPTION, colour)));
  return svg;
}

/** An empty SVG picture of a size, with the page's font, on a background. */
async function sheetOf(size, font, fill) {
  const svg = makeSvg("svg", { ...size, viewBox: `0 0 ${size.width} ${size.height}`, "font-family": font });
  svg.append(await fontFace(), makeSvg("rect", { ...size, fill }));
  return svg;
}

/** The picture on a slide: as large as the title and a short line with the source leave. */
async function onSlide({ width, height, nodes }, { title, from_app: source, font }, paper) {
  const style = getComputedStyle(document.querySelector(".stApp") ?? document.body), colour = paper?.text ?? style.color;
  const { margin, title: large, source: small } = SLIDE, svg = await sheetOf({ width: SLIDE.width, height: SLIDE.height }, font, paper?.page ?? style.backgroundColor);
  const heads = broken(title, SLIDE.width - 2 * margin, large, font, 600), top = margin + heads.length * 1.25 * large;
  heads.forEach((text, at) => svg.append(written(text, margin + (at + 0.8) * 1.25 * large, large, colour, 600, margin)));
  const room = SLIDE.height - top - margin - small, scale = Math.min((SLIDE.width - 2 * margin) / width, room / height);
  const place = makeSvg("g", { transform: `translate(${(SLIDE.width - scale * width) / 2} ${top}) scale(${scale})` });
  place.append(...nodes);
  svg.append(place, written(source, SLIDE.height - margin / 2, small, colour, 400, margin));
  return svg;
}

function written(text, y, size, fill, weight = 400, x = MARGIN) {
  const node = makeSvg("text", { x, y, fill, "font-size": size, "font-weight": weight });
  node.textContent = text;
  return node;
}

/** Lines no wider than `width`. */
function broken(text, width, size, font, weight = 400) {
  const ctx = penOf(make("canvas")), lines = [];
  ctx.font = `${weight} ${size}px ${font}`;
  for (const part of text.split(/\s+/).filter(Boolean)) {
    const longer = lines.length ? `${lines.at(-1)} ${part}` : part;
    if (lines.length && ctx.measureText(longer).width <= width) lines[lines.length - 1] = longer;
    else lines.push(part);
  }
  return lines;
}

/** The page's own font inside the picture: an SVG that is drawn as an image cannot ask the page for it. */
let face;
function fontFace() {
  face ??= (async () => {
    const rules = [...document.styleSheets].flatMap((sheet) => {
      try { return [...sheet.cssRules]; } catch { return []; }
    });
    const rule = rules.filter((one) => one instanceof CSSFontFaceRule).find((one) => (
      /source sans/i.test(one.style.getPropertyValue("font-family")) && !/italic/.test(one.style.getPropertyValue("font-style"))));
    const [, url] = rule?.style.getPropertyValue("src").match(/url\(["']?([^"')]+)/) ?? [];
    const style = makeSvg("style");
    if (url) {
      const base = rule?.parentStyleSheet?.href ?? document.baseURI;
      const data = await dataUrl(await (await fetch(new URL(url, base))).blob());
      style.textContent = `@font-face { font-family: "Source Sans"; src: url(${data}); font-weight: 200 900; }`;
    }
    return style;
  })().catch(() => makeSvg("style"));
  return face.then((style) => style.cloneNode(true));
}

const dataUrl = (blob) => new Promise((resolve, reject) => {
  const reader = new FileReader();
  reader.onload = () => resolve(reader.result);
  reader.onerror = reject;
  reader.readAsDataURL(blob);
});

const asText = (svg) => new XMLSerializer().serializeToString(svg);

async function asPng(svg) {
  const [width, height] = ["width", "height"].map((side) => Number(svg.getAttribute(side)));
  const image = new Image();
  image.src = await dataUrl(new Blob([asText(svg)], { type: "image/svg+xml" }));
  await image.decode();
  const canvas = make("canvas", "", { width: width * SCALE, height: height * SCALE });
  const ctx = penOf(canvas);
  ctx.scale(SCALE, SCALE);
  ctx.drawImage(image, 0, 0, width, height);
  return new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
}

function save(blob, filename) {
  const link = make("a", "", { download: filename, href: URL.createObjectURL(blob) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export default mounting(TakeAway);
