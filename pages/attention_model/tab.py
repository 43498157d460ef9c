"""What a browser's tab needs of a trained model to look inside by itself, where it has its weights.

It stands beside page.py, which Streamlit runs anew at every change: what page.py itself keeps is gone by then.
"""

from functools import lru_cache

from alibi_viz.lessons import load
from alibi_viz.pictures.matrices.message import Mark, Trained
from alibi_viz.results import trained
from alibi_viz.ui import one_head, weights
from pages.attention_model import study
from pages.attention_model.study import Controls

FOLLOWS: one_head.Follows = {"strength": "strength"}


@lru_cache(maxsize=128)
def in_a_browser(language: str, name: str, changed: int) -> Trained:
    """A model as a browser has it. changed: when an own one was written. Raises LookupError if it is not there."""
    if (loaded := trained.load(name)) is None:
        raise LookupError(name)
    text, words = load("attention_model", language), load("shared", language)
    config, most = loaded.config, loaded.max_bytes
    result = study.compute(Controls(loaded, b" ", 1, 1))
    mark = Mark(0, 0, config.length, config.length, text.label("mark", length=config.length))
    filename = f"trained-{config.method}-layer-{{layer}}"
    view = one_head.stages(text, result, filename=filename, follows=FOLLOWS, alone=result.alone, marks=[mark])
    why = loaded.model.position.no_vector(most).sentence(language) if most < trained.LONGEST else ""
    return Trained(
        weights.address_of(name),
        view,
        words.entries("one_head_readout")["square"],
        one_head.sentence(result) if result.stages.bias is None else one_head.sentence_of_words(),
        [study.score_limit(loaded, layer) for layer in range(1, config.layers + 1)],
        loaded.slopes,
        most,
        text.text("cut", {"used": most, "why": why}).strip(),
    )
