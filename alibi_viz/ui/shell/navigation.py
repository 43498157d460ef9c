"""The pages of the app, in the order in which they are read: one line a lesson.

A lesson is a folder under `pages/`, which holds its sentences too. Its name is its address. Lessons of one kind share an
entry of the menu, with a row of tabs. The entry is the first of them, and the others are hidden pages. Streamlit marks the
entry of a page alone, not of a hidden one, so while another tab is open the entry is that tab.
"""

import logging
from base64 import b64encode
from collections.abc import Mapping
from copy import copy
from functools import cache, partial
from importlib import import_module
from pathlib import Path

import streamlit as st

from alibi_viz.lessons import languages, load
from alibi_viz.ui import address
from alibi_viz.ui.controls import page_options

FIRST = "playground"
#: Heading (a label of lessons/text.md; "": none) -> entries: the lessons that share one, and their symbols. An entry with
#: tabs may have a title of its own (`menu` in lessons/text.md).
SECTIONS: dict[str, list[dict[str, str]]] = {
    "": [
        {"playground": ":material/touch_app:"},
        {"story": ":material/auto_stories:"},
    ],
    "see": [
        {"slopes": ":material/stairs:"},
        {"bias": ":material/grid_on:"},
        {"attention": ":material/visibility:", "attention_model": ":material/neurology:"},
        {
            "compare": ":material/compare:",
            "lab_sinusoidal": ":material/water:",
            "lab_rope": ":material/schedule:",
            "lab_t5": ":material/view_column:",
            "lab_learned": ":material/table_rows:",
            "heirs": ":material/stairs_2:",
        },
    ],
    "lengths": [
        {"write": ":material/edit_note:"},
        {
            "extrapolation": ":material/trending_flat:",
            "why": ":material/troubleshoot:",
            "early_token_curse": ":material/first_page:",
            "recall": ":material/key:",
        },
        {"train": ":material/model_training:"},
    ],
    "using": [
        {
            "use": ":material/integration_instructions:",
            "pitfalls": ":material/bug_report:",
            "models": ":material/folder_open:",
        },
    ],
    "reference": [
        {"glossary": ":material/dictionary:", "sources": ":material/menu_book:", "today": ":material/timeline:"},
    ],
}
GLOSSARY = "glossary"  # a page, but no lesson
UNLISTED = {"lesson": ":material/checklist:"}  # pages, but no lessons, that are in no menu
ENTRIES = {name: entry for entries in SECTIONS.values() for entry in entries for name in entry}  # of each page
ENTRIES |= {name: {name: icon} for name, icon in UNLISTED.items()}
#: Address -> page: a page's name is its address. The first one also has “/”, the only one that Streamlit gives its default.
PATHS = {"": FIRST} | {name: name for name in ENTRIES}
ICONS = {name: entry[name] for name, entry in ENTRIES.items() if name not in (GLOSSARY, *UNLISTED)}


def image(svg: str) -> str:
    """An image in its own address: of a file Streamlit would look at the disk in every run."""
    return f"data:image/svg+xml;base64,{b64encode(svg.encode()).decode()}"


ICON = image((Path(__file__).parent / "icon.svg").read_text(encoding="utf-8"))


def page_of(name: str) -> st.Page:
    """The page of a lesson, for links to it."""
    return _page(url_path(name), True, load(name).language)


def _show(name: str) -> None:
    """Its file is imported when its first reader comes."""
    import_module(f"pages.{name}.page").main()


def url_path(name: str) -> str:
    """The lesson's address: its name, and nothing for the first one."""
    return "" if name == FIRST else name


def folder_of(language: str, name: str = FIRST) -> str:
    """A page's address on the site, below that of the site: with a slash at its end, and nothing for the first one."""
    return "".join(f"{part}/" for part in ("" if language == languages.ENGLISH else language, url_path(name)) if part)


def following(name: str, by: int = 1) -> str | None:
    """The lesson after this one, if there is one. by: -1 for the one before."""
    names = list(ICONS)
    at = names.index(name) + by if name in names else -1
    return names[at] if 0 <= at < len(names) else None


def announce() -> None:
    """Before the first reader: there are pages, and the folder `pages/` is none of Streamlit's older kind of app.

    Until then a server tells its first visitor, if that is one of /slopes, that there is no such page.
    """
    logging.disable(logging.WARNING)  # Streamlit's lines about a call that is for no reader
    st.navigation([st.Page(partial(_show, FIRST))])
    logging.disable(logging.NOTSET)


def declare(moved: Mapping[str, tuple[str, Mapping[str, str]]]) -> st.Page:
    """Tell Streamlit the pages; returns the one to run.

    moved: addresses of earlier versions, each with the lesson that has taken it in, and what of it is to be open.
    """
    now = address.current_state()
    _configure(now.path)  # as in the last run
    page = _declared(now.path, moved)
    if page.url_path != now.path:  # only now it is known which page is open
        now.path = page.url_path
        _configure(now.path)
        page = _declared(now.path, moved)
    return page


def _configure(path: str) -> None:
    """The title and the icon of the window. First of all, and with an icon of our own: otherwise the page's symbol becomes
    the window's icon, which Streamlit fetches from another host."""
    title = f"{load(PATHS[path]).label('page')} · {load('shared').label('app')}" if path in PATHS else None
    st.set_page_config(title, ICON, "wide")


def _declared(opened: str, moved: Mapping[str, tuple[str, Mapping[str, str]]]) -> st.Page:
    """The page to run. opened: the address of the page that stands for its entry in the menu."""
    sections = dict(_sections(opened, load("shared").language))
    sections[""] = sections[""] + [
        _led_on(path, lesson, tuple(query.items())) for path, (lesson, query) in moved.items()
    ]
    page = st.navigation(sections, expanded=True)  # else Streamlit hides the last ones behind “View more”
    return copy(page)  # all readers share it, and Streamlit notes in it whether it may run


@cache
def _sections(opened: str, language: str) -> dict[str, list[st.Page]]:
    """The lessons by heading, in this language."""
    sections = dict[str, list[st.Page]]()
    for heading, entries in SECTIONS.items():
        pages = sections[load("shared", language).label(heading) if heading else ""] = []
        for entry in entries:
            paths = [path for path, name in PATHS.items() if name in entry]
            in_menu = opened if opened in paths else paths[0]
            pages += [_page(path, path == in_menu, language) for path in paths]
    sections[""] += [_page(name, False, language) for name in UNLISTED]
    return sections


@cache
def _led_on(path: str, lesson: str, query: tuple[tuple[str, str], ...]) -> st.Page:
    """A page that leads to another one, with what its own address asks for."""

    def go() -> None:
        st.switch_page(page_of(lesson), query_params=st.query_params.to_dict() | dict(query))

    return st.Page(go, title=path, url_path=path, visibility="hidden")


def lead_on(page: st.Page) -> None:
    """Lead an address of earlier versions, where the trained model was a choice of Attention, to the lesson that it is now,
    with all that it asks for."""
    query = st.query_params.to_dict()
    if page.url_path == "attention" and query.pop("content", "") == "trained model":
        query = {key.replace("attention_open", "attention_model_open"): value for key, value in query.items()}
        st.switch_page(page_of("attention_model"), query_params={"head": "2", **query})


@cache
def _page(path: str, in_menu: bool, language: str) -> st.Page:
    """in_menu: whether this page stands for its entry now. language: of its title, for the cache."""
    name = PATHS[path]
    others, lesson = list(ENTRIES[name])[1:], load(name, language)
    about = " · ".join(map(tab, ENTRIES[name])) if others else lesson.label("page_help")
    return st.Page(
        partial(_show, name),
        title=menu_title(name, language),
        icon=next(iter(ENTRIES[name].values())),
        url_path=path or None,
        default=not path,
        help=about,
        visibility="visible" if in_menu else "hidden",
    )


def menu_title(name: str, language: str) -> str:
    """What the menu calls the entry of a lesson."""
    first, *others = ENTRIES[name]
    titles = load("shared", language).entries("menu") if others else {}
    return titles.get(first) or load(first, language).label("page")


def tab(name: str) -> str:
    """What a lesson is called among the tabs of its entry."""
    labels = load(name).entries("labels")
    return labels.get("tab", labels["page"])


def tabs(name: str) -> None:
    """The row of tabs of the page that is open, if its entry has any."""
    if len(ENTRIES[name]) == 1:
        return
    with st.container(key="tabs", horizontal=True, vertical_alignment="center", gap=None):
        for other in ENTRIES[name]:
            if other == name:
                st.html(f'<span aria-current="page">{tab(name)}</span>')  # a link does not say so
            else:
                link(other, tab(other), icon="")


def link(name: str, label: str | None = None, query: dict[str, str] | None = None, icon: str | None = None) -> None:
    """A link to another lesson, with the settings that it is to open with."""
    framing = {
        param: address.value(param) for param in (page_options.PREDICT, page_options.LANGUAGE)
    }  # also in a new tab
    framed = {param.key: address.to_text(value) for param, value in framing.items() if value != param.default}
    lesson = load(name)
    label, about = label or lesson.label("page"), lesson.label("page_help")  # not those of an entry with tabs
    icon = ENTRIES[name][name] if icon is None else icon
    st.page_link(page_of(name), label=label, icon=icon, help=about, query_params=(query or {}) | framed or None)
