"""What the commands say and take before any server runs."""

from __future__ import annotations

import socket

import pytest

from alibi_viz.cli import main, serving


@pytest.fixture
def taken() -> int:
    """A port on which somebody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_a_taken_port_is_told_in_one_line_and_the_next_is_taken(taken: int, capsys: pytest.CaptureFixture[str]) -> None:
    found = serving.free_port("127.0.0.1", taken)
    assert found > taken
    assert capsys.readouterr().out == f"Port {taken} is taken; the app takes {found}.\n"


def test_an_address_of_another_machine_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    for host in ("192.0.2.1", "nowhere.invalid", ""):
        with pytest.raises(ValueError, match="not an address of this machine"):
            serving.free_port(host, 8501)


@pytest.mark.parametrize("arguments", [["run", "--port", "0"], ["run", "--port", "70000"], ["run", "x"], ["serve"]])
def test_nonsense_is_refused_in_one_line(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    ("host", "names"),
    [
        ("127.0.0.1", "localhost 127.0.0.1 ::1"),
        ("localhost", "localhost 127.0.0.1 ::1"),
        ("192.168.1.5", "localhost 127.0.0.1 ::1 192.168.1.5 desk desk.local"),
        ("0.0.0.0", "*"),
        ("::", "*"),
    ],
)
def test_a_server_may_be_opened_under_its_own_names(host: str, names: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(serving.ALLOWED_HOSTS, raising=False)
    monkeypatch.setattr(socket, "gethostname", lambda: "Desk")
    assert serving.environment(host) == {serving.ALLOWED_HOSTS: names}
    monkeypatch.setenv(serving.ALLOWED_HOSTS, "class.example")
    assert serving.environment(host)[serving.ALLOWED_HOSTS] == "class.example"
