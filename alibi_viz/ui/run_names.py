"""Names of the reader's own runs in legends and tables: two curves that differ never have the same name.

Notable choices:
- L and the steps always stand in a name; the rest only where it differs from the shipped runs: a short name is read.
- Another text is known by its SHA-256, not by its configuration: Python's documentation changes with Python.
- What few readers change (learning rate, batch, options ...) is not listed: four digits of the hash tell such runs apart.
"""

from __future__ import annotations

from dataclasses import fields, replace

from alibi_viz.lessons import load
from alibi_viz.lm.config import TrainConfig

NAMED = {"method", "length", "steps", "layers", "width", "heads", "corpus", "seed"}  # the title and the words say them
OTHERS = [field.name for field in fields(TrainConfig) if field.name not in NAMED]


def run_name(title: str, config: TrainConfig, corpus: str, reference: TrainConfig, reference_corpus: str) -> str:
    """Title, L, steps, and what differs from the shipped run `reference`.

    corpus: SHA-256 of the text, empty for recall; reference_corpus: the same of the shipped run. The seed is not told:
    runs that differ in it alone share a curve.
    """
    words = load("words")
    parts = [words.entry("run_names", "length", length=f"{config.length:,}")]
    parts.append(words.entry("run_names", "steps", steps=f"{config.steps:,}"))
    if (config.layers, config.width) != (reference.layers, reference.width):
        parts.append(words.entry("run_names", "shape", layers=config.layers, width=config.width))
    if config.heads != reference.heads:
        parts.append(words.entry("run_names", "heads", heads=config.heads))
    if corpus != reference_corpus:
        parts.append(words.entry("run_names", "text", digits=corpus[:4]))
    if any(getattr(config, name) != getattr(reference, name) for name in OTHERS):
        parts.append(words.entry("run_names", "settings", digits=replace(config, seed=0).hash[:4]))
    return ", ".join([title, *parts])
