"""A local checkpoint as lessons choose it: which one, and which layer and head of it read which text.

The address has the same keys on every page, so a link from one to another keeps the model.
"""

from dataclasses import replace

import streamlit as st

from alibi_viz.checkpoints import checkpoint, folder
from alibi_viz.checkpoints.config import ModelConfig
from alibi_viz.checkpoints.reading_head import ReadingHead
from alibi_viz.lessons import load
from alibi_viz.typed import printable
from alibi_viz.ui.controls import state, widgets
from alibi_viz.ui.controls.content import PASSAGE
from alibi_viz.ui.controls.params import Param

FOLDER = Param("model_folder", "text", "", longest=400)
LAYER = Param("model_layer", "int", 1, low=1, high=1024)
HEAD = Param("model_head", "int", 1, low=1, high=1024)
TEXT = Param("model_text", "text", PASSAGE, longest=checkpoint.CHARACTERS)
PARAMS = (FOLDER, LAYER, HEAD, TEXT)


def names() -> tuple[str, ...]:
    """The checkpoints that can be opened here."""
    return folder.folders() if checkpoint.installed() else ()


def chosen(among: tuple[str, ...]) -> str:
    """The chosen folder: what was asked for, or the first where that is not here; empty if there is none."""
    asked = state.read(FOLDER)
    return asked if asked in among else next(iter(among), "")


def read(name: str) -> ReadingHead:
    """The chosen head of the checkpoint in this folder. Raises ValueError with one sentence."""
    opened = checkpoint.load(name)
    layer, head = (state.read(param) for param in limits(opened.config))
    return ReadingHead(opened, checkpoint.encode(opened, state.read(TEXT)), layer, head)


def limits(config: ModelConfig) -> tuple[Param, Param]:
    """LAYER and HEAD with the layers and heads that the model has."""
    return replace(LAYER, high=config.layers or 1), replace(HEAD, high=config.heads)


def show_head(config: ModelConfig) -> None:
    """Layer and head, side by side."""
    layer, head = limits(config)
    widgets.columns(load("words"), [layer], [head], gap="small")


def show_text(height: int) -> None:
    """The text that the model reads."""
    widgets.text(TEXT, load("words"), height=height)


def say_unknown(name: str) -> None:
    """A sentence where the address asks for another folder than the one that is shown."""
    if (asked := state.read(FOLDER)) and asked != name:
        st.info(load("words").entry("problems", "no_folder", given=printable(asked), used=printable(name)))
