"""The Attention lesson's controls: the text, the content, the heads, the strength; or a model, its layer and its head.

A model is one that comes with the app, an own run, or a local checkpoint, which has the controls of “My model”.
"""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace

import streamlit as st

from alibi_viz.checkpoints import checkpoint
from alibi_viz.content.synthetic import Setting
from alibi_viz.content.words import tokens
from alibi_viz.lessons import Lesson, load
from alibi_viz.results import trained
from alibi_viz.typed import printable
from alibi_viz.ui import reader
from alibi_viz.ui.controls import content, local_model, state, widgets
from alibi_viz.ui.controls.content import CONTENT, LAYER, PASSAGE, SENTENCE, TEXT, TRAINED_MODEL, is_trained, sizes
from alibi_viz.ui.controls.params import Param, Value
from alibi_viz.ui.format import escape_markdown
from alibi_viz.ui.page import Presets
from alibi_viz.ui.shell import navigation
from alibi_viz.ui.shell.sidebar import chosen_device
from alibi_viz.ui.stage import origins, sections_param
from pages.attention.facts import Instead, made_of
from pages.attention.study import LONGEST, Controls, Local, Synthetic, Trained

CHANNEL = "strength"  # on which the matrices hear the strength while it is dragged
STORY = " ".join([SENTENCE, "while rain fell on the roof and nobody in the house wanted to go out"] * 24)
UNIT = Param("unit", "choice", "words", choices=("words", "characters"))
SEED = Param("seed", "int", 0, low=0, high=9_999)
HEADS = Param("heads", "int", 8, low=1, high=32, widget="drag")
KV_HEADS = Param("kv_heads", "int", 0, low=0, high=32)
HEAD_DIM = Param("head_dim", "int", 32, low=1, high=128)
HEAD = Param("head", "int", 2, low=1, high=128)
STRENGTH = Param("strength", "float", 1.0, low=0.0, high=4.0, step=0.01, widget="drag")
CAUSAL = Param("causal", "flag", True)
CACHED = Param("cached", "int", LONGEST, low=1, high=LONGEST, widget="drag")
READING = Param("passage", "text", PASSAGE, longest=20_000)
MODEL = Param("model", "text", "alibi", longest=40)
MODEL_LIST = "model_list"  # key of the widget that shows MODEL
LOCAL = "folder"  # MODEL of a local checkpoint, whose name is another parameter
OPEN = sections_param("attention", "row", "heads", "cache", "reading", "code")
PICTURE = (TEXT, UNIT, CONTENT, SEED, HEADS, KV_HEADS, HEAD_DIM, HEAD, STRENGTH, CAUSAL, CACHED, READING, MODEL, LAYER)
PARAMS = (*PICTURE, *local_model.PARAMS, OPEN)
PLAIN: dict[str, Value] = {param.key: param.default for param in PICTURE if param not in (TEXT, READING, CACHED)}
TRY: Presets = {
    "same": PLAIN,
    "off": PLAIN | {"strength": 0.0},
    "trained": PLAIN | {"content": TRAINED_MODEL, "head": 4},
    "random": PLAIN | {"content": "random"},
    "equal": PLAIN | {"content": "equal"},
    "strong": PLAIN | {"strength": 4.0},
    "encoder": PLAIN | {"content": "equal", "causal": False},
    "long": PLAIN | {"text": STORY, "head": 6},
}


def read() -> Controls:
    """The controls as they are now. Raises ValueError with a sentence if there is no trained model to be read."""
    if is_trained():
        if name := _local():
            return Local(local_model.read(name))
        loaded = _loaded()
        if loaded is None:
            raise ValueError(
                load("attention").text("models.damaged" if trained.refs(reader.in_sight()) else "models.none")
            )
        text = state.read(READING).encode()[: loaded.max_bytes]
        layer, head = state.read(content.layer_param(loaded.config)), state.read(_head_param(loaded))
        return Trained(loaded, text, int(layer), head, state.read(STRENGTH) if loaded.slopes else 1.0)
    heads, dim, used = state.read(HEADS), state.read(HEAD_DIM), _tokens()[:LONGEST]
    setting = Setting(heads, dim, content=state.read(CONTENT), seed=state.read(SEED), device=chosen_device())
    kv_heads, head = state.read(KV_HEADS) or heads, min(state.read(HEAD), heads)
    cached = state.read(_cached_param(len(used)))
    return Synthetic(setting, used, kv_heads, head, state.read(STRENGTH), state.read(CAUSAL), cached)


def _tokens() -> tuple[str, ...]:
    return tuple(tokens(state.read(TEXT), state.read(UNIT)))


def _cached_param(count: int) -> Param:
    """CACHED for a text of so many tokens: all of them unless the reader says otherwise."""
    return replace(CACHED, high=max(count, 1), default=max(count, 1))


def _head_param(loaded: trained.Loaded) -> Param:
    heads = loaded.config.heads
    return replace(HEAD, high=heads, default=min(int(HEAD.default), heads))


def _chosen(refs: Iterable[str]) -> str:
    """The chosen model: what was asked for, or the first where that is not here."""
    asked = state.read(MODEL)
    return asked if asked in refs else next(iter(refs), "")


def _local() -> str:
    """The folder of the local checkpoint that is chosen; empty if another model is, or none is there."""
    return local_model.chosen(local_model.names()) if is_trained() and state.read(MODEL) == LOCAL else ""


def _loaded() -> trained.Loaded | None:
    """The chosen model of this app, or None if there is none that can be read."""
    return trained.load(_chosen(trained.refs(reader.in_sight())))


def show(lesson: Lesson) -> None:
    """What stands beside the picture: the strength, the head, the text; of a trained model, which one."""
    if name := _local():
        _model_list(lesson)
        _show_local(name)
        return
    loaded = _loaded() if is_trained() else None
    if not is_trained() or (loaded and loaded.slopes):
        widgets.drag(STRENGTH, lesson, channel=CHANNEL)
    if is_trained():
        _model_list(lesson)
        if loaded:  # else `read` says why
            widgets.number(_head_param(loaded), lesson)
        widgets.text(READING, lesson, height=80)
        return
    heads = state.read(HEADS)
    widgets.number(replace(HEAD, high=heads, default=min(int(HEAD.default), heads)), lesson)
    origins(lesson, HEADS, HEAD, TEXT)
    widgets.text(TEXT, lesson, height=80)
    if _tokens():
        state.fit(_cached())


def _show_local(name: str) -> None:
    """Of a local checkpoint: what it reads, and which head of which layer. Nothing for one that cannot be opened."""
    with suppress(ValueError):  # `read` says why
        local_model.show_head(checkpoint.load(name).config)
    local_model.show_text(80)


def show_more(lesson: Lesson) -> None:
    """What is behind “More”: the content, and what it is made with."""
    widgets.show(CONTENT, lesson)
    if is_trained():
        loaded = None if _local() else _loaded()
        if loaded:
            widgets.choice(content.layer_param(loaded.config), lesson)
        navigation.link("models", load("words").label("open_model"))
        return
    for param in (UNIT, CAUSAL, HEADS):
        widgets.show(param, lesson)
    widgets.columns(lesson, [KV_HEADS], [HEAD_DIM], [SEED], gap="small")
    navigation.link("models", load("words").label("open_model"))


def show_cached(lesson: Lesson) -> None:
    """How many tokens the KV cache holds."""
    if min(len(_tokens()), LONGEST) > 1:
        widgets.show(_cached(), lesson)


def show_cut(lesson: Lesson) -> None:
    """Which model reads, and what it or the page leaves out of the text."""
    if _local():
        return
    count, loaded = len(_tokens()), _loaded() if is_trained() else None
    if loaded is None:
        if count > LONGEST:
            st.caption(lesson.text("cut", Instead(count, LONGEST)))
        return
    st.caption(lesson.text("made", made_of(lesson, loaded.config)))
    text = state.read(READING).encode()
    if len(text) > loaded.max_bytes:
        why = escape_markdown(trained.refusal(loaded, text[: trained.LONGEST]))
        st.caption(lesson.text("cut.bytes", Instead(len(text), loaded.max_bytes, why)))


def _cached() -> Param:
    """CACHED for the text of now."""
    return _cached_param(min(len(_tokens()), LONGEST))


def _model_list(lesson: Lesson) -> None:
    """The models that are here. The address line names a method, a hash or a folder; the list shows titles."""
    asked, refs, names = state.fit(MODEL), trained.refs(reader.in_sight()), local_model.names()
    state.fit(local_model.FOLDER)
    folders = {f"{LOCAL}/{name}": name for name in names}
    if not refs and not folders:
        return
    name = _local()
    state.use(local_model.FOLDER if name else MODEL)
    st.session_state[MODEL_LIST] = ref = f"{LOCAL}/{name}" if name else _chosen(refs)

    def title(ref: str) -> str:
        if ref in folders:
            return lesson.label("model_local", name=folders[ref])
        # Own runs can differ in anything, so a piece of the hash tells them apart.
        kind = "model_own" if ref == refs[ref].hash else "model_shipped"
        return lesson.label(kind, sizes(refs[ref]), ref=ref[:4])

    def follow() -> None:
        chosen = st.session_state[MODEL_LIST]
        local = {MODEL.key: LOCAL, local_model.FOLDER.key: folders[chosen]} if chosen in folders else {}
        state.assign(local or {MODEL.key: chosen})

    label, help_text = lesson.label("model"), lesson.entry("help", "model")
    st.selectbox(label, [*refs, *folders], format_func=title, key=MODEL_LIST, help=help_text, on_change=follow)
    if name:
        local_model.say_unknown(name)
    elif ref != asked:
        st.info(lesson.text("models.unknown", Instead(printable(asked), title(ref))))
