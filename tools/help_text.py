"""`python -m tools.help_text LANGUAGE FOLDER`: make the text that models of Chinese and Japanese learn.

The help of LibreOffice, as Debian packages it, under the Mozilla Public License 2.0 (copyright: LibreOffice contributors,
and Oracle and its affiliates). `apt-get download libreoffice-help-zh-cn libreoffice-help-ja` fetches the packages, `dpkg -x
PACKAGE FOLDER` unpacks them.

Notable choices:
- Prose alone: paragraphs of SHORTEST characters or more, most of them of the language. The help is not translated as a
  whole, so a page has paragraphs in English.
- A paragraph is kept once, in the order of the pages' names.
"""

import lzma
import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

from alibi_viz.files import write_atomically
from alibi_viz.lm.corpus import help_text_file, normal_form, normalise, own_text

FOLDERS = {"zh": "zh-CN", "ja": "ja"}  # of the packages
SHORTEST = 20  # characters
LEAST = 0.75  # of the characters that are no blanks: Han, kana, and their punctuation
_OWN = re.compile(r"[\u3001-\u30ff\u3400-\u9fff\uff01-\uff60]")


class _Paragraphs(HTMLParser):
    """The texts of a page's paragraphs; lists and the cells of tables have paragraphs in them."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._is_open = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "p":
            self._is_open = True
            self.texts.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == "p":
            self._is_open = False

    def handle_data(self, data: str) -> None:
        if self._is_open:
            self.texts[-1] += data


def paragraphs_of(page: str) -> Iterator[str]:
    """Those of a page that are prose of the language."""
    parser = _Paragraphs()
    parser.feed(page)
    for text in parser.texts:
        line = " ".join(normalise(text).split())
        letters = line.replace(" ", "")
        if len(line) >= SHORTEST and len(_OWN.findall(letters)) >= LEAST * len(letters):
            yield line


def collect(folder: Path, language: str) -> str:
    """The text of an unpacked package. Raises ValueError where there is none."""
    pages = sorted((folder / "usr/share/libreoffice/help" / FOLDERS[language] / "text").rglob("*.html"))
    if not pages:
        raise ValueError(f"There is no help in this language below {folder}.")
    kept: dict[str, str] = {}
    for page in pages:
        for paragraph in paragraphs_of(page.read_text(encoding="utf-8")):
            kept.setdefault(normal_form(paragraph), paragraph)
    return "\n\n".join(kept.values())


def main(language: str, folder: str) -> None:
    corpus = own_text(collect(Path(folder), language))
    write_atomically(help_text_file(language), lzma.compress(corpus.train + b"\0" + corpus.held_out, preset=9))
    print(f"{len(corpus.train):,} bytes to learn, {len(corpus.held_out):,} held out")


if __name__ == "__main__":
    main(*sys.argv[1:])
