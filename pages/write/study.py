"""Models that write on: what stands before their text, and the same text with and without a cache."""

from alibi_viz.lm.corpus import python_text
from alibi_viz.lm.writing import LONGEST_PROMPT, logits_along
from alibi_viz.results import trained, writing

COMPARED = 512  # bytes over which reading with and without a cache is compared


def beginning(own: str, held_out: int) -> bytes:
    """The reader's own text, or so many bytes of held-out text, which no model has learned: those that end where the
    shipped long beginning does."""
    if not held_out:
        return own.encode()[:LONGEST_PROMPT]
    shipped = writing.shipped()
    end = shipped.long_span[1] if shipped else LONGEST_PROMPT
    return python_text().held_out[max(end - held_out, 0) : end]


def largest_difference(method: str, text: bytes) -> tuple[float, int]:
    """Between logits read at once and byte by byte with a cache, and over how many bytes of the text.

    Raises ValueError where the model is not here.
    """
    loaded = trained.load(method)
    if loaded is None:
        raise ValueError("This model is not here.")
    part = text[:COMPARED]
    whole, cached = (logits_along(loaded.model, part, cached=cached) for cached in (False, True))
    return float((whole - cached).abs().max()), len(part)
