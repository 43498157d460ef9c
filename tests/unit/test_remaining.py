"""The time that a run still takes: an estimate from the work that is left and the speeds that were measured."""

from __future__ import annotations

from dataclasses import replace

import pytest

from alibi_viz.jobs import Plan, remaining
from alibi_viz.jobs.job import Job
from alibi_viz.jobs.remaining import Speeds
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.records import Run

CONFIG = TrainConfig(steps=400)
HELD_OUT = 50_000


def test_the_work_of_a_byte_is_its_weights_and_its_window():
    """Against the model's own parameters: each weight of a matrix is one multiplication a byte."""
    inner, biases_and_norms = CONFIG.heads * CONFIG.head_dim, 2 + 4 * CONFIG.layers
    matrices = CONFIG.parameters - CONFIG.width * biases_and_norms
    short, long = (remaining.forward_work(CONFIG, length, 1) for length in (128, 2048))
    assert short == matrices + CONFIG.layers * inner * 128
    assert long - short == CONFIG.layers * inner * (2048 - 128)


def test_a_sliding_window_reads_every_byte_as_often_as_it_moves():
    plain = remaining.test_work(CONFIG, [(128, 128)], HELD_OUT)
    assert remaining.test_work(CONFIG, [(128, 32)], HELD_OUT) == 4 * plain
    assert remaining.test_work(CONFIG, [(65_536, 65_536)], HELD_OUT) == 0, "the text is shorter than the window"
    learned = replace(CONFIG, method="learned")
    assert remaining.test_work(learned, [(128, 128), (512, 512)], HELD_OUT) == plain


def test_speeds_follow_the_machine():
    speeds = Speeds()
    assert speeds.seconds("test", 100.0) is None
    speeds.add("train", 100.0, 10.0)
    assert speeds.seconds("test", 50.0) == pytest.approx(5.0), "tests go at the pace of training until one is measured"
    speeds.add("test", 100.0, 2.0)
    assert speeds.seconds("test", 50.0) == pytest.approx(1.0)
    for _ in range(20):
        speeds.add("test", 100.0, 8.0)
    assert speeds.seconds("test", 50.0) == pytest.approx(4.0, rel=0.01)


def job(**changes: object) -> Job:
    return Job(Run(CONFIG, status="running", **changes), None, Plan(), HELD_OUT, b"", 0)  # type: ignore[arg-type]


def test_what_is_left_shrinks_to_nothing():
    speeds = Speeds()
    assert job().seconds_left(speeds) is None
    speeds.add("train", remaining.training_work(CONFIG, 100), 5.0)
    begun, half = job(), job(step=200, losses=(3.0,) * 200)
    half.evaluated_at = 200
    tests = remaining.test_work(CONFIG, begun.unmeasured, HELD_OUT)
    samples = 4 * remaining.test_work(CONFIG, Plan().sampled(CONFIG), Plan().sample_bytes)
    rest = speeds.seconds("test", tests + samples)
    assert begun.seconds_left(speeds) == pytest.approx(20.0 + rest)
    assert half.seconds_left(speeds) < begun.seconds_left(speeds) - 10.0
    entries = tuple({"length": n, "stride": s, "perplexity": 4.0} for n, s in Plan().windows(CONFIG))
    finished = job(step=400, evaluations=entries)
    finished.evaluated_at = 400
    assert finished.seconds_left(speeds) == 0


def test_the_lengths_of_the_quick_test_are_measured_first():
    first = Plan().windows(CONFIG)[:8]
    assert first[:3] == [(128, 32), (256, 64), (512, 128)]
    assert all(length == 4 * stride for length, stride in first)
    assert all(length == stride for length, stride in Plan().windows(CONFIG)[8:])
    recall = Plan().windows(replace(CONFIG, corpus="recall"))
    assert [distance for distance, pairs in recall[:3] if pairs == 4] == [121, 249, 505]


def test_the_trained_model_is_sampled_once_before_the_long_tests():
    trained = job(step=400)
    trained.evaluated_at = 360
    _, (_, windows, size) = trained.next_task(25)
    assert (trained.kind, [length for length, _ in windows], size) == ("interim_evaluations", [128, 256, 512], 4_096)
    trained.evaluated_at = 400  # as the queue notes when the result has come
    _, (_, windows, _) = trained.next_task(25)
    assert (trained.kind, windows) == ("evaluations", [(128, 32)])
