"""What is cut off on a page, in every language, also on a machine that has no font with Han and kana."""

from base64 import b64encode
from pathlib import Path
from typing import Any

#: A font of one glyph, a box with sides of 1 em, for all that is written in squares: marks, kana, Han, full-width forms.
SQUARE, WIDE = Path(__file__).with_name("squares.ttf"), "U+3000-30FF, U+4E00-9FFF, U+FF00-FFEF"
#: Makes each such character as wide as it is high, as every font does that has it: without one, its box is narrower.
SQUARES = """async ([font, range]) => {
  const faces = [...document.fonts].filter(({ unicodeRange }) => unicodeRange !== range);
  if (document.fonts.size > faces.length) return;
  const bytes = Uint8Array.from(atob(font), (letter) => letter.charCodeAt(0));
  for (const { family, weight, style } of faces) {
    document.fonts.add(new FontFace(family, bytes, { weight, style, unicodeRange: range }));
  }
  await document.fonts.ready;
}"""
#: Texts that an element cuts off, or that stand out of a drawing; and lines that begin with a mark that ends a phrase, or
#: with that of a long vowel; and names of controls of a picture that stand over each other. What scrolls cuts nothing
#: off, nor is a blank that is kept at the end of a line.
CLIPPED = """() => {
  const above = (one) => one.assignedSlot ?? one.parentElement ?? one.getRootNode().host;
  const found = [];
  const boxes = (node, start, end) => {
    const range = document.createRange();
    range.setStart(node, start);
    range.setEnd(node, end);
    return [...range.getClientRects()].filter(
      ({ left, right, height }) => height > 0.5 && right > left + 0.5 && right > 0 && left < innerWidth);
  };
  const isForReadersAloud = (one) => { // a box of one pixel, or none
    for (let box = one; box; box = above(box)) {
      const { clip, clipPath, overflow } = getComputedStyle(box), { width, height } = box.getBoundingClientRect();
      if (clip !== "auto" || clipPath !== "none" || (overflow === "hidden" && Math.min(width, height) <= 2)) return true;
    }
    return false;
  };
  const cuts = (one, lines) => {
    for (let box = one; box; box = above(box)) {
      const { overflowX, overflowY } = getComputedStyle(box), { left, right, top, bottom } = box.getBoundingClientRect();
      const isSvg = box.tagName === "svg", cut = (overflow) => isSvg || ["hidden", "clip"].includes(overflow);
      if (cut(overflowX) && lines.some((line) => line.left < left - 2 || line.right > right + 2)) return true;
      if (cut(overflowY) && lines.some((line) => line.top < top - 4 || line.bottom > bottom + 4)) return true;
      if (isSvg || [overflowX, overflowY].some((overflow) => ["auto", "scroll"].includes(overflow))) return false;
    }
    return false;
  };
  const inSight = (one, lines) => { // what an element cuts off, or scrolls, lies over nothing
    for (let box = one; box; box = above(box)) {
      const { left, right, top, bottom } = box.getBoundingClientRect(), { overflow } = getComputedStyle(box);
      if (overflow !== "visible") {
        lines = lines.map((line) => ({ left: Math.max(left, line.left), right: Math.min(right, line.right),
          top: Math.max(top, line.top), bottom: Math.min(bottom, line.bottom) }));
      }
    }
    return lines;
  };
  const named = new Map();
  for (const one of all(document)) {
    if (one.matches("script, style, option, [aria-hidden=true] *, .katex *")) continue;
    for (const node of one.childNodes) {
      if (node.nodeType !== Node.TEXT_NODE || !node.data.trim()) continue;
      if (!one.checkVisibility({ visibilityProperty: true }) || isForReadersAloud(one)) continue;
      const lines = boxes(node, 0, node.length), keepsBlanks = getComputedStyle(one).whiteSpaceCollapse === "preserve";
      const control = one.closest("button, label");
      if (control?.getRootNode().host) {
        named.set(control, [...named.get(control) ?? [], ...inSight(one, lines)]);
      }
      if (!keepsBlanks && cuts(one, lines)) found.push(`cut off: ${node.data.trim()}`);
      for (const { index } of node.data.matchAll(/[ー。、，：；！？／）」』”…]/g)) {
        const [before] = index ? boxes(node, index - 1, index) : [], [mark] = boxes(node, index, index + 1);
        const isNext = before && mark && mark.top > before.top + before.height / 2;
        if (isNext) found.push(`begins a line: ${node.data.slice(index)}`);
      }
    }
  }
  const cover = (one, other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > 2
    && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 4;
  for (const [one, lines] of named) {
    for (const [other, more] of named) {
      if (one === other) break;
      if (one.getRootNode() !== other.getRootNode()) continue;
      const isCovered = lines.some((line) => more.some((box) => cover(line, box)));
      if (isCovered) found.push(`over each other: ${one.textContent}, ${other.textContent}`);
    }
  }
  return found;
}"""


def with_squares(page: Any) -> None:
    """From now on the page has Han and kana as wide as they are."""
    page.evaluate(SQUARES, [b64encode(SQUARE.read_bytes()).decode(), WIDE])


def clipped(page: Any) -> list[str]:
    """What of the page's text is cut off, or breaks a line where no line may break."""
    return list(page.evaluate(CLIPPED))
