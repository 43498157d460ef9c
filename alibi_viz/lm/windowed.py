"""A trained model that sees only near keys: sliding-window attention, with nothing trained anew.

Every layer hides the keys farther than a window, before the softmax: the other weights grow to sum 1. What a layer reads
has itself read as far back, so two layers reach twice the window.
"""

import copy

from alibi_viz.lm.model import Block, DecoderLM


def windowed(model: DecoderLM, window: int) -> DecoderLM:
    """A copy of the model whose layers see no key farther than `window`."""
    changed = copy.deepcopy(model)
    for block in changed.blocks:
        assert isinstance(block, Block)
        position = block.attention.position
        position.window = window if position.window is None else min(position.window, window)
    return changed
