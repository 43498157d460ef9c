"""Processes that serve together, with small ones in place of servers."""

from __future__ import annotations

import sys
import threading
import time

import psutil
import pytest

from alibi_viz.cli.serving import services
from alibi_viz.cli.serving.services import Service, Services

SLEEP = [sys.executable, "-S", "-c", "import time; time.sleep(60)"]
PARENT = [sys.executable, "-S", "-c", f"import subprocess; subprocess.run({SLEEP})"]


@pytest.fixture(autouse=True)
def signals(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test runner keeps its own handlers."""
    monkeypatch.setattr(services.signal, "signal", lambda *_: None)


def until(true, seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.05)
    return bool(true())


def test_all_end_at_the_end_with_what_they_have_started() -> None:
    others = set(psutil.Process().children(recursive=True))  # a browser of other tests

    def ours() -> set[psutil.Process]:
        return set(psutil.Process().children(recursive=True)) - others

    with Services() as running:
        running.start(Service("Parent", PARENT), Service("Sleeper", SLEEP))
        assert running.wait("")
        assert until(lambda: len(ours()) == 4)  # and the guard
        processes = list(ours())
    assert psutil.wait_procs(processes, timeout=10)[1] == []
    assert not running.folder.exists()


def test_what_ends_is_started_again() -> None:
    with Services() as running:
        service = Service("Sleeper", SLEEP)
        running.start(service)
        first = service.process.pid
        threading.Thread(
            target=lambda: (service.process.kill(), until(lambda: service.process.pid != first), running._stopped.set())
        ).start()
        running.watch()
        assert service.process.pid != first
        assert service.process.poll() is None


def test_what_ends_again_and_again_is_given_up_with_its_last_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(services, "SHORT_LIVES", 2)
    failing = Service("Failing", [sys.executable, "-S", "-c", "raise SystemExit('no keys')"], quiet=True)
    with Services() as running:
        running.start(failing)
        with pytest.raises(ValueError, match="Failing ends again and again"):
            running.watch()
    assert "no keys" in capsys.readouterr().err


def test_what_ends_while_it_starts_ends_all() -> None:
    with Services() as running:
        running.start(Service("Failing", [sys.executable, "-S", "-c", ""], health="http://127.0.0.1:9/"))
        with pytest.raises(ValueError, match="ended while it was starting"):
            running.wait("")


def test_silence_is_broken_after_a_second(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(services, "SILENT_FOR", 0.3)
    ready = [False] * 3 + [True] * 10
    monkeypatch.setattr(Service, "is_ready", lambda self: ready.pop(0))
    with Services() as running:
        running.start(Service("Sleeper", SLEEP))
        assert running.wait("Loading")
    assert capsys.readouterr().err == "Loading\n"


def test_one_that_does_not_answer_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"ANSWERING": 0.1, "CHECK_EVERY": 0.1}.items():
        monkeypatch.setattr(services, name, value)
    monkeypatch.setattr(Service, "is_ready", lambda self, timeout=0: False)
    with Services() as running:
        service = Service("Deaf", SLEEP, health="http://127.0.0.1:9/")
        running.start(service)
        service.has_answered = True
        threading.Thread(target=running._check_answers, daemon=True).start()
        assert until(lambda: service.process.poll() is not None)
