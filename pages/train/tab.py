"""What a browser's tab needs to train by itself: on the site, where there is no Python.

Notable choices:
- The recipe is that of a reader's first run in the app, so both tell one story. The numbers are the reader's own: they are
  drawn in other colours than the shipped runs, and no sentence of the page has both.
- A piece of the text is enough: a first run reads 205 kB.
"""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from alibi_viz.charts.palette import LOOKS
from alibi_viz.lessons import Lesson, joined
from alibi_viz.lm.config import FIRST_RUN, TrainConfig
from alibi_viz.lm.corpus import Corpus, python_text
from alibi_viz.pictures.hands.message import Hands
from alibi_viz.pictures.train.message import Message, Method
from alibi_viz.positions import METHODS as POSITIONS
from alibi_viz.positions import build, title_of
from alibi_viz.results import comparison
from alibi_viz.ui.texts import PROMPT, TEMPERATURE
from pages.train import study

METHODS = ("alibi", "sinusoidal", "rope", "none", "t5")  # that the browser can train
LENGTHS, WIDTHS = ("32", "64", "128"), ("16", "32", "64", "128")
TIMES, VERDICT_AT = (1, 2, 4, 8), 4  # training lengths that are read in the test; of the verdict
TRAIN, HELD_OUT = 320_000, 8_193  # bytes of the text
PIECES = 8  # of which they are, so that they are of many documents
RULE = {"worse": comparison.WORSE, "share": comparison.SHARE, "fewest": comparison.FEWEST_BLOCKS}


def config_of(config: TrainConfig) -> dict[str, Any]:
    """A configuration as pictures/train/trainer.js takes it."""
    shape = {"heads": config.heads, "head_dim": config.head_dim, "width": config.width, "max_length": config.length}
    slopes = build("alibi", **shape).linear_slopes()
    assert slopes is not None
    longest = TIMES[-1] * config.length
    return config.to_dict() | {"longest": longest, "slopes": slopes.tolist(), "max_distance": farthest(config.length)}


def farthest(length: int) -> int:
    """T5's largest distance that has a bucket of its own, for a training length."""
    return int(POSITIONS["t5"].training_options(length)["max_distance"])


@cache
def corpus() -> Corpus:
    """Pieces of the built-in text."""
    whole = python_text()
    return replace(whole, train=_pieces(whole.train, TRAIN), held_out=_pieces(whole.held_out, HELD_OUT))


def _pieces(text: bytes, size: int) -> bytes:
    begins = np.linspace(0, len(text) - size // PIECES - PIECES, PIECES).astype(int)
    return b"".join(text[begin : begin + size // PIECES + PIECES] for begin in begins)[:size]


@cache
def message_parts() -> dict[str, Any]:
    """What the picture has in every language."""
    text = corpus()
    return {
        "config": config_of(TrainConfig(**FIRST_RUN)),
        "max_distance": {length: farthest(int(length)) for length in LENGTHS},
        "train": np.frombuffer(text.train, dtype=np.uint8),
        "held_out": np.frombuffer(text.held_out, dtype=np.uint8),
        "times": TIMES,
        "verdict_at": VERDICT_AT,
        "bigram": study.bigram(text),
        "bytes_per_word": text.bytes_per_word,
        "rule": RULE,
        "prompt": PROMPT.decode(),
        "temperature": TEMPERATURE,
        "filename": "training",
    }


def shipped(method: str) -> Method:
    """The shipped run of the first recipe."""
    run = study.nearest(TrainConfig(method, **FIRST_RUN))
    assert run is not None
    found, whole = study.results(run), python_text()
    values = [value for times in TIMES if (value := found.at(times)) is not None]
    look, (_, losses) = LOOKS[method], study.smoothed(run.losses, run.config.steps // study.PER_LOSS)
    verdict = found.verdict(study.bigram(whole), whole.bytes_per_word)
    return Method(method, title_of(method), look.colours, losses.astype(np.float32), values, verdict)


def message(text: Lesson, hands: Hands, few: int) -> Message:
    """The picture. Its sentences about runs are those of the app."""
    words = {name: line.replace("**", "") for name, line in text.entries("verdict").items()} | text.entries("tab")
    words |= {name: text.entries("labels")[name] for name in ("play", "pause", "step", "reset", "again", "write")}
    methods = [shipped(method) for method in METHODS]
    ends = ((each.name, joined(f"{each.perplexities[at]:.2f}" for at in (0, -1))) for each in methods)
    alt = joined((words["grey"], joined((joined(end, "colon") for end in ends), "semicolon")), "sentences")
    return Message(methods, hands=hands, few=few, words=words, alt=alt, **message_parts())


def numbers() -> dict[str, object]:
    """Of the section that says how the tab trains."""
    config = TrainConfig(**FIRST_RUN)
    shape = {name: getattr(config, name) for name in ("steps", "batch", "length", "learning_rate")}
    return shape | {"train": TRAIN, "held_out": HELD_OUT - 1}
