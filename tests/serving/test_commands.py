"""What the commands say and take before any server runs; and the package: built, installed into an environment of its own
without a network, and started from a foreign folder.
"""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import sysconfig
import time
import tomllib
import urllib.request
import venv
import zipfile
from pathlib import Path

import psutil
import pytest

from alibi_viz.cli import serving
from alibi_viz.ui.site import __main__ as site
from benchmarks.chromium import free_port, wait_until_ready
from benchmarks.reader import Reader
from tests.cases import some
from tests.threads import run_in_a_thread
from tests.unit.test_library import NOT_CORE, blocked


def test_a_taken_port_is_told_in_one_line_and_the_next_is_taken(capsys):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        taken = listener.getsockname()[1]
        found = serving.free_port("127.0.0.1", taken)
    assert found > taken
    assert capsys.readouterr().out == f"Port {taken} is taken; the app takes {found}.\n"


def test_a_server_may_be_opened_under_its_own_names_alone(monkeypatch):
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
def test_every_spelling_of_everywhere_is_known(host, address):
    """Else the app would name no addresses for phones, and refuse those who come by one."""
    assert serving.listening_address(host) == address


@pytest.mark.parametrize("presses", some([1, 2, 5], 5))
def test_ctrl_c_ends_the_server_without_a_word_however_often_it_is_pressed(presses, tmp_path):
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


def contents(folder):
    return {str(file.relative_to(folder)): file.read_text() for file in folder.rglob("*") if file.is_file()}


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows ends a process without a signal")
@pytest.mark.parametrize("is_new", [False, True])
def test_a_site_that_is_broken_off_leaves_the_old_one_and_no_process(is_new, tmp_path):
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


def test_a_site_takes_the_place_of_the_old_one_when_all_is_written(tmp_path, monkeypatch):
    """What others keep in its folder stays, what a killed build has left goes."""

    def write(folder, url, _):
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


ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    return next(folder.iterdir())


def install(wheel, folder):
    """A new environment with the package alone: its programs, and where what it depends on can be put."""
    venv.create(folder, with_pip=False)
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), "install", "--no-deps"]
    subprocess.run([*pip, "--no-index", str(wheel)], check=True, capture_output=True)
    return folder / "bin", next(folder.glob("lib/python*/site-packages"))


@pytest.mark.slow
def test_nothing_but_the_package_is_installed_and_nothing_is_left_out(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"alibi_viz"}
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True)
    tracked = listed.stdout.splitlines()
    expected = {name for name in tracked if name.startswith("alibi_viz/")}
    of_app = ("app.py", "pages/", ".streamlit/")
    expected |= {f"alibi_viz/_app/{name}" for name in tracked if name.startswith(of_app)}
    assert expected <= names
    assert not any(name.endswith(".pyc") for name in names)


@pytest.mark.slow
def test_the_core_alone_needs_no_torch_and_says_what_does(wheel, tmp_path):
    """In an environment where nothing but the core can be imported."""
    programs, site = install(wheel, tmp_path / "core")
    about = next(site.glob("alibi_viz-*.dist-info/METADATA")).read_text()
    needs = re.findall(r"^Requires-Dist: ([\w-]+)(?!.*extra ==)", about, re.MULTILINE)
    assert set(needs) == {"numpy", "safetensors", "pydantic", "typer", "rich"}
    assert not re.search(r"^Requires-Dist: [^;\n]*==", about, re.MULTILINE), "others have versions of their own"
    for extra, name in (("torch", "torch"), ("app", "torch"), ("models", "torch"), ("app", "streamlit")):
        assert re.search(rf"^Requires-Dist: {name}[>~]=.*extra == '{extra}'", about, re.MULTILINE)
    (site / "borrowed.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    absent = ("torch", *NOT_CORE)
    found = (
        f"import importlib.util as u\nfind = u.find_spec\nu.find_spec = lambda n: None if n in {absent} else find(n)"
    )
    (site / "sitecustomize.py").write_text(blocked(*absent) + found)
    code = """
import sys, alibi_viz
assert alibi_viz.check(alibi_viz.slopes(12)).status == "clean"
assert alibi_viz.inspect({"model_type": "bloom", "n_layer": 2, "n_head": 8, "hidden_size": 64}).slopes
assert "torch" not in sys.modules
try:
    alibi_viz.bias
except ImportError as error:
    print(error)
"""
    said = subprocess.run([programs / "python", "-c", code], check=True, cwd=tmp_path, capture_output=True, text=True)
    assert said.stdout == "alibi_viz.bias needs torch: pip install 'alibi-viz[torch]'.\n"
    fine = subprocess.run([programs / "alibi-viz", "check", "-"], input="2^-4, 2^-8", text=True, capture_output=True)
    assert fine.returncode == 0, fine.stderr
    refused = subprocess.run([programs / "alibi-viz", "run"], text=True, capture_output=True)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == f"Error: “run” needs the app: pip install '{wheel.name}[app]'.\n"


class Curious(Reader):
    """One who looks at the theme that the server sends."""

    accent = ""

    def _handle(self, message):
        if message.WhichOneof("type") == "new_session":
            self.accent = message.new_session.custom_theme.light.primary_color
        super()._handle(message)


@pytest.mark.slow
def test_the_installed_app_shows_its_pages_in_its_own_theme(wheel, tmp_path):
    programs, site = install(wheel, tmp_path / "environment")
    (site / "borrowed.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")  # what it depends on
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [programs / "alibi-viz", "run", "--port", str(free_port())]
    process = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True)
    texts: list[str] = []

    async def look():
        found = re.search(r"http://\S+", process.stdout.readline())
        async with Curious(found[0], texts.append) as reader:
            await reader.open("slopes", "heads=12")
            return reader.accent

    try:
        settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
        assert run_in_a_thread(look()) == settings["theme"]["light"]["primaryColor"]
        assert any("12 heads" in text for text in texts)
    finally:
        process.terminate()
        assert process.wait(20) == 0
