"""The controls, the buttons, and the curves that grow while runs are trained in other processes.

Notable choices:
- The controls say which runs are meant, and a run is known by its configuration alone. So a reload, a link or another
  tab shows the same runs where they stand, and nothing has to be remembered for a reader.
- The part that shows the runs asks the queue once a second while one is active, and now and then else: another tab may
  start one. The rest of the page runs again only when a run begins or ends.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from alibi_viz.charts.lines import Line
from alibi_viz.jobs import Busy, Progress
from alibi_viz.lessons import Lesson
from alibi_viz.lm.corpus import python_docs
from alibi_viz.lm.records import Run
from alibi_viz.measured import WORSE
from alibi_viz.positions import METHODS
from alibi_viz.ui import facts, page, predict
from alibi_viz.ui import stage as layout
from alibi_viz.ui.controls import rerun, state
from alibi_viz.ui.controls.method_pills import TITLES
from alibi_viz.ui.format import escape_markdown, format_number
from pages.train import charts, controls, server, study
from pages.train.controls import Controls
from pages.train.study import Results

FEW = 25  # steps of the step button
EVERY, IDLE = 1.0, 5.0  # seconds between two looks at the runs: while one is active, and while none is
MOST_OPTIONS = 5  # of a question
_FOLLOWED = "_followed_runs"  # hashes of the runs that the reader saw while they were trained: nothing is left to ask
_PROBLEM = "_training_problem"  # what was asked for, and why it was not done; stands until the next press of a button


def stage(lesson: Lesson) -> Controls | None:
    """The controls, and the picture that follows the runs. None for what cannot be trained."""
    picture, asked, side = layout.stage()
    try:
        with side:
            controls.show(lesson)
            _more(lesson)
            chosen = controls.read()
    except ValueError as problem:
        with picture:
            page.problem(problem)
        return None
    runs, active = _look(chosen)
    st.session_state.setdefault(_FOLLOWED, set()).update(active)
    with asked:
        predict.ask(question(lesson, [progress.run for progress in runs]))
    with picture:
        st.fragment(_live, run_every=EVERY if active else IDLE)(lesson, chosen, active)
    return chosen


def question(lesson: Lesson, runs: Sequence[Run]) -> predict.Question | None:
    """Which method does best in what the picture shows? None until all runs are finished, or if the reader has seen it."""
    followed: set[str] = st.session_state.get(_FOLLOWED, set())
    if any(run.status != "finished" or run.hash in followed for run in runs):
        return None
    shows_loss, is_recall = state.read(controls.SHOW) == "loss", runs[0].config.is_recall
    values = {run.config.method: _score(run, shows_loss=shows_loss) for run in runs}
    known = [(method, value) for method, value in values.items() if value is not None][:MOST_OPTIONS]
    if len(known) < 2:
        return None
    right = [number for number, (_, value) in enumerate(known) if value == max(score for _, score in known)]
    section = "predict.loss" if shows_loss else "predict.recall" if is_recall else "predict"
    return predict.Question(lesson, [TITLES[method] for method, _ in known], right, section=section)


def _score(run: Run, *, shows_loss: bool) -> float | None:
    """How good the last point of the loss is, or the model at 4 L; larger is better."""
    if shows_loss:
        means = study.smoothed(run.losses)[1]
        return -float(means[-1]) if len(means) else None
    far = study.results(run).at(4)
    return far if far is None or run.config.is_recall else -far


def _more(lesson: Lesson) -> None:
    """Presets, and the further controls; what is wrong with an own text is told where the picture would be."""
    problems: list[ValueError] = []

    def show() -> None:
        try:
            controls.show_more(lesson)
        except ValueError as problem:
            problems.append(problem)

    layout.more(lesson, controls.TRY, show)
    if problems:
        raise problems[0]


def _look(chosen: Controls) -> tuple[list[Progress], list[str]]:
    """Every run of the controls as it stands now, and the hashes of the active ones."""
    runs = [server.progress(config) for config in chosen.configs]
    return runs, [progress.run.hash for progress in runs if progress.run.is_active]


def _live(lesson: Lesson, chosen: Controls, active_before: list[str]) -> None:
    """The part that follows the runs. `active_before`: those that were active when the whole page last ran."""
    server.viewers().watch(server.reader(), tuple(config.hash for config in chosen.configs))
    runs, active = _look(chosen)
    if active != active_before:
        st.rerun()  # a run has begun or ended: the rest of the page follows
    _buttons(lesson, chosen, runs)
    configs, problem = st.session_state.get(_PROBLEM, (None, ""))
    if configs == chosen.configs:
        st.warning(escape_markdown(problem), icon=":material/info:")
    _states(lesson, runs)
    _picture(lesson, [progress.run for progress in runs])
    rerun.if_requested()


def _buttons(lesson: Lesson, chosen: Controls, runs: Sequence[Progress]) -> None:
    """Play, pause, a few steps, reset; each is enabled only where it would do something."""
    active, unfinished = any(p.run.is_active for p in runs), [p.run for p in runs if p.run.status != "finished"]
    buttons = {
        "play": ("play_arrow", not all(run.is_active for run in unfinished), _submit, (chosen, None)),
        "pause": ("pause", active, _stop, (lesson, chosen, server.jobs().pause)),
        "step": ("skip_next", bool(unfinished) and not active, _submit, (chosen, FEW)),
        "reset": (
            "replay",
            any(run.status != "new" for run in unfinished),
            _stop,
            (lesson, chosen, server.jobs().cancel),
        ),
    }
    with st.container(horizontal=True, gap="xxsmall"):
        for name, (icon, enabled, callback, arguments) in buttons.items():
            action: dict[str, Any] = {"on_click": callback, "args": arguments, "disabled": not enabled}
            action["type"], help_text = "primary" if name == "play" else "secondary", lesson.entries("help").get(name)
            st.button(lesson.label(name, steps=FEW), f"train_{name}", help_text, icon=f":material/{icon}:", **action)


def _submit(chosen: Controls, steps: int | None) -> None:
    """Start or resume every run of the controls."""
    rerun.request()
    st.session_state.pop(_PROBLEM, None)
    for config in chosen.configs:
        try:
            server.jobs().submit(config, chosen.corpus, study.plan_for(config.steps), steps=steps)
        except (ValueError, OSError, Busy) as problem:
            st.session_state[_PROBLEM] = (chosen.configs, str(problem))
            return


def _stop(lesson: Lesson, chosen: Controls, stop: Callable[[str], None]) -> None:
    """Pause the runs of the controls, or throw the unfinished ones away; not those that others watch."""
    rerun.request()
    st.session_state.pop(_PROBLEM, None)
    for config in chosen.configs:
        if others := server.viewers().count_others(server.reader(), config.hash):
            problem = lesson.text("others", count=others, method=TITLES[config.method])
            st.session_state[_PROBLEM] = (chosen.configs, problem)
        else:
            stop(config.hash)


def _states(lesson: Lesson, runs: Sequence[Progress]) -> None:
    """How far each run is."""
    with st.container(horizontal=True, gap="small", key="train_states"):
        for progress in runs:
            run, words = progress.run, [_status(lesson, progress)]
            if run.status not in ("new", "finished"):
                words.append(_pace(lesson, run))
            st.markdown(f"**{TITLES[run.config.method]}** · {' · '.join(words)}", width="content")


def _status(lesson: Lesson, progress: Progress) -> str:
    run, waits, steps = progress.run, progress.queue_position or 0, progress.run.config.steps
    if run.is_active and run.step >= steps:
        key = "measuring"
    elif run.is_active and not run.step and not waits:
        key = "starting"
    elif run.status == "running" and waits:
        key = "turn"
    else:
        key = "failed" if run.status == "paused" and run.error else run.status
    tests = {"measured": len(run.measurements) + 1, "measurements": len(study.plan_for(steps).windows(run.config))}
    numbers = {"step": run.step, "steps": steps, "seconds": run.seconds, "queue_position": waits, **tests}
    return lesson.entry("status", key, error=escape_markdown(run.error), **numbers)


def _pace(lesson: Lesson, run: Run) -> str:
    """Bytes a second and the time left during training; then the time that it took."""
    steps_left, pace = run.config.steps - run.step, run.step / run.seconds if run.seconds else 0  # without waiting
    if not (run.is_active and steps_left and pace):
        return lesson.entry("status", "took", seconds=run.seconds)
    return lesson.entry("status", "pace", pace=pace * run.config.batch * run.config.length, seconds=steps_left / pace)


def _losses(runs: Sequence[Run]) -> list[Line]:
    return [Line(run.config.method, TITLES[run.config.method], *study.smoothed(run.losses)) for run in runs]


def _beyond(runs: Sequence[Run]) -> list[Line]:
    every = [study.results(run) for run in runs]
    return [Line(r.config.method, TITLES[r.config.method], r.lengths, r.values) for r in every]


def _picture(lesson: Lesson, runs: Sequence[Run]) -> None:
    """How the models do beyond L, or the loss while they learn."""
    config, labels = runs[0].config, lesson.entries("chart")
    began = any(run.losses for run in runs)
    options: dict[str, Any] = {"dark": page.dark(), "empty": lesson.label("empty_begun" if began else "empty")}
    if state.read(controls.SHOW) == "loss":
        label, drawing = "loss", charts.losses(_losses(runs), labels, steps=config.steps, **options)
    else:
        label, options["is_recall"] = "recall" if config.is_recall else "beyond", config.is_recall
        drawing = charts.lengths(_beyond(runs), labels, train_length=config.length, **options)
    words = " ".join(_numbers(lesson, result) for result in map(study.results, runs) if len(result.values))
    alt = f"{lesson.label(label)}. {words or options['empty']}"
    st.vega_lite_chart(
        drawing.data, drawing.spec, key=f"train_{label}", theme=None, width="stretch", height="stretch", alt=alt
    )


def _numbers(lesson: Lesson, results: Results) -> str:
    """What one run gave, for those who do not see the picture."""
    return _sentence(lesson, results, 0.0, 1.0) if results.config.is_recall else _plain(results)


def _plain(results: Results) -> str:
    pairs = zip(results.lengths, results.values, strict=True)
    numbers = ", ".join(f"{length:,.0f}: {_number(value, False)}" for length, value in pairs)
    return f"{TITLES[results.config.method]} {numbers}."


def seen(lesson: Lesson, chosen: Controls) -> None:
    """“What you see”: one sentence a run with its numbers; it follows the runs as the picture does."""
    _, active = _look(chosen)
    st.fragment(_seen, run_every=EVERY if active else None)(lesson, chosen)


def _seen(lesson: Lesson, chosen: Controls) -> None:
    runs = [progress.run for progress in _look(chosen)[0]]
    config = runs[0].config
    corpus = None if config.is_recall else chosen.corpus or python_docs()
    bigram, per_word = (0.0, 0.0) if corpus is None else (study.bigram(corpus), corpus.bytes_per_word)
    numbers = {"bytes": study.plan_for(config.steps).sample_bytes, "length": config.length}
    facts.tell({"batch": config.batch, "steps": config.steps, "tokens": config.tokens, "worse": WORSE})
    if measured := [result for result in map(study.results, runs) if len(result.values)]:
        final = all(result.final for result in measured)
        section = "seen.recall" if config.is_recall else "seen.final" if final else "seen.sample"
        sentences = "\n".join(f"- {_sentence(lesson, result, bigram, per_word)}" for result in measured)
        page.what_you_see(lesson, section, each=sentences, **numbers)
    else:
        page.what_you_see(lesson, "seen.new", **numbers)
    page.prose(lesson, "note.recall" if config.is_recall else "note", bigram=bigram, worse=WORSE, pairs=config.pairs)
    if any(run.losses for run in runs):
        page.download_csv(lambda: _table(lesson, _losses(runs), _beyond(runs)), name="training.csv", key="training_csv")


def _sentence(lesson: Lesson, results: Results, bigram: float, bytes_per_word: float) -> str:
    """What one run gives at L and at 4 L. No verdict on a model that has learned no more than a bigram model knows."""
    method, near, far, is_recall = results.config.method, results.at(1), results.at(4), results.config.is_recall
    rise = math.log(far / near) * bytes_per_word if near and far else 0.0  # nats per word
    if near is None or far is None:
        key = "ends" if results.ends and METHODS[method].has_position_table else "near"
    elif is_recall:
        key = "recall"
    else:
        key = "early" if near >= bigram else "keeps" if rise <= WORSE else "breaks"
    numbers = {"at": _number(near, is_recall), "far": _number(far, is_recall)}
    return lesson.entry("seen.one", key, method=TITLES[method], rise=rise, **numbers)


def _number(value: float | None, is_recall: bool) -> str:
    if value is None:
        return "–"
    return f"{value:.0%}" if is_recall else f"{value:.2f}" if value < 100 else format_number(value)


def _table(lesson: Lesson, losses: Sequence[Line], beyond: Sequence[Line]) -> pd.DataFrame:
    """Both charts' points, run by run."""
    curves = [
        (lesson.label(key), line)
        for pair in zip(losses, beyond, strict=True)
        for key, line in zip(("loss", "beyond"), pair, strict=True)
    ]
    tables = [pd.DataFrame({"method": line.name, "line": name, "x": line.x, "y": line.y}) for name, line in curves]
    return pd.concat(tables, ignore_index=True).rename(columns=lesson.entries("columns"))
