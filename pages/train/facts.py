"""What the sentences of the lesson that trains models say of the runs."""

from dataclasses import dataclass
from math import exp

from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import Corpus
from alibi_viz.results.measured import WORSE
from alibi_viz.ui.format import escape_markdown
from pages.train import study


@dataclass(frozen=True)
class Facts:
    """The runs of the controls, and what they gave."""

    length: int  # bytes a training sequence
    batch: int  # sequences a step
    steps: int
    tokens: int  # bytes that training reads
    pairs: int  # of the recall task
    bytes: int  # of the sample of the held-out text
    each: str  # a sentence for each run
    bigram: float  # perplexity of a bigram model; 0 for the recall task
    worse: float = WORSE  # nats per word


def facts_of(config: TrainConfig, each: str, bigram: float) -> Facts:
    return Facts(
        length=config.length,
        batch=config.batch,
        steps=config.steps,
        tokens=config.tokens,
        pairs=config.pairs,
        bytes=study.plan_for(config.steps).sample_bytes,
        each=each,
        bigram=bigram,
    )


@dataclass(frozen=True)
class Size:
    parameters: int
    bytes: int  # that training reads


@dataclass(frozen=True)
class Formula:
    """When a model is said to hold at 4 L."""

    bytes_per_word: float
    factor: float  # of its perplexity per byte
    worse: float = WORSE  # nats per word


def formula_of(bytes_per_word: float) -> Formula:
    return Formula(bytes_per_word, exp(WORSE / bytes_per_word))


@dataclass(frozen=True)
class OwnText:
    title: str
    train: int  # bytes
    held_out: int


def own_text_of(corpus: Corpus) -> OwnText:
    return OwnText(escape_markdown(corpus.title), len(corpus.train), len(corpus.held_out))


@dataclass(frozen=True)
class Unknown:
    given: str  # in the place of a method


@dataclass(frozen=True)
class Count:
    count: int  # runs
