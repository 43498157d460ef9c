"""What is cut off on a page, in every language, also on a machine that has no font with Han and kana."""

import struct
from base64 import b64encode
from typing import Any

WIDE = ((0x3000, 0x30FF), (0x4E00, 0x9FFF), (0xFF00, 0xFFEF))  # written in squares: marks, kana, Han, full-width forms
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


def square_font() -> bytes:
    """A font of one glyph, a box with sides of 1 em, for all of `WIDE`."""
    box = struct.pack(">5h", 1, 0, -120, 1000, 880) + struct.pack(">HH", 3, 0) + bytes([1, 1, 1, 1])
    box += struct.pack(">8h", 0, 0, 1000, 0, -120, 1000, 0, -1000)  # x of the four corners, then y, each from the last
    groups = b"".join(struct.pack(">III", first, last, 1) for first, last in WIDE)
    subtable = struct.pack(">HHIII", 13, 0, 16 + len(groups), 0, len(WIDE)) + groups  # format 13: one glyph for many
    ends = struct.pack(">4h", 880, -120, 0, 1000)
    tables = {
        b"OS/2": struct.pack(">hhHHH", 0, 1000, 400, 5, 0) + bytes(22 + 10 + 16) + b"    "
        + struct.pack(">HHHhhhHH", 0x40, WIDE[0][0], 0xFFEF, 880, -120, 0, 880, 120),
        b"cmap": struct.pack(">HHHHI", 0, 1, 3, 10, 12) + subtable,
        b"glyf": box,
        b"head": struct.pack(">IIIIHHqqhhhhHHhhh", 1 << 16, 1 << 16, 0, 0x5F0F3CF5, 11, 1000,
            0, 0, 0, -120, 1000, 880, 0, 8, 2, 1, 0),
        b"hhea": struct.pack(">I", 0x10000) + ends + struct.pack(">3h3h5hH", 0, 0, 1000, 1, 0, 0, 0, 0, 0, 0, 0, 2),
        b"hmtx": struct.pack(">HhHh", 1000, 0, 1000, 0),
        b"loca": struct.pack(">III", 0, 0, len(box)),
        b"maxp": struct.pack(">IH13H", 0x10000, 2, 4, 1, 0, 0, 2, *[0] * 8),
        b"name": struct.pack(">HHH", 0, 0, 6),
        b"post": struct.pack(">I", 0x30000) + bytes(28),
    }  # fmt: skip
    start, directory, body = 12 + 16 * len(tables), b"", b""
    for tag, table in tables.items():
        padded = table + bytes(-len(table) % 4)
        total = sum(struct.unpack(f">{len(padded) // 4}I", padded)) & 0xFFFFFFFF
        directory += struct.pack(">4sIII", tag, total, start + len(body), len(table))
        body += padded
    return struct.pack(">IHHHH", 0x10000, len(tables), 128, 3, 32) + directory + body


def with_squares(page: Any) -> None:
    """From now on the page has Han and kana as wide as they are."""
    unicode_range = ", ".join(f"U+{first:X}-{last:X}" for first, last in WIDE)
    page.evaluate(SQUARES, [b64encode(square_font()).decode(), unicode_range])


def clipped(page: Any) -> list[str]:
    """What of the page's text is cut off, or breaks a line where no line may break."""
    return list(page.evaluate(CLIPPED))
