"""What the sentences of the lesson on a model of the reader's say of it."""

from dataclasses import dataclass

from alibi_viz.checkpoints import folder
from alibi_viz.checkpoints.config import ModelConfig
from alibi_viz.checkpoints.examples import EXAMPLES
from alibi_viz.lessons import Lesson
from alibi_viz.ui.format import escape_markdown, format_slope
from pages.models.study import Result


@dataclass(frozen=True)
class Facts:
    model: str
    method: str
    shape: str  # its layers and heads, in words
    layers: int  # 0: the file does not say
    heads: int
    kv_heads: int
    head_dim: int
    length: str  # tokens in training, as the file says
    cached: int  # numbers of a token in the KV cache of a layer
    parameters: int  # of the position method
    far: str  # tokens: the distance of the question
    limit: str  # of what it is twice as much
    beyond: str  # what the method gives at this distance
    layer: int  # the chosen head; 0 without a checkpoint
    head: int
    tokens: int  # of the text that it reads, and of the text that was given
    given: int
    steepest: str  # slopes
    gentlest: str
    base: str  # of RoPE
    rotated: int  # numbers of a head
    scaling: str | None
    factor: float | None
    buckets: int  # of T5
    max_distance: int
    scaled_length: str  # tokens, for which RoPE was scaled
    window: int  # tokens; 0: none
    window_layers: str  # how many layers have it, in words
    local_base: str  # of RoPE, in these layers
    nope_layers: str  # their numbers
    not_computed: str


def facts_of(lesson: Lesson, result: Result) -> Facts:
    config, head = result.controls.config, result.controls.head
    options, slopes = config.options, config.slopes or (0.0,)
    return Facts(
        model=escape_markdown(result.controls.title),
        method=config.title,
        shape=lesson.entry("shape", "plain" if config.layers else "heads", layers=config.layers, heads=config.heads),
        layers=config.layers or 0,
        heads=config.heads,
        kv_heads=config.kv_heads,
        head_dim=config.head_dim,
        length=f"{config.train_length:,}" if config.train_length else lesson.label("unknown"),
        cached=2 * config.kv_heads * config.head_dim,
        parameters=result.parameters,
        far=f"{result.far:,}",
        limit=lesson.entry("limit", _limit(config)),
        beyond=lesson.entry("options", result.beyond) if result.beyond else "",
        layer=head.layer if head else 0,
        head=head.head if head else 0,
        tokens=len(head.text.ids) if head else 0,
        given=head.text.given if head else 0,
        steepest=format_slope(max(slopes)),
        gentlest=format_slope(min(slopes)),
        base=f"{options.get('base', 0):,.0f}",
        rotated=options.get("rotary_dim", config.head_dim),
        scaling=options.get("scaling"),
        factor=options.get("factor"),
        buckets=options.get("num_buckets", 0),
        max_distance=options.get("max_distance", 0),
        scaled_length=f"{config.scaled_length:,}" if config.scaled_length else lesson.label("unknown"),
        window=config.window or 0,
        window_layers=lesson.entry(
            "window", _which(config), count=len(config.window_layers or ()), layers=config.layers
        ),
        local_base=f"{config.local_base or 0:,.0f}",
        nope_layers=", ".join(map(str, config.nope_layers)),
        not_computed=escape_markdown(", ".join(config.not_computed)),
    )


def _which(config: ModelConfig) -> str:
    """Whether all layers have the window."""
    if config.window_layers is None:
        return "unknown"
    return "all" if len(config.window_layers) == config.layers else "some"


def _limit(config: ModelConfig) -> str:
    """What the file's length is: that before scaling, if RoPE is scaled; T5's file may name none."""
    if config.train_length is None:
        return "t5"
    return "scaled" if config.options.get("scaling") else "plain"


@dataclass(frozen=True)
class Folder:
    setting: str = folder.SETTING  # the environment variable that names it


@dataclass(frozen=True)
class Sources:
    models: str = "; ".join(f"{example.title} ({example.name}): {example.source}" for example in EXAMPLES.values())
