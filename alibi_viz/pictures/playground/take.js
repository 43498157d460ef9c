// The playground as one picture to save: its canvases, and its words drawn where they stand.

import { composePicture } from "../parts.js";

const WORDS = ".legend, .read, .chip span, h2, .mat b, .mat small, .op, .said"; // elements whose words are drawn
const SWATCH = { width: 14, height: 4, down: 8 }; // px, before a line of the legend, as in view.css

/** Everything under the controls: hero, arithmetic, heads, matrices and lines. */
export function composeAll({ stage, canvas }, theme, ink) {
  const all = document.createRange();
  all.setStartBefore(canvas.parentElement);
  all.setEndAfter(stage.lastElementChild);
  return composePicture(all, theme, (ctx) => {
    for (const part of stage.querySelectorAll("canvas")) {
      const box = part.getBoundingClientRect();
      ctx.drawImage(part, box.left, box.top, box.width, box.height);
    }
    for (const chip of stage.querySelectorAll(".chip")) {
      const box = chip.getBoundingClientRect();
      ctx.strokeStyle = chip.matches("[aria-checked=true]") ? ink.accent : ink.line;
      ctx.strokeRect(box.left, box.top, box.width, box.height);
    }
    for (const key of stage.querySelectorAll(".legend:not([hidden]) > .key")) {
      const box = key.getBoundingClientRect();
      ctx.fillStyle = key.matches(".ghost") ? ink.quiet : ink.accent;
      ctx.fillRect(box.left, box.top + SWATCH.down, SWATCH.width, SWATCH.height);
    }
    for (const element of stage.querySelectorAll(WORDS)) drawWordsOf(ctx, element, ink);
  });
}

/** Each word of an element where the browser has put it: so lines break as on the page. */
function drawWordsOf(ctx, element, ink) {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT), range = document.createRange();
  for (let node = texts.nextNode(); node; node = texts.nextNode()) {
    const parent = /** @type {Element} */ (node.parentElement), style = getComputedStyle(parent);
    Object.assign(ctx, { font: `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`, fillStyle: colourOf(parent, ink), textAlign: "left", textBaseline: "middle" });
    for (const { 0: word, index } of (node.textContent ?? "").matchAll(/\S+/g)) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      const box = range.getBoundingClientRect();
      if (box.width) ctx.fillText(word, box.left, box.top + box.height / 2);
    }
  }
}

/** As in view.css, in the colours of the picture that is made: it may be on white where the page is dark. */
function colourOf(element, ink) {
  if (element.matches(".query")) return ink.query;
  if (element.matches(".penalty")) return ink.bias;
  if (element.matches(".weight, .big, [aria-checked=true] *")) return ink.accent;
  return element.matches(".read, .said, .ghost, .ghost *, .mat small, .mat small *, .op, .chip span") ? ink.soft : ink.text;
}
