"""What a picture has really drawn: the box of its marks, from pixels and from the parts of charts, and its type sizes."""

from __future__ import annotations

from typing import Any

# Of every canvas below an element the painted pixels; beside them the texts that stand in elements of their own.
SCAN = """(host) => {
  const boxes = [], sizes = [], all = (root) => [...root.querySelectorAll("*")].flatMap(
    (one) => [one, ...(one.shadowRoot ? all(one.shadowRoot) : [])]);
  for (const one of all(host)) {
    const box = one.getBoundingClientRect();
    if (box.width < 2 || box.height < 2 || !one.checkVisibility({ visibilityProperty: true })) continue;
    if (one.closest(".live, .alt, .room, .bar, .readout, .trouble")) continue;
    if (one instanceof HTMLCanvasElement) {
      const found = painted(one, box);
      if (!found) continue;
      boxes.push(found);
      if (one.dataset.typeSize) sizes.push(Number(one.dataset.typeSize));
    } else if (one instanceof SVGElement) {
      if (!one.closest(".js-plotly-plot") || one.closest(".hoverlayer, .modebar, defs")) continue;
      const isText = one.tagName === "text";
      const isMark = isText || one.matches(".plot path, .gridlayer path, .shapelayer path");
      if (isMark) boxes.push([box.left, box.top, box.right, box.bottom]);
      if (isText) sizes.push(parseFloat(getComputedStyle(one).fontSize));
    } else if (one.closest(".plots, .tabs") && [...one.childNodes].some((node) => node.data?.trim())) {
      boxes.push([box.left, box.top, box.right, box.bottom]);
      sizes.push(parseFloat(getComputedStyle(one).fontSize));
    }
  }
  function painted(canvas, box) {
    if (!canvas.width || !canvas.height) return null;
    const { width, height } = canvas, data = canvas.getContext("2d").getImageData(0, 0, width, height).data;
    let left = width, top = height, right = 0, bottom = 0;
    for (let y = 0, at = 3; y < height; y += 1) for (let x = 0; x < width; x += 1, at += 4) if (data[at]) {
      left = Math.min(left, x); right = Math.max(right, x + 1);
      top = Math.min(top, y); bottom = Math.max(bottom, y + 1);
    }
    const wide = box.width / width, high = box.height / height;
    return right ? [box.left + left * wide, box.top + top * high, box.left + right * wide, box.top + bottom * high] : null;
  }
  const end = (pick, at) => Math.round(pick(...boxes.map((box) => box[at])));
  if (!boxes.length) return null;
  return { left: end(Math.min, 0), top: end(Math.min, 1), right: end(Math.max, 2), bottom: end(Math.max, 3),
    type: Math.min(...sizes) };
}"""


def drawn(place: Any) -> dict[str, float]:
    """The box of the marks below an element (left, top, right, bottom; pixels of the window), and the smallest type in it.

    place: a locator. Marks are painted pixels and the texts around them; the toolbar and the readout are none.
    """
    found: dict[str, float] | None = place.evaluate(SCAN)
    assert found, "nothing is drawn"
    return found
