"""Train it yourself through Streamlit's test runner: what the address says, what cannot be trained, and kept runs."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from alibi_viz.jobs import Jobs, Progress, Refused
from alibi_viz.lessons import load
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import Run, RunStore, corpus_for
from alibi_viz.results import pretrained
from alibi_viz.ui.run_names import method_title
from pages.train import page, server, study
from pages.train.study import plan_for
from tests.pages.apptest import open_page, said, says
from tests.ui.unpacking import unpack

CONFIG = TrainConfig(steps=400)


@pytest.fixture(autouse=True)
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A store of its own for each test; the queue is made anew, since it keeps its store."""
    monkeypatch.setenv("ALIBI_VIZ_DATA", str(tmp_path))
    server.jobs.forget()
    yield tmp_path
    server.jobs.forget()


def evaluation(length: int, perplexity: float) -> dict[str, object]:
    return {"length": length, "stride": length // 4, "predictions": 100, "loss": 1.0, "perplexity": perplexity}


def keep(folder: Path, config: TrainConfig, status: str, *perplexities: float) -> None:
    """A run as it stands on disk."""
    evaluations = tuple(evaluation(n, p) for n, p in zip((128, 512), perplexities, strict=False))
    step = config.steps if status == "finished" else 40
    run = Run(config, "text", step=step, seconds=9.0, losses=(3.0,) * step, evaluations=evaluations)
    RunStore(folder).save(replace(run, status=status))  # type: ignore[arg-type]


def test_before_anything_is_trained():
    at = open_page("train")
    words = said(at)
    assert words.count(load("train").entry("status", "new")) == 2
    assert "Nothing is measured yet" in words
    assert f"{CONFIG.parameters:,}" in said(open_page("train", train_open="how"))
    assert not at.button(key="train_play").disabled
    assert at.button(key="train_pause").disabled
    assert at.button(key="train_reset").disabled


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ({"train": "alibi,robe"}, "robe"),
        ({"train_width": "256", "train_layers": "6"}, "parameters"),
        ({"train_length": "512", "train_steps": "5000"}, "tokens"),
        ({"train_text": "own text"}, "20,000 bytes"),
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


def test_finished_runs_are_shown_with_what_they_gave(data):
    keep(data, CONFIG, "finished", 5.0, 4.9)
    keep(data, replace(CONFIG, method="sinusoidal"), "finished", 7.0, 14.0)
    at = open_page("train", train_open="runs")
    words = said(at)
    assert says(words, "train", "seen_one.keeps", method="ALiBi", at="5.00", far="4.90", rise="−0.09")
    rise = math.log(14 / 7) * corpus_for(CONFIG).bytes_per_word  # of this Python's documentation
    assert says(words, "train", "seen_one.breaks", method="Sinusoidal", at="7.00", far="14.00", rise=f"+{rise:.2f}")
    assert at.button(key="train_play").disabled
    assert at.button(key="train_reset").disabled
    assert says(words, "train", "runs", count=2)
    assert len(at.dataframe[0].value) == 2
    assert at.button(key="train_show_run").disabled, "no row is chosen"


def test_no_verdict_on_a_model_that_knows_no_more_than_pairs_of_bytes(data):
    keep(data, CONFIG, "finished", 30.0, 30.1)
    words = said(open_page("train", train="alibi"))
    assert "Too little training to tell" in words
    assert "It **holds**" not in words
    assert "It **breaks**" not in words


@pytest.mark.parametrize("change", [{}, {"length": 512, "heads": 2, "layers": 3}, {"corpus": "recall"}])
def test_a_run_of_the_controls_can_be_shown_in_them(change):
    config = replace(CONFIG, **change)
    values = study.address_of(config)
    assert values is not None
    methods = (str(values.pop("train")),)
    chosen = study.Controls(methods, **{key.removeprefix("train_"): value for key, value in values.items()})
    assert chosen.configs(None) == (config,)


@pytest.mark.parametrize(
    "change",
    [
        *({"length": 100}, {"width": 48}, {"batch": 8}, {"learning_rate": 1e-3}, {"steps": 20_000}, {"layers": 7}),
        {"options": {"rule": "plain"}},
    ],
)
def test_a_run_that_the_controls_cannot_say_is_not_offered(change):
    assert study.address_of(replace(CONFIG, **change)) is None


def test_every_shipped_run_of_a_block_can_be_asked_for_by_the_controls():
    """By the same names on disk."""
    configs = [TrainConfig.from_dict(record["config"]) for record in pretrained.load_all("blocks")]
    assert {method_title(config) for config in configs} == {"RoPE", "ALiBi"}
    assert all(study.address_of(config) for config in configs)


def test_other_slopes_have_their_name_and_no_replayed_run(data):
    link = {"train": "alibi,rope", "train_block": "llama", "train_heads": "4", "train_slopes": "2^-h"}
    at = open_page("train", train_show="loss", **link)
    words = said(at)
    assert "**ALiBi (2⁻ʰ)**" in words
    assert "**RoPE**" in words, "other methods have no slopes"
    assert study.nearest(TrainConfig(options={"rule": "blog"})) is None, "no run with other slopes is replayed for it"


def test_a_run_that_an_earlier_server_left_is_paused(data):
    keep(data, CONFIG, "running")
    at = open_page("train", train="alibi")
    assert "paused at step 40" in said(at)
    assert not at.button(key="train_play").disabled
    at.button(key="train_reset").click().run()
    assert not at.exception
    assert "not trained yet" in said(at)
    assert not RunStore(data).runs()


@pytest.mark.parametrize(
    ("changes", "place", "words"),
    [
        ({"status": "waiting"}, 2, "waiting, 2 before it"),
        ({"status": "waiting"}, 0, "starting"),
        ({"status": "running", "step": 60}, 0, "step 60 of 400"),
        ({"status": "running", "step": 60}, 1, "step 60 of 400, 1 before it"),
        ({"status": "running", "step": 400}, 1, "trained; quick test"),
        (
            {"status": "running", "step": 400, "interim_evaluations": (evaluation(128, 7.5) | {"step": 400},)},
            1,
            f"trained; test 1 of {len(plan_for(400).windows(CONFIG))}",
        ),
        ({"status": "running", "step": 400, "evaluations": (evaluation(64, 7.5),)}, 0, "trained; test 2 of 16"),
        ({"status": "paused", "step": 60}, None, "paused at step 60 of 400"),
        ({"status": "failed", "step": 60, "error": "Gone."}, None, "stopped: Gone\\."),
        ({"status": "finished", "step": 400, "seconds": 9.0}, None, "finished, 400 steps in 9 s"),
    ],
)
def test_what_a_run_does_is_told(changes, place, words):
    assert page.status(load("train"), Progress(Run(CONFIG, **changes), place)) == words


@pytest.mark.parametrize(
    ("run_status", "notice", "words"),
    [
        ("running", "elsewhere", "step 60, trained by another server or command"),
        ("paused", "interrupted", "paused at step 60: its server has ended"),
    ],
)
def test_what_happened_to_a_run_is_told(run_status, notice, words):
    run = Run(CONFIG, status=run_status, step=60)
    assert page.status(load("train"), Progress(run, notice=notice)) == words


def test_a_run_that_another_process_trains_is_not_stopped_here(data):
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


def test_the_time_left_is_told_during_training_and_tests():
    run, lesson = Run(CONFIG, status="running", step=60, seconds=3.0), load("train")
    assert len(page.status_line(lesson, Progress(run, 0))) == 1, "no estimate before anything is measured"
    assert page.status_line(lesson, Progress(run, 0, 43.0))[1:] == ["about 45 s left"]
    assert page.status_line(lesson, Progress(replace(run, step=400), 0, 11.0))[1:] == ["about 10 s left"]
    assert len(page.status_line(lesson, Progress(replace(run, status="paused"), None))) == 1


def progress(status: str, step: int = 0) -> Progress:
    return Progress(Run(CONFIG, status=status, step=step))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("runs", "grey"),
    [
        ([progress("new")], {"pause": "pause", "reset": "reset"}),
        ([progress("running", 40)], {"play": "active", "step": "pause_first"}),
        ([progress("running", 40), progress("paused", 40)], {"step": "pause_first"}),
        ([progress("finished", 400)], {"play": "finished", "step": "finished", "pause": "pause", "reset": "reset"}),
        ([progress("finished", 400), progress("paused", 40)], {"pause": "pause"}),
    ],
)
def test_a_button_that_would_do_nothing_is_grey_and_says_why(runs, grey):
    assert page.reasons(runs) == grey
    assert set(grey.values()) <= set(load("train").entries("why"))


@pytest.mark.parametrize(
    ("status", "grey"),
    [
        ("new", {"pause": "pause", "reset": "reset"}),
        ("running", {"pause": "theirs", "reset": "theirs", "step": "pause_first"}),
        ("paused", {"pause": "pause", "reset": "theirs"}),
    ],
)
def test_a_run_of_others_can_only_be_watched_too(status, grey):
    browsers = () if status == "new" else ("another",)
    run = Run(CONFIG, status=status, step=40, browsers=browsers)
    assert page.reasons([Progress(run, watchers=frozenset(browsers))], "me") == grey
    assert set(grey.values()) <= set(load("train").entries("why"))


def waiting(monkeypatch: pytest.MonkeyPatch, **changes: object) -> None:
    """Every run that the page asks for waits for its workers, or is as far as `changes` say."""
    run = {"status": "running"} | changes
    monkeypatch.setattr(server, "progress", lambda config: Progress(Run(config, **run), 0))


def drawn(at):
    """What the picture was given, taken apart."""
    (view,) = (one.proto for one in at.get("bidi_component") if one.proto.component_name == "alibi_viz_curve_view")
    return unpack(view.bytes)[0]


def test_a_recorded_run_stands_faint_behind_the_reader_s_own_once_that_is_finished(monkeypatch):
    at = open_page("train")
    assert not any(curve["faint"] for curve in drawn(at)["curves"]), "it would give the answer away"
    assert "512:" not in drawn(at)["alt"]
    y = drawn(at)["y"]
    waiting(monkeypatch, step=40, losses=(3.0,) * 40, interim_evaluations=(evaluation(128, 9.0) | {"step": 40},))
    at.run()
    assert says(said(at), "train", "source.training", step="40")
    assert not any(curve["faint"] for curve in drawn(at)["curves"])
    assert drawn(at)["y"] == y, "the axis stays: it has room for the recorded run from the beginning"
    far = (evaluation(128, 290.0) | {"step": 40}, evaluation(128, 9.0) | {"step": 80})
    waiting(monkeypatch, step=80, losses=(3.0,) * 80, interim_evaluations=far)
    high = drawn(at.run())["y"]["high"]
    assert high >= 290, "it has grown outward, and does not shrink when the curve comes back"
    waiting(monkeypatch, status="finished", step=80, losses=(3.0,) * 80, evaluations=(evaluation(128, 9.0),))
    at.run()
    assert [curve["faint"] for curve in drawn(at)["curves"]] == [True, True, False, False]
    assert says(said(at), "train", "source.recorded")


@pytest.mark.parametrize("change", [{}, {"length": 32, "steps": 100}, {"corpus": "recall"}, {"corpus": "text:00"}])
def test_the_nearest_recorded_run_is_of_the_same_method_and_task(change):
    for method in ("alibi", "sinusoidal", "rope", "t5"):
        config = replace(CONFIG, method=method, **change)
        run = study.nearest(config)
        assert run is not None
        assert (run.config.method, run.config.is_recall) == (method, config.is_recall)
        assert run.measurements


def test_the_workers_start_when_the_page_is_opened_and_no_sooner(monkeypatch):
    asked: list[str] = []
    monkeypatch.setattr(Jobs, "warm_up", lambda self: asked.append("warm"))
    open_page("train")
    assert not asked, "the tests have switched it off"
    monkeypatch.setenv("ALIBI_VIZ_WARM", "1")
    open_page("slopes")
    assert not asked
    open_page("train")
    assert asked


def test_a_full_line_is_told(monkeypatch):
    def full(*_: object, **__: object) -> None:
        raise Refused("32 runs are waiting already; please try again when some have finished.")

    monkeypatch.setattr(Jobs, "submit", full)
    at = open_page("train")
    at.button(key="train_play").click().run()
    assert "32 runs are waiting" in at.warning[0].value
    at.button(key="train_step").click().run()
    assert len(at.warning) == 1


@pytest.mark.parametrize("show", ["beyond", "loss"])
def test_the_picture_says_its_numbers_in_words(data, show):
    before = drawn(open_page("train", train_show=show))
    assert before["empty"] in before["alt"]
    keep(data, CONFIG, "finished", 5.0, 4.9)
    assert "ALiBi 128: 5.00, 512: 4.90." in drawn(open_page("train", train="alibi", train_show=show))["alt"]
