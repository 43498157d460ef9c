"""A trained model on a short text ranks no methods: the order that the shipped runs gave on a long one, beside it."""

from alibi_viz.lessons import load
from alibi_viz.results import measured
from alibi_viz.ui import page
from alibi_viz.ui.controls.method_pills import TITLES
from alibi_viz.ui.shell import navigation


def show(count: int) -> None:
    """Say that `count` predictions are too few, and what the shipped runs gave; nothing where these are missing."""
    runs, lesson = measured.shipped(), load("compare")
    curves = measured.curves(runs, "nonoverlapping")
    point = runs[0].at(runs[0].config.length) if runs else None
    if not curves or point is None:
        return
    order = ", ".join(f"{TITLES[method]} {perplexity:.2f}" for method, perplexity in measured.ranked(curves))
    numbers = {"all": point.predictions, "length": point.length, "seeds": len(curves[0].seeds)}
    page.prose(lesson, "ranking", count=count, order=order, **numbers)
    navigation.link("extrapolation", lesson.label("extrapolation"))
