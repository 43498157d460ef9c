"""The timing engine, the sizes, and the turns of readers. No test looks at how long something took."""

from __future__ import annotations

import inspect
from itertools import product

import pytest
import torch

from alibi_viz.cost import apart, shipped
from alibi_viz.cost.cases import PASSES, WAYS, case, inputs, largest_error
from alibi_viz.cost.memory import peak_bytes
from alibi_viz.cost.plan import TimingPlan, compared
from alibi_viz.cost.sizes import bias_bytes
from alibi_viz.cost.timing import CallTimes, Case, Spread, measure
from alibi_viz.cost.turns import MOST, TIMEOUT, Turns
from alibi_viz.positions import METHODS

ON_CPU = [way for way in WAYS if way != "flex"]  # compiling takes most of a minute


def counted(log: list[str], name: str, tokens: int = 8) -> Case:
    return Case(name, tokens, lambda: lambda: log.append(name))


def test_cases_are_called_in_turn() -> None:
    log: list[str] = []
    result = CallTimes()
    shares = list(measure([counted(log, "a"), counted(log, "b")], result, rounds=3))
    assert log == ["a", "b"] * 4, "once to warm up, then three rounds"
    assert len(result.seconds["a", 8]) == len(result.seconds["b", 8]) == 3
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_a_measurement_ends_between_two_calls() -> None:
    log: list[str] = []
    steps = measure([counted(log, "a"), counted(log, "b")], CallTimes(), rounds=3)
    for _ in range(3):
        next(steps)
    steps.close()
    assert log == ["a", "b", "a"]


def test_what_cannot_run_is_left_out_with_its_reason_at_every_length() -> None:
    def refuse() -> None:
        raise ValueError("No.")

    log: list[str] = []
    result = CallTimes()
    cases = [Case("bad", 8, refuse), counted(log, "good"), counted(log, "bad", 16), counted(log, "good", 16)]
    assert list(measure(cases, result, rounds=1))[-1] == 1
    assert result.left_out == {("bad", 8): "No.", ("bad", 16): "No."}
    assert result.lengths("good") == [8, 16]


def test_what_would_take_too_long_is_not_begun() -> None:
    result = CallTimes({("a", 8): [1.0]})
    list(measure([counted([], "a", 32)], result, longest_call=2.0))
    assert result.left_out == {("a", 32): "One call would take about 16 s."}


def test_another_process_measures_the_same_and_ends_when_it_is_told() -> None:
    plan, result = TimingPlan(("none", "alibi"), (64, 128), rounds=2), CallTimes()
    assert list(apart.steps(plan, result))[-1] == 1
    assert {case: len(times) for case, times in result.seconds.items()} == dict.fromkeys(
        product(plan.names, plan.lengths), 2
    )
    stopped = apart.steps(plan, result)
    next(stopped)
    process = inspect.getgeneratorlocals(stopped)["process"]  # type: ignore[arg-type]
    stopped.close()
    assert process.poll() is not None


@pytest.mark.parametrize("said", ["", "Killed", '[["none"]]'])
def test_a_process_that_fails_leaves_everything_out(said: str) -> None:
    result = CallTimes()
    apart._take(said, TimingPlan(("none", "flex"), (64,)), result)
    assert not result.seconds
    assert set(result.left_out) == {("none", 64), ("flex", 64)}


@pytest.mark.slow  # the compiler
def test_flexattention_runs_or_says_why_not() -> None:
    plan, result = compared("flex", (64,)), CallTimes()
    list(apart.steps(plan, result))
    assert ("flex", 64) in result.seconds or "does not run here" in result.left_out["flex", 64]


def test_a_plan_and_its_result_survive_the_way_to_another_process() -> None:
    plan = compared("ways", (64, 128), "backward")
    assert TimingPlan.from_json(plan.to_json()) == plan
    result = CallTimes({("a", 8): [1.5, 2.0]}, {("b", 16): "No."})
    assert CallTimes.from_json(result.to_json()) == result


def test_a_shipped_pass_is_measured_again_length_by_length() -> None:
    data = {"passes": {"forward": {"a": {"64": [1.0, 1.0, 1.0]}}}, "left_out": {"forward": {"b": [128, "Old."]}}}
    shipped.put(data, "forward", (32, 128), CallTimes({("a", 32): [2.0], ("a", 64): [9.0]}, {("c", 128): "New."}))
    assert data["passes"] == {"forward": {"a": {"32": [2.0, 2.0, 2.0], "64": [1.0, 1.0, 1.0]}}}
    assert list(data["passes"]["forward"]["a"]) == ["32", "64"]
    assert data["left_out"] == {"forward": {"c": [128, "New."]}}
    assert shipped.medians(data, "forward").seconds == {("a", 32): [2.0], ("a", 64): [1.0]}


def test_median_and_quartiles() -> None:
    assert Spread.of([5.0, 1.0, 2.0, 3.0, 4.0]) == Spread(3.0, 2.0, 4.0)
    assert Spread.of([2.0]) == Spread(2.0, 2.0, 2.0)
    result = CallTimes({("a", 8): [2.0, 4.0, 9.0], ("b", 8): [1.0, 4.0, 3.0]})
    assert result.ratio("a", "b", 8).median == 2


@pytest.mark.parametrize("kind", PASSES)
@pytest.mark.parametrize("name", [*METHODS, *ON_CPU])
def test_every_case_runs(name: str, kind: str) -> None:
    if kind == "decode" and name in ("feature", "cached", "built"):
        with pytest.raises(ValueError, match="same as fused"):
            case(name, 64, kind).prepare()
    else:
        case(name, 64, kind).prepare()()


@pytest.mark.parametrize("way", ON_CPU)
def test_every_way_computes_alibi(way: str) -> None:
    assert largest_error(way, 600) < (5e-5 if way == "feature" else 1e-5)  # its row is rounded


def test_what_is_too_large_or_unknown_is_refused() -> None:
    for name in ("t5", "built", "eager"):
        with pytest.raises(ValueError, match="4 GB"):
            case(name, 8192).prepare()
    with pytest.raises(ValueError, match="between 1 and 8,192"):
        inputs("none", 100_000)
    with pytest.raises(ValueError, match="The case"):
        case("nothing", 64)


def test_sizes_are_those_of_the_tensors() -> None:
    given = inputs("alibi", 64)
    bias, row = (
        given.method.score_bias(given.positions, given.positions),
        given.method.key_bias(given.positions),
    )
    assert bias is not None
    assert row is not None
    sizes = bias_bytes(8, 64)
    assert (sizes["tensor"], sizes["row"]) == (bias.nbytes, row.nbytes)
    assert sizes["closed"] == torch.zeros(8).nbytes


@pytest.mark.slow  # a process of its own for each way
def test_the_memory_of_a_mask_is_seen() -> None:
    assert peak_bytes("built", 1024) > 8 * 1024**2 * 4
    with pytest.raises(ValueError, match="cannot be measured"):
        peak_bytes("nothing", 64)


def test_readers_wait_for_each_other() -> None:
    now = [0.0]
    turns = Turns(lambda: now[0])
    assert [turns.ask(reader) for reader in "abcb"] == [0, 1, 2, 1]
    turns.leave("a")
    assert [turns.ask(reader) for reader in "bc"] == [0, 1]
    now[0] += TIMEOUT + 1
    assert turns.ask("c") == 0, "b has left without a word"


def test_not_more_wait_than_have_room() -> None:
    turns = Turns(lambda: 0.0)
    for reader in range(MOST):
        turns.ask(str(reader))
    with pytest.raises(ValueError, match="Too many"):
        turns.ask("one more")
