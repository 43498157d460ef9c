"""The controls of the lesson on a model of the reader's: where it comes from, and which head of it reads which text."""

import streamlit as st

from alibi_viz.checkpoints import checkpoint, config, folder
from alibi_viz.checkpoints.examples import EXAMPLES
from alibi_viz.lessons import Lesson, load
from alibi_viz.ui.controls import local_model, rerun, state, widgets
from alibi_viz.ui.controls.params import Param
from alibi_viz.ui.controls.upload import upload, uploaded
from alibi_viz.ui.lesson import SIDE
from alibi_viz.ui.page import Presets
from alibi_viz.ui.stage import sections_param
from pages.models.facts import Folder
from pages.models.study import Controls

SOURCES = ("published", "config", "folder")
SOURCE = Param("model_source", "choice", "published", choices=SOURCES)
EXAMPLE = Param("model_example", "choice", next(iter(EXAMPLES)), choices=tuple(EXAMPLES), widget="pick")
CONFIG = Param("model_config", "text", "", longest=100_000)
MEASURE = Param("model_reach", "choice", "mean", choices=("mean", "90%"))
OPEN = sections_param("models", "facts", "steps", "reach", "code")
PARAMS = (SOURCE, EXAMPLE, CONFIG, *local_model.PARAMS, MEASURE, OPEN)
TRY: Presets = {
    name: {"model_source": "published", "model_example": example}
    for name, example in {
        "alibi": "bloom_560m",
        "rope": "llama_3_8b",
        "t5": "t5_small",
        "scaled": "llama_3.1_8b",
        "learned": "gpt2",
        "far": "mpt_7b_storywriter",
    }.items()
}
_LIST, _UPLOAD = "model_folder_list", "model_upload"  # keys of widgets that have no place in the address


def read() -> Controls:
    """The model as it is chosen now. Raises ValueError with one sentence for what cannot be read."""
    source = state.read(SOURCE)
    if source == "published":
        example = EXAMPLES[state.read(EXAMPLE)]
        return Controls(example.title, example.read())
    if source == "config":
        text = state.read(CONFIG)
        if not text.strip():
            raise ValueError(load("models").text("paste"))
        found = config.read(text)
        return Controls(found.family, found)
    return _local()


def _local() -> Controls:
    """The checkpoint of the chosen folder; its configuration alone where transformers is not installed."""
    name = local_model.chosen(folder.folders())
    if not name:
        raise ValueError(load("models").text("folder.none" if folder.root() else "folder.unset", Folder()))
    if not checkpoint.installed():
        return Controls(name, config.read(folder.find(name).read(folder.CONFIG, config.LONGEST)))
    head = local_model.read(name)
    return Controls(name, head.checkpoint.config, head)


def show(lesson: Lesson) -> None:
    """Where the model comes from, and which one."""
    source = widgets.choice(SOURCE, lesson)
    if source == "published":
        widgets.show(EXAMPLE, lesson)
    elif source == "config":
        widgets.text(CONFIG, lesson, height=160)
    else:
        _folder_list()


def show_more(lesson: Lesson) -> None:
    """What is behind “More”: the text that is read, the upload, and how to open a folder."""
    with st.container(width=SIDE):
        if state.read(SOURCE) == "folder":
            local_model.show_text(110)
        if state.read(SOURCE) == "config":
            upload(lesson.label("upload"), key=_UPLOAD, types=["json"], on_change=_take)
        st.caption(lesson.text("open", Folder()))


def _folder_list() -> None:
    """The folders that are here. The address names one; a name that is not here is told."""
    state.fit(local_model.FOLDER)
    if not (names := folder.folders()):
        return  # `read` says why
    state.use(local_model.FOLDER)
    st.session_state[_LIST] = name = local_model.chosen(names)

    def follow() -> None:
        state.assign({local_model.FOLDER.key: st.session_state[_LIST]})

    st.selectbox(load("words").label("model_folder"), names, key=_LIST, on_change=follow)
    local_model.say_unknown(name)


def _take() -> None:
    """Callback of the upload: the file's text becomes the pasted one."""
    if file := uploaded(_UPLOAD):
        state.assign({CONFIG.key: file.read(CONFIG.longest).decode("utf-8", errors="replace")})
        rerun.request()
