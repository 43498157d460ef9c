"""What the sentences of the Attention lesson say of its matrices: of made-up content, and of models that read."""

from dataclasses import dataclass

from alibi_viz.attention.pictures import near_share, nearest
from alibi_viz.checkpoints.presets import REPLIT
from alibi_viz.lessons import Lesson
from alibi_viz.lm.config import TrainConfig
from alibi_viz.results import trained
from alibi_viz.ui.controls.content import ModelSizes, sizes
from alibi_viz.ui.format import escape_markdown, format_difference, format_number, format_slope
from pages.attention import study
from pages.attention.charts import shortened
from pages.attention.study import Controls, Local, Result, Synthetic, Trained

LETTERS = 24  # of a token in a sentence


def quoted(token: str) -> str:
    return escape_markdown(shortened(token, LETTERS))


@dataclass(frozen=True)
class Few:
    """A query with fewer than two tokens before it: none of them is far."""

    query: str
    tokens: int


@dataclass(frozen=True)
class Near:
    """What the first query gives to the nearest tokens."""

    query: str
    window: int  # nearest tokens
    near: float  # share of the weight on earlier tokens that goes to these, and that without the bias
    near_plain: float


def near_of(controls: Controls) -> Near | Few | None:
    """None where there is no bias to leave out."""
    query = study.first_query(controls)
    row, named = study.row(controls, query), quoted(controls.labels[query])
    if row.weights_without_bias is None:
        return None
    if query < 2:
        return Few(named, len(controls.labels))
    shares = (near_share(weights, query) for weights in (row.weights, row.weights_without_bias))
    return Near(named, nearest(query), *shares)


@dataclass(frozen=True)
class Facts(Near):
    """Synthetic content, and where its first query attends."""

    tokens: int
    heads: int
    head: int
    slope: str
    strength: str


def facts_of(controls: Synthetic, result: Result) -> Facts | Few:
    near, setting = near_of(controls), controls.setting
    assert result.slopes is not None
    assert near is not None
    if isinstance(near, Few):
        return near
    slope = result.slopes[controls.head - 1]
    return Facts(
        **vars(near),
        tokens=len(controls.tokens),
        heads=setting.heads,
        head=controls.head,
        slope=format_slope(slope),
        strength=format_number(controls.strength),
    )


@dataclass(frozen=True)
class Formula:
    head: int
    head_dim: int
    strength: float
    m: float  # the slope
    slope: str


def formula_of(controls: Controls, result: Result) -> Formula:
    assert result.slopes is not None
    m = result.slopes[controls.head - 1]
    return Formula(controls.head, result.method.head_dim, controls.strength, m, format_slope(m))


@dataclass(frozen=True)
class Checks:
    """The same numbers in other ways."""

    count: int  # tokens in the cache
    steps: int  # of these, one by one
    cache: str  # largest difference
    fused: str
    checked: str  # which heads, in a sentence


def checks_of(lesson: Lesson, controls: Synthetic) -> Checks:
    count, cached = len(controls.tokens), min(controls.cached, len(controls.tokens))
    scale = study.value_scale(controls)
    return Checks(
        count=cached,
        steps=min(cached, study.STEPS),
        cache=format_difference(study.cached_difference(controls), scale),
        fused=format_difference(study.fused_difference(controls), scale),
        checked=lesson.label("checked_all" if count <= study.ALL_HEADS_UP_TO else "checked_one", head=controls.head),
    )


@dataclass(frozen=True)
class Method:
    method: str


@dataclass(frozen=True)
class Reading:
    """What a trained model makes of the text."""

    method: str
    length: int  # of its training, bytes
    bytes: int
    layer: int
    head: int
    heads: int
    query: str
    share: float  # of the last byte's weight, to the last `length` bytes
    least: float  # of all heads
    most: float
    inside: float | None  # loss in nats a byte; None: there is no such byte
    beyond: float | None
    inside_count: int
    beyond_count: int


def reading_of(controls: Trained, result: Result) -> Reading:
    loaded, text = controls.loaded, controls.text
    read = trained.read(loaded, text, controls.layer, controls.head, controls.strength, result.step)
    inside_count = min(loaded.config.length, len(text) - 1)
    return Reading(
        method=result.method.title,
        length=loaded.config.length,
        bytes=len(text),
        layer=controls.layer,
        head=controls.head,
        heads=loaded.config.heads,
        query=escape_markdown(controls.labels[-1]),
        share=read.shares[controls.head - 1],
        least=read.shares.min(),
        most=read.shares.max(),
        inside=read.inside,
        beyond=read.beyond,
        inside_count=inside_count,
        beyond_count=len(text) - 1 - inside_count,
    )


@dataclass(frozen=True)
class AsTrained:
    """The loss with another strength than that of the training."""

    strength: str
    inside: float | None  # loss with that of the training
    beyond: float | None


def as_trained(controls: Trained) -> AsTrained:
    losses = trained.losses(controls.loaded, controls.text)
    return AsTrained(format_number(controls.strength), *trained.inside_beyond(losses, controls.loaded.config.length))


@dataclass(frozen=True)
class Checkpoint:
    """What a checkpoint's head does with the text."""

    model: str
    tokens: int
    given: int  # tokens of the whole text
    layer: int
    layers: int
    head: int
    heads: int
    query: str
    window: int  # nearest tokens
    near: float  # share of the last token's weight on earlier ones that goes to these, and that by position alone
    near_alone: float


def checkpoint_of(controls: Local, result: Result) -> Checkpoint:
    config, count = controls.config, len(controls.labels)
    query = count - 1
    return Checkpoint(
        model=escape_markdown(controls.reading.checkpoint.folder.name),
        tokens=count,
        given=controls.reading.text.given,
        layer=controls.layer,
        layers=config.layers or 0,
        head=controls.head,
        heads=config.heads,
        query=quoted(controls.labels[-1]),
        window=nearest(query),
        near=near_share(result.stages.weights[-1], query),
        near_alone=near_share(study.alone(controls)[-1], query),
    )


def made_of(lesson: Lesson, config: TrainConfig) -> ModelSizes:
    """How a model of this app was made."""
    return sizes(config, lesson.label("corpus_own" if config.corpus.startswith("text:") else "corpus_built_in"))


@dataclass(frozen=True)
class Instead:
    """A text that is too long, or a model that is not here, and what the page uses."""

    given: int | str
    used: int | str
    why: str = ""


@dataclass(frozen=True)
class Square:
    step: int  # queries, and keys, for which a square of the picture stands


@dataclass(frozen=True)
class Sources:
    heads: int = REPLIT.heads
    kv_heads: int | None = REPLIT.kv_heads
