"""No English is left over on the pages of another language: every lesson is opened with all its sections."""

import json
import re
from itertools import cycle, product

import pytest

from alibi_viz.lessons import load
from alibi_viz.lessons.languages import ENGLISH, LANGUAGES
from tests.cases import some
from tests.pages.apptest import LESSONS, open_page, params, unpack
from tests.pages.test_contract import check_opened

#: What is no sentence: code, commands of LaTeX, addresses, tags, placeholders, names of files.
CODE = re.compile(
    r"`[^`]*`|\]\([^)\s]*(?: \"[^\"]*\")?\)|https?://\S+|<[^>]*>|%?\{+[\w:%,.|~]+\}+|\\[a-zA-Z]+|\b[\w-]+[._/]\w[\w./-]*"
)
OWN = re.compile(r"[\u3041-\u30ff\u4e00-\u9fff]")
#: A mark of English beside a letter of the language.
MARK = re.compile(rf"{OWN.pattern}\*{{0,2}} ?[,:;!?(]|[,;!?] ?{OWN.pattern}")
#: A line that names a paper, a model's page or a class of a library.
SOURCE = re.compile(
    r"arxiv|et al|and others|press, |seen in|card|page |configuration|class |github|section \d|authors|library|commits"
    r"|table \d|in transformers|\(ALiBi\)|\(RoPE\)",
    re.IGNORECASE,
)
#: What a message says that no reader sees: keys, values, names of files.
SILENT = set("key kind filename values stage size page method methods acts_on form only visible_when links".split())
SILENT |= set("answered states sets python cuts".split())
SILENT |= set("query language within follows rule rules quantity scale sentence tokens".split())
#: Words without a capital that stand in any language: names of programs and models, and what models read and write.
NAMES = set("softmax transformers torch bfloat cpu exp vllm xformers gpt oss bloom the function returns list".split())
CATALOGUES = ("sources", "today")  # their names of models, methods and papers stand in lines of their own
NAMES |= set("excerpt threads family small the cat sat mat and dog rug near".split())
CONTROLS = "button selectbox multiselect radio button_group slider number_input toggle checkbox text_input".split()
CONTROLS += "text_area file_uploader expander download_button page_link menu_button popover progress".split()
#: What ALiBi’s letters stand for.
NAMES |= set("ttention with near ases".split())


def said_by(value):
    """The texts of a message."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, part in value.items():
            if key == "options":
                yield from (option[-1] for option in part if isinstance(option[-1], str))
            elif key not in SILENT:
                yield from said_by(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from said_by(part)


def drawn_by(spec):
    """The texts of a chart."""
    figure = json.loads(spec)
    for trace in figure["data"]:
        yield from said_by([trace.get(part) for part in ("name", "text", "hovertemplate")])
    for name, part in figure["layout"].items():
        if name.startswith(("xaxis", "yaxis", "title")):
            yield from said_by([part.get("title"), part.get("ticktext")])
        elif name == "annotations":
            yield from said_by([note.get("text") for note in part])


def texts(at):
    """All that a page says: prose, tables, controls, pictures, charts."""
    for kind in ("info", "warning", "error", "markdown", "caption", "title", "header", "subheader", "success", "latex"):
        yield from (element.value for element in getattr(at, kind))
    yield from (table.value.to_csv(index=False, sep="\t") for table in at.dataframe)
    for kind in CONTROLS:
        for element in at.get(kind):
            yield from (str(getattr(element.proto, part, "")) for part in ("label", "help", "placeholder"))
            yield from (str(getattr(option, "content", option)) for option in getattr(element.proto, "options", ()))
    for part in at.get("bidi_component"):
        if len(part.proto.bytes) > 8:
            yield from said_by(unpack(part.proto.bytes))
    for chart in at.get("plotly_chart"):
        yield from (chart.proto.alt, *drawn_by(chart.proto.spec))
        yield from said_by(json.loads(chart.proto.config)["locales"])


OTHERS = [code for code in LANGUAGES if code != ENGLISH]


@pytest.mark.parametrize(  # quick: each lesson in one of the languages, in turn
    "opened", some(product(OTHERS, LESSONS), *zip(cycle(OTHERS), LESSONS, strict=False)), ids="-".join
)
def test_on_a_dark_page_with_every_section_no_english_is_left_over(opened):
    (language, lesson), english = opened, load("shared", ENGLISH).entries("methods")
    sections = [param for param in params(lesson) if param.key == f"{lesson}_open"]
    url = {param.key: ",".join(param.choices) for param in sections} | {"lang": language}
    at = open_page(lesson, "dark", **url)
    check_opened(at, lesson, url, "dark", language)
    translated = {
        english[key] for key, name in load("shared", language).entries("methods").items() if name != english[key]
    }
    left = {}
    for line in (line for text in texts(at) for line in text.splitlines()):
        if line.strip() in translated:
            left[line.strip()] = line
        if SOURCE.search(line) or (lesson in CATALOGUES and not OWN.search(line)):
            continue
        plain = CODE.sub(" ", re.sub(r"\\text\{([^{}]*)\}", r" \1 ", line))
        words = set(re.findall(r"(?<![\w’'.-])[a-z]{3,}(?![\w.])", plain)) - NAMES
        words |= {name for name in translated if re.search(rf"\b{name}\b", plain)}
        words |= set() if "\\" in line else set(MARK.findall(plain)) | set(re.findall(r"\b[a-z\d]+_\w+", plain))
        left |= dict.fromkeys(words, line[:120])
    assert not left, left
