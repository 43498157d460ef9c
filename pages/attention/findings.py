"""“What you see” of the Attention lesson: its sentences with the numbers of this picture."""

from collections.abc import Mapping

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
    last = len(controls.tokens) - 1
    row, window = study.row(controls, last), min(NEAREST, last + 1)
    assert row.weights_without_bias is not None
    near, near_plain = (f"{100 * float(x[-window:].sum()):.0f}%" for x in (row.weights, row.weights_without_bias))
    page.what_you_see(
        lesson,
        "seen.base",
        tokens=f"{last + 1:,}",
        head=controls.head,
        heads=controls.setting.heads,
        slope=format_slope(result.slopes[controls.head - 1]),
        window=window,
        query=escape_markdown(shortened(controls.tokens[last], 24)),
        near=near,
        near_plain=near_plain,
    )
    if controls.strength == 0 and controls.setting.content == "equal":
        page.prose(lesson, "seen.off")
    if not result.exact:
        page.prose(lesson, "seen.approximate", head_dim=controls.setting.head_dim)
    numbers = {
        "count": f"{min(controls.cached, last + 1):,}",
        "cache": format_number(study.cached_difference(controls)),
        "fused": format_number(study.fused_difference(controls)),
        "head": controls.head,
    }
    page.prose(lesson, f"seen.checks.{'all' if last < study.ALL_HEADS_UP_TO else 'one'}", **numbers)


def _trained(lesson: Lesson, controls: Trained, result: Result) -> None:
    """Where the last byte looks, and how well the model reads this text inside and beyond L."""
    loaded, text, config = controls.loaded, controls.text, controls.loaded.config
    reading = trained.read(loaded, text, controls.layer, controls.head, controls.strength, result.step)
    shares = {"share": reading.shares[controls.head - 1], "least": reading.shares.min(), "most": reading.shares.max()}
    numbers: Mapping[str, object] = {
        **sizes(config),
        "bytes": f"{len(text):,}",
        "layer": controls.layer,
        "head": controls.head,
        "query": escape_markdown(controls.labels[-1]),
        **{name: f"{100 * float(share):.0f}%" for name, share in shares.items()},
    }
    if len(text) > config.length:
        section = "beyond"
    else:
        section = "ends" if len(text) == loaded.model.position.max_position else "inside"
    page.what_you_see(lesson, f"seen.trained.{section}", **numbers)
    if reading.inside is None:
        return
    kind = "inside" if reading.beyond is None else "beyond"
    inside_count = min(config.length, len(text) - 1)
    counts = {"inside_count": f"{inside_count:,}", "beyond_count": f"{len(text) - 1 - inside_count:,}"}
    page.prose(lesson, f"loss.{kind}", **_losses(reading.inside, reading.beyond), **counts, **sizes(config))
    if controls.strength != 1:
        as_trained = trained.inside_beyond(trained.losses(loaded, text), config.length)
        strength = format_number(controls.strength)
        page.prose(lesson, f"loss.strength.{kind}", strength=strength, **_losses(*as_trained))
    ranking.show(len(text) - 1)


def _losses(inside: float | None, beyond: float | None) -> dict[str, str]:
    losses = {"inside": inside, "beyond": beyond}
    return {name: f"{loss:.2f}" for name, loss in losses.items() if loss is not None}
