"""What the sentences of the lesson “use” say of the shipped runs, and of what its sections count."""

from collections.abc import Callable
from dataclasses import dataclass
from math import isnan

from alibi_viz.lessons import Lesson
from alibi_viz.ui.format import format_bytes, format_number
from pages.use.study import BATCH_TOKENS, KEY_HEADS, PADDING, QUERY_HEADS, WIDTH, Result, Variant, memory


@dataclass(frozen=True)
class Facts:
    """The runs. A list names each variant with its number."""

    layers: int
    width: int
    heads: int
    parameters: int
    length: int  # bytes a training sequence
    batch: int  # sequences a step
    steps: int
    seeds: str
    losses: str  # list: the last training losses
    at_list: str  # list: perplexities at `length`
    far: int  # bytes
    far_list: str  # list: perplexities at `far`
    pace: str  # list: milliseconds of a training step


def facts_of(lesson: Lesson, result: Result) -> Facts:
    config, far = result.config, result.far
    return Facts(
        layers=config.layers,
        width=config.width,
        heads=config.heads,
        parameters=config.parameters,
        length=config.length,
        batch=config.batch,
        steps=config.steps,
        seeds="–".join(str(count) for count in sorted({len(variant.curve.seeds) for variant in result.variants})),
        losses=_listed(lesson, result, lambda v: v.final),
        at_list=_listed(lesson, result, lambda v: v.curve.at(config.length) or 0),
        far=far,
        far_list=_listed(lesson, result, lambda v: v.curve.at(far) or 0),
        pace=_listed(lesson, result, lambda v: 1000 * v.step_seconds, "{:.1f}".format),
    )


def name(lesson: Lesson, variant: Variant) -> str:
    return lesson.entry("variants", variant.key)


def _listed(
    lesson: Lesson,
    result: Result,
    score: Callable[[Variant], float],
    write: Callable[[float], str] = format_number,
) -> str:
    """The variants that have a score, each with it."""
    scores = {name(lesson, variant): score(variant) for variant in result.variants}
    return ", ".join(f"{title} **{write(value)}**" for title, value in scores.items() if not isnan(value))


@dataclass(frozen=True)
class Layer:
    """The layer whose bytes are counted, and those of ALiBi."""

    tokens: int
    square: str  # bytes of the bias as a full matrix, and of its row for one decode step
    row: str
    cache: str
    heads: int = QUERY_HEADS
    kv_heads: int = KEY_HEADS
    head_dim: int = WIDTH


def layer_of(tokens: int) -> Layer:
    sizes = {row.key: format_bytes(row.alibi) for row in memory(tokens)}
    return Layer(tokens, sizes["square"], sizes["row"], sizes["cache"])


@dataclass(frozen=True)
class Batch:
    padding: int = PADDING  # tokens
    tokens: int = BATCH_TOKENS
