"""What axe-core finds on an open page, without what is Streamlit's own."""

from typing import Any

from axe_playwright_python.sync_playwright import Axe

# Streamlit's own markup, by rule and place: the menu groups its list items in <div> elements, and the place where a file is
# dropped has a name though it is no control (the button in it is).
STREAMLITS = {
    "list": "[data-testid=stSidebarNavItems]",
    "listitem": "[data-testid=stSidebarNavItems] li",
    "presentation-role-conflict": "[data-testid=stFileUploaderDropzone]",
}
IS_STREAMLITS = "([path, own]) => document.querySelector(path)?.matches(own) ?? false"
LOADED = "() => typeof window.axe === 'object'"
#: With a rule that axe leaves out by default: who says what is written on a control must reach it.
RUN = "() => axe.run({resultTypes: ['violations'], rules: {'label-content-name-mismatch': {enabled: true}}})"
_AXE = Axe()


def violations(page: Any) -> list[str]:
    """A line for each violation of an element that is ours: the rule, the element, and what is wrong."""
    if not page.evaluate(LOADED):
        page.evaluate(_AXE.axe_script)
    return [
        f"{rule['id']}: {node['html'][:160]} {node['failureSummary']}"
        for rule in page.evaluate(RUN)["violations"]
        for node in rule["nodes"]
        if not _is_streamlits(page, rule["id"], node["target"])
    ]


def _is_streamlits(page: Any, rule: str, target: list[Any]) -> bool:
    own = STREAMLITS.get(rule)
    # A path with several steps leads into a shadow root: a component, which is ours.
    return own is not None and len(target) == 1 and page.evaluate(IS_STREAMLITS, [target[0], own])
