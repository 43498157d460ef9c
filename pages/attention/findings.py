"""“What you see” of the Attention lesson: its sentences with the numbers of this picture."""

from alibi_viz import trained
from alibi_viz.lessons import Lesson
from alibi_viz.ui import page, ranking
from alibi_viz.ui.controls.content import sizes
from alibi_viz.ui.format import escape_markdown, format_number, format_slope
from pages.attention import study
from pages.attention.charts import shortened
from pages.attention.study import Controls, Result, Synthetic, Trained

NEAREST = 4  # tokens


def show(lesson: Lesson, controls: Controls, result: Result) -> None:
    if isinstance(controls, Trained):
        _trained(lesson, controls, result)
    else:
        _synthetic(lesson, controls, result)


def _synthetic(lesson: Lesson, controls: Synthetic, result: Result) -> None:
    """The last query's numbers, and the checks."""
    assert result.slopes is not None
    count, cached = len(controls.tokens), min(controls.cached, len(controls.tokens))
    row, window = study.row(controls, count - 1), min(NEAREST, count)
    assert row.weights_without_bias is not None
    numbers = vars(controls.setting) | {
        "tokens": count,
        "head": controls.head,
        "slope": format_slope(result.slopes[controls.head - 1]),
        "window": window,
        "query": escape_markdown(shortened(controls.tokens[-1], 24)),
        "near": row.weights[-window:].sum(),
        "near_plain": row.weights_without_bias[-window:].sum(),
        "count": cached,
        "steps": min(cached, study.STEPS),
        "cache": format_number(study.cached_difference(controls)),
        "fused": format_number(study.fused_difference(controls)),
        "checked": lesson.label("checked_all" if count <= study.ALL_HEADS_UP_TO else "checked_one", head=controls.head),
    }
    page.what_you_see(lesson, "seen.base", **numbers)
    if controls.strength == 0 and controls.setting.content == "equal":
        page.prose(lesson, "seen.off")
    if not result.exact:
        page.prose(lesson, "seen.approximate", **numbers)
    page.prose(lesson, f"seen.checks.{'causal' if controls.causal else 'unmasked'}", **numbers)


def _trained(lesson: Lesson, controls: Trained, result: Result) -> None:
    """Where the last byte looks, and how well the model reads this text inside and beyond L."""
    loaded, text, length = controls.loaded, controls.text, controls.loaded.config.length
    reading = trained.read(loaded, text, controls.layer, controls.head, controls.strength, result.step)
    inside_count = min(length, len(text) - 1)
    numbers = sizes(loaded.config) | {
        "bytes": len(text),
        "layer": controls.layer,
        "head": controls.head,
        "query": escape_markdown(controls.labels[-1]),
        "share": reading.shares[controls.head - 1],
        "least": reading.shares.min(),
        "most": reading.shares.max(),
        "inside": reading.inside,
        "beyond": reading.beyond,
        "inside_count": inside_count,
        "beyond_count": len(text) - 1 - inside_count,
    }
    ends = "ends" if len(text) == loaded.model.position.max_position else "inside"
    page.what_you_see(lesson, f"seen.trained.{'beyond' if len(text) > length else ends}", **numbers)
    if reading.inside is None:
        return
    kind = "inside" if reading.beyond is None else "beyond"
    page.prose(lesson, f"loss.{kind}", **numbers)
    if controls.strength != 1:
        inside, beyond = trained.inside_beyond(trained.losses(loaded, text), length)
        strength = format_number(controls.strength)
        page.prose(lesson, f"loss.strength.{kind}", strength=strength, inside=inside, beyond=beyond)
    ranking.show(len(text) - 1)
