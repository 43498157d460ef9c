"""The package: built, installed into an environment of its own without a network, and started from a foreign folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from collections.abc import Iterator
from email.parser import Parser
from pathlib import Path

import pytest

from benchmarks.chromium import free_port
from benchmarks.reader import Reader
from tests.threads import run_in_a_thread

pytestmark = pytest.mark.slow
NOT_CORE = re.compile("streamlit|plotly|pandas|dask|distributed|cryptography|psutil|segno|altair|tornado|.*\\.pth")
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(command, check=True, capture_output=True)
    (made,) = folder.iterdir()
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the package; what it depends on is borrowed from this one."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    python = folder / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(pip, check=True, capture_output=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "borrowed.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return folder / "bin" / "alibi-viz"


def test_nothing_but_the_package_is_installed_and_nothing_is_left_out(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"alibi_viz"}
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout.split(
        "\n"
    )
    expected = {name for name in tracked if name.startswith("alibi_viz/")}
    expected |= {f"alibi_viz/_app/{name}" for name in tracked if name.startswith(("app.py", "pages/", ".streamlit/"))}
    assert expected - names == set()
    assert not any(name.endswith(".pyc") for name in names)


def test_the_core_is_small_and_the_app_is_an_extra(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as opened:
        (name,) = (name for name in opened.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(opened.read(name).decode())
    needs = metadata.get_all("Requires-Dist") or []
    core = {re.split(r"[=;<> ]", line)[0] for line in needs if "extra ==" not in line}
    assert core == {"torch", "numpy", "safetensors", "pydantic", "typer", "rich"}
    assert set(metadata.get_all("Provides-Extra") or []) == {"app", "models"}
    assert any(line.startswith("streamlit") and "app" in line for line in needs)


def test_the_core_alone_has_the_names_and_its_commands(wheel: Path, tmp_path: Path) -> None:
    """An environment with the package, and links to the core's own files: nothing of the app can be found."""
    venv.create(tmp_path / "core", with_pip=False)
    python = tmp_path / "core" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", str(wheel)]
    subprocess.run(pip, check=True, capture_output=True)
    (site,) = (tmp_path / "core").glob("lib/python*/site-packages")
    for file in Path(sysconfig.get_paths()["purelib"]).iterdir():
        if not NOT_CORE.match(file.name) and not (site / file.name).exists():
            (site / file.name).symlink_to(file)
    code = "import alibi_viz; print([getattr(alibi_viz, n) is not None for n in alibi_viz.__all__])"
    said = subprocess.run([str(python), "-c", code], check=True, capture_output=True, text=True, cwd=tmp_path).stdout
    assert "False" not in said
    command = str(python.with_name("alibi-viz"))
    fine = subprocess.run([command, "check", "-"], input="2^-4, 2^-8", text=True, capture_output=True)
    assert fine.returncode == 0, fine.stderr
    refused = subprocess.run([command, "run"], text=True, capture_output=True)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == f"Error: “run” needs the app: pip install '{wheel.name}[app]'.\n"


@pytest.fixture(scope="module")
def address(installed: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The app of the package, as long as the tests last."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [str(installed), "run", "--port", str(free_port())]
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    process = subprocess.Popen(command, cwd=elsewhere, env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    said = process.stdout.readline()
    found = re.search(r"http://\S+", said)
    assert found is not None, said
    yield found[0]
    process.terminate()
    assert process.wait(20) == 0


class Curious(Reader):
    """One who looks at the theme that the server sends."""

    accent = ""

    def _handle(self, message: object) -> None:
        if message.WhichOneof("type") == "new_session":  # type: ignore[attr-defined]
            self.accent = message.new_session.custom_theme.light.primary_color  # type: ignore[attr-defined]
        super()._handle(message)  # type: ignore[arg-type]


def test_the_installed_app_shows_its_pages_in_its_own_theme(address: str) -> None:
    texts: list[str] = []

    async def look() -> str:
        async with Curious(address, texts.append) as reader:
            await reader.open("slopes", "heads=12")
            return reader.accent

    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    assert run_in_a_thread(look()) == settings["theme"]["light"]["primaryColor"]
    assert any("12 heads" in text for text in texts)


def test_the_installed_command_has_the_others_too(installed: Path) -> None:
    done = subprocess.run([str(installed), "slopes", "2", "--json"], check=True, capture_output=True, text=True)
    assert '"slope": 0.0625' in done.stdout
