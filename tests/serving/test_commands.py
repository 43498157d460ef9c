"""What the commands say and take before any server runs."""

from __future__ import annotations

import socket

import pytest

from alibi_viz.cli import CORE, LIGHT, load, main
from alibi_viz.cli.serving import commands


@pytest.fixture
def taken() -> int:
    """A port on which somebody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_a_taken_port_is_told_in_one_line_and_the_next_is_taken(taken: int, capsys: pytest.CaptureFixture[str]) -> None:
    found = commands._free_port("127.0.0.1", taken)
    assert found > taken
    assert capsys.readouterr().out == f"Port {taken} is taken; the app takes {found}.\n"


def test_an_address_of_another_machine_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for host in ("192.0.2.1", "nowhere.invalid", ""):
        with pytest.raises(ValueError, match="not an address of this machine"):
            commands._free_port(host, 8501)


@pytest.mark.parametrize(
    "arguments", [["run", "--port", "0"], ["run", "--port", "70000"], ["serve", "--replicas", "0"], ["serve", "x"]]
)
def test_nonsense_is_refused_in_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_commands_that_only_start_others_do_not_wait_for_the_rest() -> None:
    assert {command.name for command in load([]).registered_commands} == set(LIGHT)
    assert {command.name for command in load(["slopes"]).registered_commands} == set(CORE)
    assert {command.name for command in load(["--help"]).registered_commands} > {*LIGHT, *CORE}
