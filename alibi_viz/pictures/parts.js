// What the pictures share on the page: the frame around them, the bar with its tools, the theme, canvases, the PNG.

import { isPale, lettersOn, toRgb } from "./plot.js";
import { make, penOf } from "./shared.js";

// Orange is the query, magenta the bias, blue ALiBi, in every picture.
const LIGHT_ROLES = { query: "#b8500c", bias: "#8a3a86", quiet: "#b3aea4" };
const DARK_ROLES = { query: "#e8935a", bias: "#da8fd3", quiet: "#5d656e" };
const DASH = 4; // pixels, as long as the gap after it
const SIGNS = { zoom_in: "+", zoom_out: "−", zoom_all: "⤢" };

/** @typedef {ReturnType<typeof readTheme>} Theme */

/** The toolbar's buttons; `act` is called with the button's name. */
export function buildTools(tools, words, act, zoomable = false) {
  const names = zoomable ? ["zoom_in", "zoom_out", "zoom_all", "png"] : ["png"];
  if (canCopy()) names.push("copy");
  tools.replaceChildren(...names.map((name) => {
    const title = words[`${name}_title`] ?? words[name];
    const button = make(
      "button",
      `tool ${name}`,
      { type: "button", title, "aria-label": title },
      SIGNS[name] ?? words[name],
    );
    button.onclick = () => act(name);
    return button;
  }));
}

/** Colours and fonts of the page's theme. */
export function readTheme(element) {
  const style = getComputedStyle(element);
  const read = (name, otherwise) => style.getPropertyValue(`--st-${name}`).trim() || otherwise;
  const page = `rgb(${toRgb(read("background-color", "#ffffff")).join(",")})`, dark = !isPale(page);
  const text = toRgb(read("text-color", dark ? "#fafafa" : "#31333f")).join(",");
  const faded = (alpha) => `rgba(${text},${alpha})`;
  const roles = dark ? DARK_ROLES : LIGHT_ROLES;
  return {
    dark,
    page,
    text: faded(1),
    soft: faded(0.66),
    line: faded(dark ? 0.28 : 0.2),
    hatch: faded(0.21),
    grid: faded(0.1),
    accent: read("primary-color", "#1f6feb"),
    ...roles,
    over: lettersOn(roles.query),
    font: read("font", "sans-serif"),
    least: parseFloat(style.getPropertyValue("--least-type")) || 0, // pixels: present.css
  };
}

/**
 * Elements as one canvas at twice the size, on the page's background: their canvases, boxes and words, where the browser
 * has put them. While it is drawn it stands beside the first of them, out of sight: a Han character is drawn as the language
 * of the page writes it. @param {Element[]} elements @param {Theme} theme
 */
export function composePicture(elements, theme) {
  const margin = 20, ratio = 2, places = elements.map((element) => element.getBoundingClientRect());
  const left = Math.min(...places.map((place) => place.left)) - margin,
    right = Math.max(...places.map((place) => place.right)) + margin;
  const top = Math.min(...places.map((place) => place.top)) - margin,
    bottom = Math.max(...places.map((place) => place.bottom)) + margin;
  const picture = make("canvas", "", {
    width: Math.round((right - left) * ratio),
    height: Math.round((bottom - top) * ratio),
    style: "display: none",
  });
  elements[0].after(picture);
  const ctx = penOf(picture);
  ctx.scale(ratio, ratio);
  ctx.translate(-left, -top);
  ctx.fillStyle = theme.page;
  ctx.fillRect(left, top, right - left, bottom - top);
  for (const element of elements) {
    for (const part of [element, ...element.querySelectorAll("*")]) drawBox(ctx, part);
    drawWordsIn(ctx, element);
  }
  picture.remove();
  return picture;
}

/** What an element is without its words: its colour, its border, and what a canvas shows. @param {CanvasRenderingContext2D} ctx */
function drawBox(ctx, part) {
  const { left, top, right, bottom, width, height } = part.getBoundingClientRect(), style = getComputedStyle(part);
  if (!width || style.visibility === "hidden" || style.opacity === "0") return;
  const [above, across, below, before] = ["Top", "Right", "Bottom", "Left"].map((side) =>
    parseFloat(style[`border${side}Width`])
  );
  ctx.globalAlpha = Number(style.opacity);
  ctx.fillStyle = style.backgroundColor;
  ctx.fillRect(left, top, width, height);
  ctx.fillStyle = style.borderTopColor;
  const dashOf = (side, length) => (style[`border${side}Style`] === "dashed" ? DASH : length);
  const over = dashOf("Top", width), beside = dashOf("Left", height);
  for (let at = left; at < right; at += 2 * over) ctx.fillRect(at, top, Math.min(over, right - at), above);
  for (let at = top; at < bottom; at += 2 * beside) ctx.fillRect(left, at, before, Math.min(beside, bottom - at));
  ctx.fillRect(right - across, top, across, height);
  ctx.fillRect(left, bottom - below, width, below);
  if (part instanceof HTMLCanvasElement) ctx.drawImage(part, left, top, width, height);
  ctx.globalAlpha = 1;
}

/** Hand a canvas to the browser as a PNG file. */
export function download(picture, filename = "picture") {
  picture.toBlob((blob) => {
    const link = make("a", "", { download: `${filename}.png`, href: URL.createObjectURL(/** @type {Blob} */ (blob)) });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
  }, "image/png");
}

/** Whether this page may write to the clipboard: without https browsers have none. */
const canCopy = () => Boolean(navigator.clipboard) && typeof ClipboardItem === "function";

/** Put a canvas on the clipboard; resolves to whether it worked. */
export function copyPicture(picture) {
  /** @type {Promise<Blob>} */
  const blob = new Promise((resolve) => {
    picture.toBlob((png) => resolve(/** @type {Blob} */ (png)), "image/png");
  });
  return navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]).then(() => true, () => false);
}

/** Marks as wide as a Han letter, one by one, and words. A page takes the blank half of a mark away, a canvas does not. */
const PIECES = /[“”…\u3001-\u3011\uff01-\uff1f]|[^\s“”…\u3001-\u3011\uff01-\uff1f]+/g;
const OPENING = /^[“（《「『【]$/;

/**
 * The words of an element where the browser has put them, so lines break as on the page; what is scrolled away is left out.
 * @param {CanvasRenderingContext2D} ctx @param {Element} element
 */
function drawWordsIn(ctx, element) {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT), range = document.createRange();
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const parent = /** @type {Element} */ (node.parentElement), style = getComputedStyle(parent);
    if (style.visibility === "hidden") continue;
    let place = parent;
    while (place !== element && getComputedStyle(place).overflowY === "visible") {
      place = /** @type {Element} */ (place.parentElement);
    }
    const { top, bottom } = place.getBoundingClientRect(), inside = parseFloat(style.fontSize) / 3;
    Object.assign(ctx, {
      font: `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`,
      fillStyle: style.color,
      textAlign: "left",
      textBaseline: "middle",
    });
    const span = (start, text) => {
      range.setStart(node, start);
      range.setEnd(node, start + text.length);
      return range;
    };
    for (const { 0: word, index } of (node.textContent ?? "").matchAll(PIECES)) {
      let start = index;
      // A long word may stand on two lines: then letter by letter.
      for (const piece of span(index, word).getClientRects().length > 1 ? word : [word]) {
        const box = span(start, piece).getBoundingClientRect(), middle = box.top + box.height / 2;
        // Its box is that of the font, which may be higher than the line.
        ctx.textAlign = OPENING.test(piece) ? "right" : "left"; // the side that a blank half is not on
        if (box.width && middle - inside >= top && middle + inside <= bottom) {
          ctx.fillText(piece, box[ctx.textAlign], middle);
          ctx.fillStyle = style.textDecorationColor;
          if (style.textDecorationLine === "underline") ctx.fillRect(box.left, middle + 1.5 * inside, box.width, 1.5);
          ctx.fillStyle = style.color;
        }
        start += piece.length;
      }
    }
  }
}
