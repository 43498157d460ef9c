"""What the queue and its workers tell a reader: the words are in the lessons, to be translated with them."""

from alibi_viz.lessons import load


def say(key: str, /, **values: object) -> str:
    """A sentence of the section "training"."""
    return load("words").entry("training", key, **values)
