"""What ALiBi's bias takes in bytes, in float32: computed."""

from alibi_viz.checks import whole_number

BYTES = 4
FORMS = ("tensor", "row", "closed")


def bias_bytes(heads: int, tokens: int) -> dict[str, int]:
    """The bias as a full tensor [H, n, n], as one row of keys [H, n], and as the formula -m (i - j) with its H slopes."""
    heads, tokens = whole_number(heads, "heads"), whole_number(tokens, "The number of tokens")
    return {"tensor": BYTES * heads * tokens**2, "row": BYTES * heads * tokens, "closed": BYTES * heads}


def cache_bytes(heads: int, tokens: int, head_dim: int = 64) -> int:
    """Keys and values of one layer, which the KV cache holds with every method."""
    return 2 * BYTES * heads * tokens * whole_number(head_dim, "head_dim")
