"""Models that write on: what stands before their text."""

from alibi_viz.lm.corpus import python_text
from alibi_viz.lm.writing import LONGEST_PROMPT
from alibi_viz.results import writing


def beginning(own: str, held_out: int) -> bytes:
    """The reader's own text, or so many bytes of held-out text, which no model has learned: those that end where the
    shipped long beginning does."""
    if not held_out:
        return own.encode()[:LONGEST_PROMPT]
    end = writing.shipped().long_span[1]
    return python_text().held_out[max(end - held_out, 0) : end]
