"""The configuration of a training run: checked when it is built, and named by its hash.

Equal configurations have equal hashes, on every machine and in every Python version, and share one run.
"""

import functools
import hashlib
import json
from dataclasses import dataclass, fields
from typing import Any

from alibi_viz.checks import finite_number, one_of, whole_number
from alibi_viz.lessons.problems import Problem
from alibi_viz.lm.corpus import BUILT_IN, HELP_TEXTS
from alibi_viz.lm.recall import FEWEST, MOST, shortest
from alibi_viz.positions import METHODS

RECALL = "recall"
BUILT_INS = (BUILT_IN, RECALL)  # what a reader can train on by its name
CORPORA = (*BUILT_INS, *HELP_TEXTS.values())  # what shipped models have learned
BLOCKS: dict[str, tuple[str, ...]] = {  # of a model's layers -> the methods that it knows
    "gpt": tuple(METHODS),  # layer norm, an MLP with GELU, and the attention that shows every stage
    "llama": ("rope", "alibi"),  # RMS norm, SwiGLU, and the attention of `drop_in`
}
FORMAT, RECALL_FORMAT = 1, 2  # in the hash of a run; raise it when the same configuration would give other weights
BOUNDS: dict[str, tuple[int, int]] = {
    "length": (8, 4096),
    "width": (8, 512),
    "layers": (1, 12),
    "heads": (1, 64),
    "head_dim": (1, 128),
    "steps": (1, 100_000),
    "batch": (1, 256),
    "seed": (0, 2**31 - 1),
    "warmup": (0, 10_000),
    "pairs": (FEWEST, MOST),
}


@dataclass(frozen=True)
class TrainConfig:
    """What training needs to know. Raises ValueError if a value is out of range."""

    method: str = "alibi"  # a key of positions.METHODS
    options: tuple[tuple[str, Any], ...] = ()  # the method's own options, sorted by name; a mapping is taken too
    length: int = 128  # L, bytes a training sequence
    width: int = 64  # D
    layers: int = 2
    heads: int = 8
    head_dim: int = 16  # d
    steps: int = 2000
    batch: int = 16  # sequences a step
    seed: int = 0  # weights and batches follow from it
    corpus: str = BUILT_IN  # one of CORPORA, or "text:<hash>": a reader's own
    recall_distance: int = 0  # recall: farthest key-to-question distance trained, in bytes; 0: as far as L allows
    pairs: int = 4  # recall: pairs in a training sequence
    learning_rate: float = 0.0  # AdamW's largest; 0: the one that suits the width (see `usual_learning_rate`)
    weight_decay: float = 0.1
    warmup: int = 100  # steps; at most a quarter of all
    clip: float = 1.0  # largest norm of the gradient
    block: str = "gpt"  # a key of BLOCKS

    def __post_init__(self) -> None:
        one_of(self.method, "The position method", METHODS)
        one_of(self.method, f"The position method of a {one_of(self.block, 'block', BLOCKS)} block", BLOCKS[self.block])
        for name, (least, most) in BOUNDS.items():
            object.__setattr__(self, name, whole_number(getattr(self, name), name, least, most))
        if self.learning_rate == 0:
            object.__setattr__(self, "learning_rate", usual_learning_rate(self.width))
        for name in ("learning_rate", "weight_decay", "clip"):
            number = finite_number(getattr(self, name), name, positive=name != "weight_decay")
            if not 0 <= number <= 100:
                raise ValueError(f"{name} must be between 0 and 100, not {number:g}.")
            object.__setattr__(self, name, number)
        if not (isinstance(self.corpus, str) and (self.corpus in CORPORA or self.corpus[:5] == "text:")):
            names = ", ".join(map(repr, CORPORA))
            raise ValueError(f"The corpus must be {names} or 'text:<hash>', not {self.corpus!r}.")
        farthest = whole_number(self.recall_distance, "recall_distance", 0, self.length if self.is_recall else 0)
        object.__setattr__(self, "recall_distance", farthest)
        if self.is_recall and self.length < shortest(self.pairs):
            raise Problem("methods.recall", pairs=self.pairs, least=shortest(self.pairs))
        object.__setattr__(self, "options", tuple(sorted(dict(self.options).items())))

    @property
    def is_recall(self) -> bool:
        return self.corpus == RECALL

    @property
    def has_own_text(self) -> bool:
        """Whether it learns a reader's own text."""
        return self.corpus not in CORPORA

    @property
    def tokens(self) -> int:
        """Bytes that training reads."""
        return self.steps * self.batch * self.length

    @property
    def parameters(self) -> int:
        """Parameters of the network, without those of the position method."""
        inner = self.heads * self.head_dim
        if self.block == "llama":
            kv_heads, hidden = llama_shape(self.width, self.heads)
            of_layer = 3 * hidden + 2 * (inner + inner * kv_heads // self.heads) + 2
            return self.width * (256 + of_layer * self.layers + 1)
        return self.width * (256 + (8 * self.width + 4 * inner + 4) * self.layers + 2)

    @property
    def largest_file(self) -> int:
        """Bytes that its float32 weights can take on disk: those of any position method too, and the header."""
        # A table, or what mixes 16 curves in each head.
        own = max(self.length, 16 * self.heads * self.layers) * self.width
        return 4 * (self.parameters + own) + 1_000_000

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: `TrainConfig(**data)` is the same again."""
        return {field.name: getattr(self, field.name) for field in fields(self)} | {"options": dict(self.options)}

    @functools.cached_property
    def hash(self) -> str:
        """16 hexadecimal digits that stand for the configuration: the run's name on disk."""
        facts = {"format": RECALL_FORMAT if self.is_recall else FORMAT, **self.to_dict()}
        if not self.is_recall:
            del facts["pairs"]  # means nothing there
        if self.block == "gpt":
            del facts["block"]  # so that runs of before there was a choice keep their names
        if revision := METHODS[self.method].revision:
            facts["revision"] = revision
        text = json.dumps(facts, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def usual_learning_rate(width: int) -> float:
    """0.01 up to a width of 64, less in wider models.

    Chosen at width 64, 2 layers, on held-out text at L, after 1,000 steps. Perplexity of sinusoidal positions: 7.12 with
    0.002, 4.71 with 0.005, 4.15 with 0.01; of ALiBi: 5.47, 4.54, 4.32.
    """
    return 0.01 * min(1.0, 64 / width)


def small_batches(width: int) -> dict[str, Any]:
    """Options of a brief run: more steps, of fewer sequences, with half of the usual rate.

    It shows in 15 to 19 seconds on one core what 400 steps of 16 sequences of 128 bytes show in 47 to 65. Perplexity at L
    and at 4 L: ALiBi 9.32 and 9.37 (7.35 and 7.35), RoPE 7.93 and 22.3 (6.36 and 30.5).
    """
    return {"batch": 4, "learning_rate": usual_learning_rate(width) / 2}


#: A reader's first run, in the app and in a browser's tab.
FIRST_RUN: dict[str, Any] = {"length": 64, "steps": 800, **small_batches(64)}


def llama_shape(width: int, heads: int) -> tuple[int, int]:
    """Key heads, and the inner width of SwiGLU, of a llama block."""
    return heads // 2 if heads % 2 == 0 else heads, -(-8 * width // 3 // 8) * 8
