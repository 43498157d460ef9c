"""The states of a page that the site has: at its defaults, as its presets and the plans of a class set it, and with one
choice each of a reader.

What the page is then, Python has drawn in advance. Other states lead to the app.
"""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl

from alibi_viz.classroom.plans import PLANS
from alibi_viz.export import compressed
from alibi_viz.lessons import load
from alibi_viz.ui.controls import page_options
from alibi_viz.ui.exporting import run_page, started
from alibi_viz.ui.page import ON_SITE
from alibi_viz.ui.shell import navigation
from alibi_viz.ui.site.page import ANSWER, SKIP, Page

MOST, LARGEST = 30, 40_000  # of a page; bytes of what one state adds to it


def ran(language: str) -> Iterator[dict[str, Page]]:
    """Every page of the app in a language, in its states by their names; the first one has none. Pages share values, so all
    stand at their defaults first.
    """
    app = started()
    app.session_state[ON_SITE] = True
    for first in [_run(app, name, language, {}) for name in navigation.ENTRIES]:
        yield _states(app, first, language)


def _run(app: Any, name: str, language: str, values: Mapping[str, str]) -> Page:
    """A page with these values and all its sections open. Raises ValueError where it fails."""
    text = load(name)
    sections = ",".join([*(text.entries("sections") if "sections" in text else ()), "code"])
    app.query_params.clear()
    try:
        run_page(app, name, {page_options.LANGUAGE.key: language, **values, f"{name}_open": sections})
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None
    return Page(app, name, language)


def _states(app: Any, first: Page, language: str) -> dict[str, Page]:
    found: dict[str, Page] = {}

    def visit(state: str) -> None:
        found[state] = page = _run(app, first.name, language, first.defaults | dict(parse_qsl(state)))
        found[page.state(page.values)] = page  # the app's address of it, where a default follows a value
        for button in [button for button in app.button if button.key == SKIP]:
            button.click().run()
            page = Page(app, first.name, language)
            found[page.state(page.values | {ANSWER: "true"})] = page

    visit("")
    if first.name == "train":
        return found
    planned = [step.query for plan in PLANS.values() for step in plan if step.page == first.name]
    others = {*first.pythons, ANSWER}
    for values in (*first.offers, *planned) if first.offers else ():
        state = first.state({**first.values, **values})
        if state not in found and len(found) < MOST and others.isdisjoint(dict(parse_qsl(state))):
            visit(state)
    kept = {state: page for state, page in found.items() if _added(page, found[""]) <= LARGEST}
    for page in kept.values():
        page.defaults = first.defaults  # its own may follow its values
        page.draw(kept)
    return kept


def _added(page: Page, first: Page) -> int:
    """Bytes of what moves otherwise than in the first state."""
    numbers = [content for name, content in page.numbers.items() if name not in first.numbers]
    return sum(len(compressed(sent)) for sent in (page.parts_unlike(first), *numbers))
