"""Inside a trained model: a text through one head of a language model, stage by stage."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache, partial
from typing import Any

from alibi_viz.attention.attention import trace_attention
from alibi_viz.lessons import Lesson, load
from alibi_viz.lm.config import TrainConfig
from alibi_viz.pictures.hands.message import Choice
from alibi_viz.pictures.matrices.message import Mark, Message, Trained
from alibi_viz.positions import title_of
from alibi_viz.results import pretrained, trained
from alibi_viz.results.trained import Loaded
from alibi_viz.ui import address, lesson, one_head, reader, weights
from alibi_viz.ui.components.hands import matrices
from alibi_viz.ui.control_panel import ControlPanel, Presets
from alibi_viz.ui.controls.content import LONGEST
from alibi_viz.ui.controls.params import MOST_HEADS
from alibi_viz.ui.format import escape_markdown
from alibi_viz.ui.matrices import refuse
from alibi_viz.user_input import printable
from pages.attention_model import study
from pages.attention_model.study import Controls, Result

MOST_LAYERS = 12
FOLLOWS: one_head.Follows = {"strength": "strength"}
KEYS = ("strength", "layer", "head", "model", "passage")  # of the hands, in their order
PRESET_VALUES: Presets = {
    "alibi": {},
    "off": {"strength": 0.0},
    "rope": {"model": "rope", "layer": "2", "head": 2},
    "t5": {"model": "t5", "layer": "2", "head": 6},
    "none": {"model": "none", "layer": "2"},
}


def main() -> None:
    text, controls = lesson.begin("attention_model")
    requested = address.text("model", "alibi", longest=40)
    models = trained.refs(reader.is_own)
    model = requested if requested in models else next(iter(models), requested)
    loaded = trained.load(model) if models else None
    titles = [(name, title(text, name, config)) for name, config in models.items()]
    controls.add(Choice("model", text.label("model"), options=titles, kind="pick"), model)
    controls.defaults["model"] = "alibi"
    in_browser: dict[str, Trained] = {}
    own = {} if loaded is None or model in pretrained.METHODS else {model: loaded.changed}
    for name, changed in (dict.fromkeys(pretrained.METHODS, 0) | own).items():
        with suppress(LookupError):
            in_browser[name] = in_a_browser(text.language, name, changed)
    read_hands(controls, loaded, [name for name, has in in_browser.items() if has.slopes])
    try:
        if loaded is None:
            raise ValueError(text.text("missing"))
        chosen = chosen_by(loaded, controls.values)
        result = study.compute(chosen)
    except ValueError as error:  # the hands stay, with what to change
        lesson.say_problems(text)
        refuse("attention_model", controls.hands(PRESET_VALUES, KEYS), error)
        return
    count, length = len(result.tokens), result.train_length
    cell = controls.cell(range(count), range(count))
    lesson.say_problems(text, *another_model(text, requested, model, models))
    marks = (Mark(0, 0, length, length, text.label("mark", length=length)),) if length < count else ()
    name = f"trained-{loaded.config.method}-layer-{chosen.layer}"
    view = one_head.stages(text, result, filename=name, follows=FOLLOWS, alone=result.alone, marks=marks)
    hands = controls.hands(PRESET_VALUES, KEYS)
    matrices(Message("attention_model", hands, [view], one_head.sentence(result), trained=in_browser))
    lesson.seen_and_formula(seen(text, chosen, result), one_head.formula(result))
    sections: dict[str, Callable[[], None]] = {
        "row": partial(one_head.one_row, text, result, cell, length),
        "heads": lambda: one_head.all_heads(text, result, study.inputs(chosen), name, marks),
    }
    lesson.end(text, sections, trained.inputs, trace_attention)


@lru_cache(maxsize=128)
def in_a_browser(language: str, name: str, changed: int) -> Trained:
    """A model as a browser looks inside it by itself. changed: when an own one was written. Raises LookupError if it is not
    there."""
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


def read_hands(controls: ControlPanel, loaded: Loaded | None, with_slopes: Sequence[str]) -> None:
    """A model has its own heads and layers, and some have slopes."""
    controls.slider("strength", 1.0, low=0.0, high=4.0, step=0.01, visible_when={"model": with_slopes})
    layers = range(1, (loaded.config.layers if loaded else MOST_LAYERS) + 1)
    controls.choice("layer", layers, 1)
    controls.slider("head", 4, low=1, high=loaded.config.heads if loaded else MOST_HEADS, typed=True)
    controls.line("passage", trained.PASSAGE, longest=LONGEST, least=1)


def chosen_by(loaded: Loaded, values: Mapping[str, Any]) -> Controls:
    text = values["passage"].encode()[: loaded.max_bytes]
    return Controls(loaded, text, int(values["layer"]), values["head"], values["strength"] if loaded.slopes else 1.0)


def title(text: Lesson, name: str, config: TrainConfig) -> str:
    """A model in the list. Own runs can differ in anything, so a piece of the hash tells them apart."""
    kind = "model_own" if name == config.hash else "model_shipped"
    return text.label(kind, vars(config) | {"method": title_of(config.method)}, ref=name[:4])


def another_model(text: Lesson, requested: str, model: str, models: Mapping[str, TrainConfig]) -> list[str]:
    """A sentence where the requested model is not here."""
    if not models or model == requested:
        return []
    return [text.text("missing_other", {"given": printable(requested), "used": title(text, model, models[model])})]


def seen(text: Lesson, chosen: Controls, result: Result) -> list[str]:
    """What the head does beyond its training, and where the model comes from."""
    config, count = chosen.loaded.config, len(result.tokens)
    facts: dict[str, object] = {"tokens": count, "layer": chosen.layer, "head": result.head, "heads": result.heads}
    facts |= {"length": config.length, "query": escape_markdown(result.tokens[-1])}
    facts |= {"share": result.share, "rest": 1 - result.share}
    corpus = text.label("corpus_own" if config.corpus.startswith("text:") else "corpus_built_in")
    made = text.text("made", vars(config) | {"method": title_of(config.method), "corpus": corpus})
    return [text.text("seen_beyond" if count > config.length else "seen_inside", facts), made]
