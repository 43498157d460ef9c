"""Lines on a phone in Chinese and Japanese: none begins with a mark that may not stand there, and none cuts a term; and no
table is wider than the phone, though its columns are as wide as their longest phrase.

Chinese may break between any two characters; there a term stays whole where it is a link to the glossary.
"""

import re
from itertools import product

import pytest

from alibi_viz.lessons import load
from alibi_viz.ui.shell import navigation
from tests.browser.actions import PHONE, open_at
from tests.cases import some

SEVERAL = re.compile("[\u3041-\u309f、]")  # in a term of several words
PAGES = [*navigation.ICONS, navigation.GLOSSARY]
#: By lines as they stand: those that begin with a mark, and terms of which the parts stand in two. A formula is one letter.
BROKEN = r"""({ terms, isJapanese }) => {
  const mark = /^[、。，．：；？！／）」』】》”’…ー々〜％%ぁぃぅぇぉっゃゅょァィゥェォッャュョ]/u, found = new Set();
  const NARROW = 40; // pixels
  const range = document.createRange(), blocks = new Map();
  const blockOf = (node) => {
    let box = node.parentElement;
    while (box.parentElement && getComputedStyle(box).display.startsWith("inline")) box = box.parentElement;
    return box;
  };
  const visit = (root) => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (node) =>
      node.parentElement?.closest(".katex, math, pre, svg, script, style, [data-testid=stSidebar], .alt, .live")
        ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
    for (let node = walker.currentNode; node; node = walker.nextNode()) {
      if (node.shadowRoot) visit(node.shadowRoot);
      const isFormula = node instanceof Element && node.matches(".katex, math");
      if (!isFormula && !(node instanceof Text && node.data.trim())) continue;
      if (blockOf(node).clientWidth < NARROW) continue; // for screen readers
      if (!node.parentElement?.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue;
      const block = blockOf(node), letters = blocks.get(block) ?? [];
      blocks.set(block, letters);
      const of = node instanceof Text ? Array.from(node.data) : ["□"], linked = Boolean(node.parentElement.closest("a"));
      let at = 0;
      for (const letter of of) {
        if (node instanceof Text) {
          range.setStart(node, at);
          range.setEnd(node, at += letter.length);
        }
        const box = (node instanceof Text ? range : node).getBoundingClientRect();
        const last = letters.at(-1); // a blank at the end of a line has no width
        if (box.width) letters.push({ letter, linked, middle: (box.top + box.bottom) / 2, high: box.height });
        else if (last && !letter.trim()) letters.push({ ...last, letter });
      }
    }
  };
  visit(document.body);
  for (const letters of blocks.values()) {
    let line = 0;
    letters.forEach((one, at) => {
      const before = letters[at - 1];
      if (before && one.middle - before.middle > Math.min(one.high, before.high) / 2) line += 1;
      one.line = line;
      if (before && line > before.line && mark.test(one.letter)) {
        found.add(`${letters.slice(Math.max(0, at - 9), at).map(({ letter }) => letter).join("")}│${one.letter}`);
      }
    });
    const text = letters.map(({ letter }) => letter).join("");
    if (isJapanese) {
      for (const { segment, index } of new Intl.Segmenter("ja", { granularity: "word" }).segment(text)) {
        const place = Array.from(text.slice(0, index)).length, end = place + Array.from(segment).length - 1;
        const before = text.slice(Math.max(0, index - 6), index);
        if (letters[place].line !== letters[end].line) found.add(`${before}[${segment}]`);
      }
    }
    for (const { term, isAlways } of terms) {
      for (let at = text.indexOf(term); at >= 0; at = text.indexOf(term, at + 1)) {
        const place = (end) => Array.from(text.slice(0, end)).length;
        const first = letters[place(at)], last = letters[place(at + term.length) - 1];
        if (first.line === last.line || !(isAlways || first.linked)) continue;
        found.add(`${term}: ${text.slice(Math.max(0, at - 6), at + term.length + 4)}`);
      }
    }
  }
  return [...found];
}"""
WIDE_TABLES = """() => [...document.querySelectorAll("[data-testid=stMarkdownContainer] table")]
  .filter((table) => table.getBoundingClientRect().right > innerWidth).map((table) => table.innerText.slice(0, 40))"""


@pytest.mark.parametrize("opened", some(product(("zh", "ja"), PAGES), ("ja", "heirs")), ids="-".join)
def test_no_line_begins_with_a_mark_or_cuts_a_term(app, new_page, opened):
    language, lesson = opened
    book = load(lesson, language)
    sections = ",".join(book.entries("sections")) if "sections" in book else ""
    page = open_at(new_page(viewport=PHONE), f"{app}/{lesson}?lang={language}&{lesson}_open={sections}")
    names = [name for name in load("glossary", language).entries("names").values() if not name.isascii()]
    terms = [{"term": name, "isAlways": language == "ja" and not SEVERAL.search(name)} for name in names]
    assert page.evaluate(BROKEN, {"terms": terms, "isJapanese": language == "ja"}) == []
    assert page.evaluate(WIDE_TABLES) == []
