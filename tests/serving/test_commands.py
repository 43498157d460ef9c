"""What the commands say and take before any server runs."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import psutil
import pytest

from alibi_viz.cli import serving
from alibi_viz.ui.site import __main__ as site
from benchmarks.chromium import free_port, wait_until_ready
from tests.cases import some


def test_a_taken_port_is_told_in_one_line_and_the_next_is_taken(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        taken = listener.getsockname()[1]
        found = serving.free_port("127.0.0.1", taken)
    assert found > taken
    assert capsys.readouterr().out == f"Port {taken} is taken; the app takes {found}.\n"


def test_a_server_may_be_opened_under_its_own_names_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the page of another site could open it by a name of its own that leads here (DNS rebinding)."""
    monkeypatch.delenv(serving.ALLOWED_HOSTS, raising=False)
    monkeypatch.setattr(socket, "gethostname", lambda: "Desk")
    local = "localhost 127.0.0.1 ::1"
    hosts = {"127.0.0.1": local, "192.168.1.5": f"{local} 192.168.1.5 desk desk.local", "0.0.0.0": "*", "::": "*"}
    for host, names in hosts.items():
        assert serving.environment(host) == {serving.ALLOWED_HOSTS: names}
    monkeypatch.setenv(serving.ALLOWED_HOSTS, "class.example")
    assert serving.environment("0.0.0.0") == {serving.ALLOWED_HOSTS: "class.example"}


@pytest.mark.parametrize(
    ("host", "address"), [("0", "0.0.0.0"), ("0x0", "0.0.0.0"), ("::0", "::"), ("127.0.0.1", "127.0.0.1")]
)
def test_every_spelling_of_everywhere_is_known(host: str, address: str) -> None:
    """Else the app would name no addresses for phones, and refuse those who come by one."""
    assert serving.listening_address(host) == address


@pytest.mark.parametrize("presses", some([1, 2, 5], 5))
def test_ctrl_c_ends_the_server_without_a_word_however_often_it_is_pressed(presses: int, tmp_path: Path) -> None:
    port, environment = free_port(), os.environ | {"ALIBI_VIZ_DATA": str(tmp_path), "HOME": "/dev/null"}
    command = [sys.executable, "-m", "alibi_viz", "run", "--port", str(port)]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True
    ) as server:
        wait_until_ready(f"http://127.0.0.1:{port}/_stcore/health")
        page = urllib.request.Request(f"http://127.0.0.1:{port}/", headers={"accept": "text/html"})
        with urllib.request.urlopen(page, timeout=30) as answer:
            assert answer.status == 200, "also of an account whose home is no folder"
        for _ in range(presses):
            with contextlib.suppress(ProcessLookupError):  # it was quick
                os.killpg(server.pid, signal.SIGINT)
            time.sleep(0.02)
        said, _ = server.communicate(timeout=30)
    assert server.returncode == 0
    assert [line for line in said.splitlines() if line and not line.startswith("ALiBi Visualizer: ")] == []


def contents(folder: Path) -> dict[str, str]:
    return {str(file.relative_to(folder)): file.read_text() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows ends a process without a signal")
@pytest.mark.parametrize("is_new", [False, True])
def test_a_site_that_is_broken_off_leaves_the_old_one_and_no_process(is_new: bool, tmp_path: Path) -> None:
    out, old = tmp_path / "out", {} if is_new else {"index.html": "old", "slopes/index.html": "old", "CNAME": "mine"}
    for name, text in old.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_text(text)
    environment = os.environ | {"ALIBI_VIZ_DATA": str(tmp_path / "data"), "TMPDIR": str(tmp_path)}
    command = [sys.executable, "-m", "alibi_viz", "site", str(out)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        while not any(out.rglob("page.js")):
            assert process.poll() is None
            time.sleep(0.05)
        started = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(signal.SIGTERM)
        said, _ = process.communicate(timeout=30)
    assert (process.returncode, said) == (128 + signal.SIGTERM, b"")
    assert psutil.wait_procs(started, timeout=5)[1] == []
    assert contents(out) == old
    assert out.exists() is not is_new
    assert list(tmp_path.glob("alibi-viz-*")) == [], "folders of a cluster"


def test_a_site_takes_the_place_of_the_old_one_when_all_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What others keep in its folder stays, what a killed build has left goes."""

    def write(folder: Path, url: str, _: str) -> int:
        assert contents(tmp_path) == old
        (folder / "slopes").mkdir()
        (folder / "slopes/index.html").write_text(url)
        return 1

    old = {"CNAME": "mine", "slopes/index.html": "old"}
    for folder in (tmp_path / "slopes", tmp_path / ".building"):
        folder.mkdir()
        (folder / "index.html").write_text("old")
    (tmp_path / "CNAME").write_text("mine")
    monkeypatch.setattr(site, "_write", write)
    assert site.build(tmp_path, "new") == 1
    assert contents(tmp_path) == {"CNAME": "mine", "slopes/index.html": "new/"}
