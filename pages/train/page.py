"""Train small models on this machine, and see how they do beyond their training length.

Notable choices:
- The controls say which runs are meant, and a run is known by its configuration alone. So a reload, a link or another
  tab shows the same runs where they stand, and nothing has to be remembered for a reader.
- The part that shows the runs asks the queue once a second while one is active, and now and then else: another tab may
  start one. The rest of the page runs again only when a run begins or ends.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import exp, expm1
from typing import Any, Literal

import streamlit as st

from alibi_viz.jobs.queue import Progress
from alibi_viz.lessons import Lesson, load, problems
from alibi_viz.lm import evaluation
from alibi_viz.lm.config import BLOCKS, FIRST_RUN, TrainConfig
from alibi_viz.lm.corpus import Corpus, own_text, python_text
from alibi_viz.lm.runs import Run
from alibi_viz.lm.training import train_chunk
from alibi_viz.pictures.hands.message import Choice, Hands
from alibi_viz.positions import METHODS, titles_of
from alibi_viz.results import trained
from alibi_viz.results.comparison import WORSE
from alibi_viz.results.pretrained import METHODS as SHIPPED
from alibi_viz.results.table import train_length
from alibi_viz.ui import address, lesson, page, reader, texts
from alibi_viz.ui.components.hands import train_view
from alibi_viz.ui.control_panel import ControlPanel
from alibi_viz.ui.controls.content import upload
from alibi_viz.ui.controls.params import Value
from alibi_viz.ui.format import escape_markdown
from alibi_viz.ui.texts import PROMPT, TEMPERATURE, Choices, Writer
from pages.train import curves, server, study, tab
from pages.train.runs import CORPUS, show_runs
from pages.train.study import Controls, method_title

EVERY, IDLE = 1.0, 5.0  # seconds between two looks at the runs: while one is active, and while none is
FEW = 25  # steps of the step button
COARSE = 5  # seconds: estimates are rounded to this
MINUTES = 90  # seconds: what takes longer is told in minutes
MOST_WRITERS = 4  # models that write side by side
PRESET_VALUES: dict[str, dict[str, Value]] = {
    "plain": {},
    "rivals": {"train": "alibi,rope,t5"},
    "short": {"train_length": "32"},
    "recall": {"train": "alibi,rope", "train_text": "recall", "train_steps": 2000},
}
AGAIN = "_training_again"  # in the session: other runs were started, which the whole page has to show
REFUSED = "_training_refused"  # in the session: of which runs something was refused, and why; until the next press
LATEX = r"$$\frac{\text{perplexity}(4L)}{\text{perplexity}(L)} \;\le\; %.3f$$"


def main() -> None:
    text, _ = lesson.begin("train")
    if page.on_site():
        in_tab(text)
        return
    server.warm_up()
    chosen, show = read_controls(controls := ControlPanel(text))
    corpus: Corpus | None = None
    configs: tuple[TrainConfig, ...] = ()
    lesson.say_problems(text)
    with lesson.stage():
        controls.row(PRESET_VALUES)
        try:
            corpus = own_corpus(text) if chosen.text == study.OWN_TEXT else None
            configs = chosen.configs(corpus)
            for config in configs:
                server.jobs().limits.check(config)
        except ValueError as error:
            configs = ()
            page.problem(error)
        runs = list(map(server.progress, configs))
        if configs:
            active = active_of(runs)
            st.fragment(live, run_every=EVERY if active else IDLE)(text, configs, corpus, show, active)
            if show == "writes":
                writes(text, configs)
    if configs:
        seen(text, configs, corpus, [progress.run for progress in runs])
    sections = {
        "runs": partial(show_runs, text),
        "how": partial(how, text, configs),
    }
    lesson.end(text, sections, train_chunk, evaluation.windows, evaluation.evaluate)


def in_tab(text: Lesson) -> None:
    """Where there is no Python the reader's browser trains."""
    controls = ControlPanel(text)
    controls.multi_choice("train", titles_of(tab.METHODS), tab.METHODS[:3])
    controls.choice("train_length", tab.LENGTHS, str(FIRST_RUN["length"]), advanced=True)
    controls.choice("train_width", tab.WIDTHS, "64", advanced=True)
    controls.slider("train_seed", 0, low=0, high=study.MOST_SEED, typed=True, advanced=True)
    train_view(tab.message(text, controls.hands(), FEW))
    lesson.seen_and_formula([text.text("tab_why"), text.text("note", {"bigram": study.bigram(tab.corpus())})])
    lesson.end(text, {"how": lambda: lesson.prose(text.text("how_tab", tab.numbers()))}, train_chunk)


def read_controls(controls: ControlPanel) -> tuple[Controls, str]:
    """Which runs are meant; and what the picture shows: perplexity beyond L, the loss, or texts."""
    further: dict[str, Any] = {"typed": True, "advanced": True}
    about = controls.text.entry("help", "train_steps", study.brief())
    steps: dict[str, Any] = {"step": study.STEP, "typed": True, "help": about}
    chosen = Controls(
        methods=read_methods(controls),
        length=controls.choice("train_length", study.LENGTHS, str(FIRST_RUN["length"])),
        steps=controls.slider("train_steps", FIRST_RUN["steps"], low=study.STEP, high=study.MOST_STEPS, **steps),
        text=controls.choice("train_text", (*study.TEXTS, study.OWN_TEXT), "python text", advanced=True),
        width=controls.choice("train_width", study.WIDTHS, "64", advanced=True),
        block=controls.choice("train_block", tuple(BLOCKS), "gpt", advanced=True),
        slopes=controls.choice("train_slopes", tuple(study.RULES), "code", advanced=True),
        layers=controls.slider("train_layers", 2, low=1, high=study.MOST_LAYERS, **further),
        heads=controls.slider("train_heads", 8, low=1, high=study.MOST_HEADS, **further),
        seed=controls.slider("train_seed", 0, low=0, high=study.MOST_SEED, **further),
    )
    return chosen, controls.choice("train_show", ("beyond", "loss", "writes"), "beyond")


def read_methods(controls: ControlPanel) -> tuple[str, ...]:
    """Which methods: five in the row, and those that the address has; a list behind “More” adds one of the others."""
    titles, default = titles_of(dict.fromkeys((*tab.METHODS, *SHIPPED, *METHODS))), ",".join(tab.METHODS[:2])
    chosen = address.choices("train", default, titles) or tab.METHODS[:2]
    row = [(method, title) for method, title in titles.items() if method in {*tab.METHODS, *chosen}]
    others = {
        method: {"train": ",".join((*chosen, method)), "train_other": ""}
        for method in titles
        if method not in dict(row)
    }
    label = controls.text.label("train_other")
    options = [("", label), *((method, titles[method]) for method in others)]
    controls.defaults["train"] = default
    controls.add(Choice("train", controls.text.label("train"), options=row, kind="multi_choice"), ",".join(chosen))
    controls.add(Choice("train_other", label, options=options, sets=others, kind="pick", advanced=True), "")
    return chosen


def own_corpus(text: Lesson) -> Corpus:
    """The reader's own text: a file, or what is pasted. Raises ValueError with a sentence where there is none that can be
    used."""
    file = upload(text.label("upload"), key="train_upload")
    pasted = st.text_area(text.label("paste"), key="train_paste", height=100)
    if file is not None or pasted.strip():
        st.session_state.pop(CORPUS, None)
        st.session_state[CORPUS] = own_text(file.getvalue() if file is not None else pasted)
    corpus = st.session_state.get(CORPUS)
    if not isinstance(corpus, Corpus):
        raise ValueError(text.text("text_none"))
    st.caption(text.text("text_kept", {"train": len(corpus.train), "held_out": len(corpus.held_out)}))
    return corpus


# What follows the runs.


def active_of(runs: Sequence[Progress]) -> list[str]:
    """The hashes of the active ones."""
    return [progress.run.hash for progress in runs if progress.run.is_active]


def live(
    text: Lesson, configs: Sequence[TrainConfig], corpus: Corpus | None, show: str, active_before: list[str]
) -> None:
    """Buttons, a line a run, and curves. active_before: the runs that were active when the whole page last ran.

    What stands over the picture is as high before Play as it is later (style.css), so that the picture stays in its place.
    """
    progress = list(map(server.progress, configs))
    if st.session_state.pop(AGAIN, False) or active_of(progress) != active_before:
        st.rerun()  # a run has begun or ended: the rest of the page follows
    buttons(text, configs, corpus, progress)
    with st.container(gap=None, key="train_states"):
        for each in progress:
            recorded = study.nearest(each.run.config) if each.run.status == "new" else None
            if recorded:
                parts = [*verdict(text, study.results(recorded), None), text.entry("status", "recorded")]
            else:
                parts = [*verdict(text, study.results(each.run), corpus), *status_of(text, each)]
            if not reader.is_own(each.run):
                parts.append(text.entry("status", "theirs"))
            st.markdown(f"**{method_title(each.run.config)}** · {' · '.join(parts)}")
    if show != "writes":
        curves.draw(text, [each.run for each in progress], shows_loss=show == "loss")


def buttons(text: Lesson, configs: Sequence[TrainConfig], corpus: Corpus | None, runs: Sequence[Progress]) -> None:
    """Play, pause, a few steps, reset: each is enabled only where it would do something, and says why if it is not. When
    all runs are finished, Play trains the same again with the next seed.
    """
    browser, seed = reader.unless_alone(), configs[0].seed
    why, is_done = reasons(runs, browser), all(progress.run.status == "finished" for progress in runs)
    actions: dict[str, tuple[str, Callable[..., None], tuple[object, ...]]] = {
        "play": ("play_arrow", submit, (configs, corpus, None)),
        "pause": ("pause", stop, (text, configs, "pause")),
        "step": ("skip_next", submit, (configs, corpus, FEW)),
        "reset": ("replay", stop, (text, configs, "reset")),
    }
    if is_done and seed < study.MOST_SEED:
        del why["play"]
        actions["play"] = ("play_arrow", play_again, (configs, corpus))
    with st.container(horizontal=True, gap="xxsmall"):
        for name, (icon, callback, arguments) in actions.items():
            label = text.label("again", seed=seed + 1) if name == "play" and is_done else text.label(name, steps=FEW)
            look: dict[str, Any] = {"type": "primary" if name == "play" else "secondary", "icon": f":material/{icon}:"}
            look |= {"disabled": name in why, "help": text.entry("why", why[name]) if name in why else None}
            st.button(label, f"train_{name}", on_click=callback, args=arguments, **look)
        if is_done and writers(configs):
            st.button(text.label("write"), "train_write_on", on_click=write_on, icon=":material/edit_note:")
    refused, sentence = st.session_state.get(REFUSED, ((), ""))
    if refused == configs:
        st.warning(escape_markdown(sentence), icon=":material/info:")


def reasons(runs: Sequence[Progress], browser: str = "") -> dict[str, str]:
    """The buttons that would do nothing now, each with its entry of the lesson's table `why`.

    browser: whose page it is; "": of one who is alone with the server.
    """
    unfinished = [progress for progress in runs if progress.run.status != "finished"]
    active = [progress for progress in unfinished if progress.run.is_active]
    begun = [progress for progress in unfinished if progress.run.status != "new"]
    why = {}
    if not any(progress.run.is_own(browser) for progress in active):
        why["pause"] = "theirs" if active else "pause"
    if all(progress.run.is_active and progress.run.is_own(browser) for progress in unfinished):
        why["play"] = "active" if active else "finished"
    if active or not unfinished:
        why["step"] = "pause_first" if active else "finished"
    if not any(progress.run.is_own(browser) for progress in begun):
        why["reset"] = "theirs" if begun else "reset"
    return why


def submit(configs: Sequence[TrainConfig], corpus: Corpus | None, steps: int | None) -> None:
    """Callback: start, resume or watch every run of the controls."""
    st.session_state.pop(REFUSED, None)
    for config in configs:
        try:
            plan = study.plan_for(config.steps)
            server.jobs().submit(config, corpus, plan, steps=steps, browser=reader.owner())
        except ValueError as error:
            st.session_state[REFUSED] = (configs, problems.say(error))
            break


def play_again(configs: Sequence[TrainConfig], corpus: Corpus | None) -> None:
    """Callback: the same runs with the next seed."""
    following = tuple(replace(config, seed=config.seed + 1) for config in configs)
    address.write({"train_seed": following[0].seed})
    submit(following, corpus, None)
    st.session_state[AGAIN] = True  # a callback of a fragment runs that alone


def write_on() -> None:
    """Callback: the picture shows what the trained models write."""
    address.write({"train_show": "writes"})
    st.session_state[AGAIN] = True


def stop(text: Lesson, configs: Sequence[TrainConfig], action: Literal["pause", "reset"]) -> None:
    """Callback: pause the runs of the controls, or throw the unfinished ones away, as far as they are this reader's."""
    st.session_state.pop(REFUSED, None)
    jobs, browser = server.jobs(), reader.unless_alone()
    for config in configs:
        try:
            if action == "pause":
                others = jobs.pause(config.hash, browser)
            else:
                is_finished = server.progress(config).run.status == "finished"
                others = 0 if is_finished else jobs.delete(config.hash, browser)
            sentence = text.text("left", {"count": others, "method": method_title(config)}) if others else ""
        except ValueError as error:
            sentence = problems.say(error)
        if sentence:
            st.session_state[REFUSED] = (configs, sentence)


def status_of(text: Lesson, progress: Progress) -> list[str]:
    """What a run does, and the time that is left, its tests included."""
    run, waits, steps = progress.run, progress.place or 0, progress.run.config.steps
    if progress.notice:
        key: str = progress.notice
    elif run.is_active and run.step >= steps:
        key = "measuring" if run.measurements or study.results(run).stage == "quick" else "quick"
    elif run.is_active and not run.step and not waits:
        key = "starting"
    elif run.status == "running" and waits:
        key = "turn"
    else:
        key = run.status
    tests = {"measured": len(run.measurements) + 1, "measurements": len(study.plan_for(steps).windows(run.config))}
    numbers = {"step": run.step, "steps": steps, "time": lasting(text, run.seconds), "place": waits}
    parts = [text.entry("status", key, **numbers, **tests, error=escape_markdown(problems.say(run.error)))]
    if run.is_active and progress.seconds_left is not None and run.step:
        seconds = max(COARSE, COARSE * round(progress.seconds_left / COARSE))
        parts.append(text.entry("status", "left", time=lasting(text, seconds)))
    return parts


def lasting(text: Lesson, seconds: float) -> str:
    """A time in seconds, or in minutes where these are many."""
    return text.entry("time", "minutes" if seconds >= MINUTES else "seconds", seconds=seconds, minutes=seconds / 60)


def verdict(text: Lesson, result: study.Results, corpus: Corpus | None) -> list[str]:
    """What a trained run gives at L and at 4 L, in a few words; nothing before it was measured."""
    if not len(result.values) or result.stage == "training":
        return []
    learned = None if result.config.is_recall else corpus or python_text()
    bigram, per_word = (study.bigram(learned), learned.bytes_per_word) if learned else (0.0, 1.0)
    at, far = (curves.number(result.at(times), result.config.is_recall) for times in (1, 4))
    return [text.entry("verdict", result.verdict(bigram, per_word), at=at, far=far)]


def seen(text: Lesson, configs: Sequence[TrainConfig], corpus: Corpus | None, runs: Sequence[Run]) -> None:
    """“What you see”: what the numbers can say, and the rule behind the verdicts."""
    config = configs[0]
    if config.is_recall:
        lesson.seen_and_formula([text.text("note_recall", {"pairs": config.pairs})])
    else:
        learned = corpus or python_text()
        rule = {"bytes_per_word": learned.bytes_per_word, "word": expm1(WORSE)}
        latex = LATEX % exp(WORSE / learned.bytes_per_word)
        lesson.seen_and_formula(
            [text.text("note", {"bigram": study.bigram(learned)})], [latex, text.text("formula", rule)]
        )
    if any(run.losses for run in runs):
        page.download_csv(lambda: curves.table(text, runs), name="training.csv", key="training_csv")


def writers(configs: Sequence[TrainConfig]) -> list[TrainConfig]:
    """The finished models that can write."""
    return [config for config in configs if trained.load(config.hash) is not None]


def writes(text: Lesson, configs: Sequence[TrainConfig]) -> None:
    """The reader's finished models write on, each beside the shipped one of its method if that has the same L."""
    own = writers(configs)
    if not own:
        lesson.prose(text.text("writes_none"))
        return
    models = [Writer(config.hash, config.method, text.label("own", method=method_title(config))) for config in own]
    models += texts.shipped(
        config.method for config in own if config.method in SHIPPED and config.length == train_length()
    )
    length, seed = own[0].length, address.number("write_seed", 1, low=0, high=99_999)
    at = address.number("write_at", 0, low=0, high=4096)
    shown = texts.show(
        models[:MOST_WRITERS],
        models[:MOST_WRITERS],
        Choices(PROMPT, TEMPERATURE, seed, 0),
        Hands((), {"write_seed": seed, "write_at": at}),
        length=4 * length,
        train_length=length,
        key="train_write",
        alt=lambda titles, _: text.label("alt_writes", methods=titles),
        filename=f"own-writing-{seed}",
    )
    lesson.prose(text.text("writes"), *texts.agreement(load("write"), shown.checks))


# Look closer.


def how(text: Lesson, configs: Sequence[TrainConfig]) -> None:
    """How a run is trained and measured, and how large the models of the controls are."""
    lesson.prose(text.text("how"))
    if configs:
        size = {"parameters": configs[0].parameters, "bytes": configs[0].tokens}
        lesson.prose(text.text("size", size))
