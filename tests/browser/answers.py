"""What a reader sees or hears on a page, and which of the lesson's sentences answer its question."""

import re
from typing import Any

from alibi_viz.lessons import load, plain

#: All that stands on a page: what is in sight, and what a screen reader says; not the question itself.
SEEN = """() => {
  const found = [];
  const walk = (node) => {
    if (node.nodeType === Node.TEXT_NODE) found.push(node.data);
    if (node instanceof Element) {
      if (node.matches("script, style, [class*='st-key-question']") || getComputedStyle(node).display === "none") return;
      found.push(node.getAttribute("alt") ?? "", node.getAttribute("aria-label") ?? "");
    }
    for (const child of [...(node.shadowRoot?.childNodes ?? []), ...node.childNodes]) walk(child);
  };
  walk(document.querySelector("[data-testid=stMain]"));
  return found.join(" ").replace(/\s+/g, " ");
}"""
ASKED = re.compile(r"title|lead|alt|sources|predict.*|.*\.question")  # sections that answer nothing
#: Tables whose sentences do: the sentence of a picture, what it shows in words, which of two is wrong.
TELLING = {
    "slopes": {"picture": ["note", "note_none"]},
    "bias": {"note": []},
    "pitfalls": {"cost": [], "happened_in": [], "labels": ["is_wrong", "is_right"]},
}
LEAST = 8  # characters that are a sentence's own


def seen(page: Any) -> str:
    return str(page.evaluate(SEEN))


def answers_in(address: str, text: str) -> list[str]:
    """Those sentences of the lesson at this address that a text has: the longest part of each that no number fills."""
    name = address.partition("?")[0]
    book = load(name)
    sentences = [
        raw for section, raw in book.sections.items() if not ASKED.fullmatch(section) and not book.entries(section)
    ]
    for table, keys in TELLING.get(name, {}).items():
        sentences += [raw for key, raw in book.entries(table).items() if not keys or key in keys]
    parts = (max(re.split(r"\{[^{}]*\}", plain(raw)), key=len).strip() for raw in sentences)
    return [part for part in parts if len(part) >= LEAST and re.sub(r"\s+", " ", part) in text]
