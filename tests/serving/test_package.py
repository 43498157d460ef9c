"""The package: built, installed into an environment of its own without a network, and started from a foreign folder."""

import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

from benchmarks.chromium import free_port
from benchmarks.reader import Reader
from tests.threads import run_in_a_thread
from tests.unit.test_library import NOT_CORE, blocked

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    return next(folder.iterdir())


def install(wheel: Path, folder: Path) -> tuple[Path, Path]:
    """A new environment with the package alone: its programs, and where what it depends on can be put."""
    venv.create(folder, with_pip=False)
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), "install", "--no-deps"]
    subprocess.run([*pip, "--no-index", str(wheel)], check=True, capture_output=True)
    return folder / "bin", next(folder.glob("lib/python*/site-packages"))


def test_nothing_but_the_package_is_installed_and_nothing_is_left_out(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"alibi_viz"}
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True)
    tracked = listed.stdout.splitlines()
    expected = {name for name in tracked if name.startswith("alibi_viz/")}
    of_app = ("app.py", "pages/", ".streamlit/")
    expected |= {f"alibi_viz/_app/{name}" for name in tracked if name.startswith(of_app)}
    assert expected <= names
    assert not any(name.endswith(".pyc") for name in names)


def test_the_core_alone_needs_no_torch_and_says_what_does(wheel: Path, tmp_path: Path) -> None:
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

    def _handle(self, message: object) -> None:
        if message.WhichOneof("type") == "new_session":
            self.accent = message.new_session.custom_theme.light.primary_color
        super()._handle(message)


def test_the_installed_app_shows_its_pages_in_its_own_theme(wheel: Path, tmp_path: Path) -> None:
    programs, site = install(wheel, tmp_path / "environment")
    (site / "borrowed.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")  # what it depends on
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [programs / "alibi-viz", "run", "--port", str(free_port())]
    process = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True)
    texts: list[str] = []

    async def look() -> str:
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
