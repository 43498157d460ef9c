"""Train it yourself: what cannot be trained, runs as the page shows them, and those of several readers on one server."""

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from alibi_viz.jobs.queue import Progress
from alibi_viz.lessons import load
from alibi_viz.lm.config import BUILT_INS, FIRST_RUN, TrainConfig
from alibi_viz.lm.runs import Run, RunStore, corpus_for
from alibi_viz.lm.training import build_model
from alibi_viz.results import trained
from alibi_viz.ui import reader
from pages.train import page, server, study, tab
from pages.train.study import POINTS, results, smoothed
from tests.pages.apptest import address, open_page, picture, said, says

CONFIG = TrainConfig(**FIRST_RUN)
LESSON = load("train")


pytestmark = pytest.mark.usefixtures("data")


def evaluation(length, perplexity):
    """Of a text whose blocks are all alike."""
    loss = math.log(perplexity)
    measured = {"predictions": 100, "loss": loss, "perplexity": perplexity, "by_block": [loss] * 16}
    return {"length": length, "stride": length // 4, **measured}


def keep(folder, config, status, *perplexities):
    """A run as it stands on disk."""
    evaluations = tuple(evaluation(n, p) for n, p in zip((64, 256), perplexities, strict=False))
    step = config.steps if status == "finished" else 40
    run = Run(config, "text", step=step, seconds=9.0, losses=(3.0,) * step, evaluations=evaluations)
    RunStore(folder).save(replace(run, status=status))


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ({"train": "alibi,robe"}, "robe"),
        ({"train": "alibi,t5", "train_block": "llama"}, "rope, alibi"),
        ({"train_width": "256", "train_layers": "6"}, "parameters"),
        ({"train_text": "recall", "train_length": "512", "train_steps": "5000"}, "tokens"),
    ],
)
def test_what_cannot_be_trained_is_told_in_a_sentence(url, words):
    at = open_page("train", **url)
    message = " ".join(element.value for element in (*at.warning, *at.info)).replace("\\", "")
    assert words in message


def test_a_short_text_of_ones_own_is_refused_and_a_long_one_taken():
    at = open_page("train", train_text="own text")
    at.text_area(key="train_paste").set_value("too short").run()
    assert "20,000 bytes" in at.warning[0].value.replace("\\", "")
    text = "\n\n".join(f"Paragraph {n}: " + " ".join(f"word{n * k % 997}" for k in range(60)) for n in range(80))
    at.text_area(key="train_paste").set_value(text).run()
    assert not at.exception
    assert says(said(at), "train", "text_kept")
    assert not at.button(key="train_play").disabled


@pytest.mark.parametrize("show", ["beyond", "loss"])
def test_finished_runs_are_shown_with_what_they_gave(data, show):
    (before,) = open_page("train", train_show=show).get("plotly_chart")
    assert LESSON.label("empty") not in before.proto.alt, "a shipped run stands there"
    keep(data, CONFIG, "finished", 5.0, 4.95)
    keep(data, replace(CONFIG, method="sinusoidal"), "finished", 7.0, 14.0)
    at = open_page("train", train_open="runs", train_show=show)
    words = said(at)
    for method, verdict, numbers in (
        ("ALiBi", "same", {"at": "5.00", "far": "4.95"}),
        ("Sinusoidal", "worse", {"at": "7.00", "far": "14.00"}),
    ):
        line = LESSON.entry("verdict", verdict, numbers)
        assert f"**{method}** · {line} · finished, 800 steps in 9 s" in words, "over the picture"
    assert says(words, "train", "formula", bytes_per_word=corpus_for(CONFIG).bytes_per_word)
    assert [at.button(key=f"train_{name}").disabled for name in ("play", "pause", "step", "reset")] == [False] + [
        True
    ] * 3
    assert len(at.dataframe[0].value) == 2
    assert "ALiBi 64: 5.00, 256: 4.95." in at.get("plotly_chart")[0].proto.alt


def test_no_verdict_on_a_model_that_knows_no_more_than_pairs_of_bytes(data):
    keep(data, CONFIG, "finished", 30.0, 30.1)
    line = LESSON.entry("verdict", "early", at="30.00", far="30.10")
    assert f"**ALiBi** · {line} · finished" in said(open_page("train", train="alibi"))


def test_the_picture_shows_what_finished_models_write_and_a_button_leads_there(data, monkeypatch):
    keep(data, CONFIG, "finished", 5.0, 4.9)
    at = open_page("train", train="alibi")
    assert "train_write_on" not in [button.key for button in at.button], "its weights are not there"
    assert says(said(open_page("train", train="alibi", train_show="writes")), "train", "writes_none")
    shipped = trained.load("alibi")
    monkeypatch.setattr(trained, "load", lambda ref: shipped)
    at = open_page("train", train="alibi")
    at.button(key="train_write_on").click().run()
    assert not at.exception
    assert address(at) == {"train": "alibi", "train_show": "writes"}
    assert not at.get("plotly_chart")
    assert picture(at, "models")["models"][0]["name"] == LESSON.label("own", method="ALiBi")


def test_when_all_is_finished_play_trains_the_next_seed(data):
    keep(data, CONFIG, "finished", 5.0, 4.9)
    at = open_page("train", train="alibi")
    assert at.button(key="train_play").label == LESSON.label("again", seed=1)
    press(at, "play")
    assert address(at) == {"train": "alibi", "train_seed": "1"}
    assert server.jobs().progress(replace(CONFIG, seed=1).hash).run.status == "waiting"
    assert at.button(key="train_play").disabled
    assert not at.button(key="train_pause").disabled


@pytest.mark.parametrize(("seconds", "words"), [(43, "43 s"), (89, "89 s"), (91, "2 min"), (2005, "33 min")])
def test_a_long_time_is_told_in_minutes(seconds, words):
    assert page.lasting(LESSON, seconds) == words


@pytest.mark.parametrize(
    ("change", "can"),
    [
        ({"length": 512, "heads": 2, "layers": 3}, True),
        ({"corpus": "recall", "batch": 16, "learning_rate": 0.01}, True),
        ({"batch": 16}, False),
        ({"method": "rope", "block": "llama"}, True),
        ({"width": 48}, False),
        ({"options": {"rule": "sentence"}}, False),
    ],
)
def test_a_run_is_shown_in_the_controls_where_they_can_say_it(change, can):
    config = replace(CONFIG, **change)
    values = study.address_of(config)
    assert (values is not None) == can
    if values is not None:
        methods = (str(values.pop("train")),)
        chosen = study.Controls(methods, **{key.removeprefix("train_"): value for key, value in values.items()})
        assert chosen.configs(None) == (config,)


def test_a_run_of_another_process_is_not_stopped_here_and_goes_on_or_goes_when_that_has_ended(data):
    other = RunStore(data)
    keep(data, CONFIG, "running")
    assert other.claim(CONFIG.hash)
    at = open_page("train", train="alibi")
    assert "trained by another server" in said(at)
    at.button(key="train_pause").click().run()
    assert "only there it can be stopped" in at.warning[0].value
    other.release(CONFIG.hash)
    at.run()
    assert "its server has ended" in said(at)
    assert not at.button(key="train_play").disabled
    at.button(key="train_reset").click().run()
    assert says(said(at), "train", "status.recorded")
    assert not RunStore(data).runs()


@pytest.mark.parametrize(
    ("changes", "place", "left", "words"),
    [
        ({"status": "waiting"}, 2, None, ["waiting, 2 before it"]),
        ({"status": "running", "step": 60}, 0, 43.0, ["step 60 of 800", "about 45 s left"]),
        ({"status": "running", "step": 800, "evaluations": (evaluation(32, 7.5),)}, 0, None, ["test 2 of 16"]),
        ({"status": "failed", "step": 60, "error": "Gone."}, None, None, ["stopped: Gone\\."]),
    ],
)
def test_what_a_run_does_and_how_long_still_is_told(changes, place, left, words):
    assert page.status_of(LESSON, Progress(Run(CONFIG, **changes), place, left)) == words


def test_a_recorded_run_stands_faint_until_the_reader_s_own_begins_and_behind_it_once_that_is_finished(monkeypatch):
    def progress(**changes):
        monkeypatch.setattr(server, "progress", lambda config: Progress(Run(config, **changes), 0))

    def chart(at):
        spec: dict[str, Any] = json.loads(at.get("plotly_chart")[0].proto.spec)
        return spec

    at = open_page("train")
    new = chart(at)
    assert sum("opacity" in trace for trace in new["data"]) == 2
    assert says(said(at), "train", "source.recorded")
    progress(status="waiting")
    assert not any("opacity" in trace for trace in chart(at.run())["data"])
    progress(status="running", step=40, losses=(3.0,) * 40, interim_evaluations=(evaluation(64, 9.0) | {"step": 40},))
    begun = chart(at.run())
    assert says(said(at), "train", "source.training", step="40")
    assert not any("opacity" in trace for trace in begun["data"])
    axes = ("xaxis", "yaxis")
    assert [begun["layout"][axis] for axis in axes] == [new["layout"][axis] for axis in axes], "there is room for all"
    progress(status="finished", step=80, losses=(3.0,) * 80, evaluations=(evaluation(64, 9.0),))
    assert ["opacity" in trace for trace in chart(at.run())["data"]] == [True, True, False, False]
    assert says(said(at), "train", "source.recorded")


def test_five_methods_stand_in_the_row_and_a_list_adds_another():
    at = open_page("train", train="alibi,kerple")
    hands = picture(at, "hands")["hands"]["hands"]
    row, others = (next(hand for hand in hands if hand["key"] == key) for key in ("train", "train_other"))
    assert [value for value, _ in row["options"]] == [*tab.METHODS, "kerple"]
    assert others["advanced"]
    assert others["sets"]["fire"]["train"] == "alibi,kerple,fire"


RUN = Run(TrainConfig("rope", steps=100), status="running", step=100)


def sample(length, perplexity, step):
    return {"length": length, "stride": length, "perplexity": perplexity, "step": step}


def final(length, perplexity):
    return {"length": length, "stride": length // 4, "perplexity": perplexity}


@given(st.lists(st.floats(0, 10), max_size=1000))
def test_smoothing_keeps_the_mean_and_the_last_step(losses):
    steps, means = smoothed(losses)
    assert len(steps) == len(means) <= POINTS + 1
    sizes = np.diff(steps, prepend=0)
    assert (sizes > 0).all()
    assert sizes.sum() == len(losses)
    assert (sizes * means).sum() == pytest.approx(sum(losses))


def test_the_newest_sample_is_shown_until_the_finished_model_is_measured_as_far():
    samples = (sample(128, 9.0, 30), sample(512, 9.5, 30), sample(128, 8.0, 60), sample(512, 8.5, 60))
    newest = results(replace(RUN, step=60, interim_evaluations=samples))
    assert (newest.at(1), newest.at(4), newest.stage) == (8.0, 8.5, "training")
    quick = (*samples, sample(128, 7.9, 100), sample(512, 8.4, 100))
    newest = results(replace(RUN, interim_evaluations=quick, evaluations=(final(128, 7.5),)))
    assert (newest.at(1), newest.at(4), newest.stage) == (7.9, 8.4, "quick")
    newest = results(replace(RUN, interim_evaluations=quick, evaluations=(final(128, 7.0), final(512, 7.1))))
    assert (newest.at(1), newest.at(4), newest.stage) == (7.0, 7.1, "full")


def test_a_verdict_needs_blocks():
    """The rule itself: tests/unit/test_comparison.py."""
    blocks = [final(n, p) | {"by_block": [math.log(p)] * 16} for n, p in ((128, 7.0), (512, 14.0))]
    assert results(replace(RUN, evaluations=tuple(blocks))).verdict(20.0, 5.0) == "worse"
    assert results(replace(RUN, evaluations=(final(128, 7.0), final(512, 14.0)))).verdict(20.0, 5.0) == "open"


def test_what_cannot_be_measured_is_no_number():
    ended = {"length": 256, "stride": 64, "missing": "no vector"}
    newest = results(replace(RUN, evaluations=(final(128, 7.0), ended, final(512, None))))
    assert (newest.lengths.tolist(), newest.ends, newest.at(2)) == ([128], True, None)


def test_recall_shows_the_accuracies_of_four_pairs():
    asked = (121, 4, 0.9), (505, 4, 0.0), (125, 2, 1.0), (113, 8, 0.2)
    accuracies = tuple({"length": length, "pairs": pairs, "accuracy": right} for length, pairs, right in asked)
    newest = results(replace(RUN, config=TrainConfig(corpus="recall", steps=100), status="finished", recall=accuracies))
    assert (newest.at(1), newest.at(4), newest.stage) == (0.9, 0.0, "full")


@given(st.lists(st.floats(study.LOWEST, study.HIGHEST), max_size=4))
def test_every_perplexity_that_can_be_is_inside_the_axis(perplexities):
    run = replace(RUN, evaluations=tuple(final(64 * 2**at, value) for at, value in enumerate(perplexities)))
    _, axis = study.length_axes(load("train").entries("chart"), [run])
    low, high = (10**end * (1 + side * 1e-9) for end, side in zip(axis["range"], (-1, 1), strict=True))
    assert all(low <= value <= high for value in (*perplexities, *axis["tickvals"]))


SMALL = TrainConfig(steps=25, length=32, width=16, layers=1, heads=1)


@pytest.fixture
def shared(monkeypatch):
    """Others can reach the server."""
    monkeypatch.setattr(reader, "is_loopback", lambda host: False)


def status():
    found = server.jobs().progress(CONFIG.hash)
    return found.run.status if found else "gone"


def press(at, button):
    at.button(key=f"train_{button}").click().run()
    assert not at.exception
    return at


@pytest.mark.usefixtures("shared")
def test_two_readers_train_the_same_settings_and_neither_stops_the_other():
    first = press(open_page("train", train="alibi"), "play")
    assert not first.button(key="train_pause").disabled
    assert "another reader’s" not in said(first)
    second = open_page("train", train="alibi", train_open="runs")
    assert "another reader’s" in said(second)
    assert len(second.dataframe[0].value) == 1
    for action in ("pause", "reset"):
        assert second.button(key=f"train_{action}").disabled
    for action in ("pause", "reset"):
        press(second, "play")
        press(second, action)
        assert says(second.warning[0].value, "train", "left", count=1)
        assert status() == "waiting"
    assert "another reader’s" not in said(first.run())
    press(first, "pause")
    assert status() == "paused"


@pytest.mark.usefixtures("shared")
def test_a_model_of_somebodys_own_text_is_on_no_page_of_others(monkeypatch, data):
    config, mine = replace(SMALL, corpus="text:0123456789abcdef"), "a" * 64
    run = Run(config, "text", status="finished", step=config.steps, browsers=(mine,))
    RunStore(data).finish(run, dict(build_model(config).named_parameters()))
    for is_mine in (False, True):
        offered = open_page("attention_model", model=config.hash)
        assert bool(offered.info) != is_mine, "an address that names it opens another model, and says so"
        assert says(said(open_page("train", train_open="runs")), "train", "runs", count=1) == is_mine
        monkeypatch.setattr(reader, "owner", lambda: mine)


def test_the_page_can_name_every_text_that_the_command_trains_on():
    assert {*study.TEXTS.values()} == {*BUILT_INS}
