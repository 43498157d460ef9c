"""“What you see” of the Attention lesson: its sentences with the numbers of this picture."""

from collections.abc import Sequence

import numpy as np

from alibi_viz import trained
from alibi_viz.lessons import Lesson, load
from alibi_viz.ui import page, predict, ranking
from alibi_viz.ui import stage as layout
from alibi_viz.ui.controls.content import sizes
from alibi_viz.ui.format import escape_markdown, format_difference, format_number, format_slope
from pages.attention import study
from pages.attention.charts import shortened
from pages.attention.controls import show_cached
from pages.attention.study import Controls, Local, Result, Synthetic, Trained

NEAREST = 4  # tokens
FARTHER = 8  # tokens, of the worksheet's second question


def show(lesson: Lesson, controls: Controls, result: Result) -> None:
    if isinstance(controls, Synthetic):
        _synthetic(lesson, controls, result)
    elif isinstance(controls, Trained):
        _trained(lesson, controls, result)
    else:
        _local(lesson, controls, result)


def question(lesson: Lesson, controls: Controls) -> tuple[predict.Question | None, Sequence[tuple[int, int]]]:
    """What the bias leaves of the largest weight of a far key, in the last row, and its cell.

    None where no bias changes one.
    """
    query = len(controls.labels) - 1
    row = study.row(controls, query)
    if row.bias is None or row.weights_without_bias is None or query < NEAREST:
        return None, ()
    key = int(np.argmax(row.weights_without_bias[: query - NEAREST + 1]))
    before, after = row.weights_without_bias[key], row.weights[key]
    if row.bias[key] == 0 or not np.isfinite(row.bias[key]):
        return None, ()
    right = 2 if after >= before else 1 if after >= before / 2 else 0
    numbers: dict[str, object] = {
        "query": escape_markdown(shortened(controls.labels[query], 24)),
        "key": escape_markdown(shortened(controls.labels[key], 24)),
        "distance": query - key,
        "before": format_number(float(before), 2),
        "bias": format_number(float(row.bias[key])),
    }
    options = [lesson.label(f"left_{kind}") for kind in ("little", "much", "more")]
    return predict.Question(lesson, options, [right], numbers), [(query, key)]


def note(lesson: Lesson, controls: Controls, result: Result) -> None:
    """Two sentences beside the picture."""
    if isinstance(controls, Synthetic):
        layout.note(lesson, **_last_query(controls))
    else:
        layout.note(lesson, f"how.{result.method.acts_on}", method=result.method.title)


def alt(lesson: Lesson, controls: Controls, result: Result) -> str:
    """The picture in words."""
    if isinstance(controls, Trained):
        return lesson.plain(f"seen.trained.{_beyond(controls)}", **_of_reading(controls, result))
    if isinstance(controls, Local):
        return lesson.plain("seen.local", **_of_checkpoint(controls, result))
    return lesson.plain("note", **_last_query(controls))


def _beyond(controls: Trained) -> str:
    """Which sentences fit the length of the text: beyond L, not, or as far as the model can read."""
    count, loaded = len(controls.text), controls.loaded
    if count > loaded.config.length:
        return "beyond"
    return "ends" if count == loaded.model.position.max_position else "inside"


def _last_query(controls: Synthetic) -> dict[str, object]:
    """How much of its weight the last query gives to the nearest tokens."""
    count = len(controls.tokens)
    row, window = study.row(controls, count - 1), min(NEAREST, count)
    assert row.weights_without_bias is not None
    return {
        "query": escape_markdown(shortened(controls.tokens[-1], 24)),
        "window": window,
        "near": row.weights[-window:].sum(),
        "near_plain": row.weights_without_bias[-window:].sum(),
    }


def _synthetic(lesson: Lesson, controls: Synthetic, result: Result) -> None:
    """The last query's numbers."""
    assert result.slopes is not None
    slope = format_slope(result.slopes[controls.head - 1])
    numbers = vars(controls.setting) | {"tokens": len(controls.tokens), "head": controls.head, "slope": slope}
    farther = float(np.exp(-FARTHER * controls.strength * result.slopes[controls.head - 1]))
    numbers |= {"strength": format_number(controls.strength), "farther": FARTHER, "factor": format_number(farther)}
    page.what_you_see(lesson, "seen.base" if controls.strength > 0 else "seen.zero", **numbers | _last_query(controls))
    if controls.strength == 0 and controls.setting.content == "equal":
        page.prose(lesson, "seen.off")
    if not result.exact:
        page.prose(lesson, "seen.approximate", **numbers)


def checks(lesson: Lesson, controls: Synthetic) -> None:
    """The same numbers in other ways: token by token with a cache, and by the fused kernel."""
    show_cached(lesson)
    count, cached = len(controls.tokens), min(controls.cached, len(controls.tokens))
    scale = study.value_scale(controls)
    numbers = {
        "count": cached,
        "steps": min(cached, study.STEPS),
        "cache": format_difference(study.cached_difference(controls), scale),
        "fused": format_difference(study.fused_difference(controls), scale),
        "checked": lesson.label("checked_all" if count <= study.ALL_HEADS_UP_TO else "checked_one", head=controls.head),
    }
    page.prose(lesson, f"seen.checks.{'causal' if controls.causal else 'unmasked'}", **numbers)


def _trained(lesson: Lesson, controls: Trained, result: Result) -> None:
    """Where the last byte attends."""
    page.what_you_see(lesson, f"seen.trained.{_beyond(controls)}", **_of_reading(controls, result))


def _local(lesson: Lesson, controls: Local, result: Result) -> None:
    """Where the last token attends, and what the page leaves out."""
    numbers, config, text = _of_checkpoint(controls, result), controls.config, controls.reading.text
    page.what_you_see(lesson, "seen.local", **numbers)
    mine = load("models")
    remarks = {"remark.mpt": config.family == "mpt", "remark.encoder": not config.causal}
    remarks |= {"remark.cut": text.given > len(text.ids)}
    for section in (section for section, holds in remarks.items() if holds):
        page.prose(mine, section, **numbers)


def _of_checkpoint(controls: Local, result: Result) -> dict[str, object]:
    """What a checkpoint's head does with the text, for the sentences."""
    config, count = controls.config, len(controls.labels)
    first, last = max(count - NEAREST, 0), result.stages.weights[-1]
    return {
        "model": escape_markdown(controls.reading.checkpoint.folder.name),
        "tokens": count,
        "given": controls.reading.text.given,
        "layer": controls.layer,
        "layers": config.layers,
        "head": controls.head,
        "heads": config.heads,
        "query": escape_markdown(shortened(controls.labels[-1], 24)),
        "window": count - first,
        "near": last[first:].sum(),
        "near_alone": study.alone(controls)[-1, first:].sum(),
    }


def reading(lesson: Lesson, controls: Trained, result: Result) -> None:
    """How well the model reads this text, inside and beyond L."""
    loaded, text, length = controls.loaded, controls.text, controls.loaded.config.length
    numbers = _of_reading(controls, result)
    if numbers["inside"] is None:
        page.prose(lesson, "loss.none")
        return
    kind = "inside" if numbers["beyond"] is None else "beyond"
    page.prose(lesson, f"loss.{kind}", **numbers)
    if controls.strength != 1:
        inside, beyond = trained.inside_beyond(trained.losses(loaded, text), length)
        strength = format_number(controls.strength)
        page.prose(lesson, f"loss.strength.{kind}", strength=strength, inside=inside, beyond=beyond)
    ranking.show(len(text) - 1)


def _of_reading(controls: Trained, result: Result) -> dict[str, object]:
    """What the model makes of the text, for the sentences."""
    loaded, text, length = controls.loaded, controls.text, controls.loaded.config.length
    read = trained.read(loaded, text, controls.layer, controls.head, controls.strength, result.step)
    inside_count = min(length, len(text) - 1)
    return sizes(loaded.config) | {
        "bytes": len(text),
        "layer": controls.layer,
        "head": controls.head,
        "query": escape_markdown(controls.labels[-1]),
        "share": read.shares[controls.head - 1],
        "least": read.shares.min(),
        "most": read.shares.max(),
        "inside": read.inside,
        "beyond": read.beyond,
        "inside_count": inside_count,
        "beyond_count": len(text) - 1 - inside_count,
    }
