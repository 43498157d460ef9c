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
    expected |= {f"alibi_viz/_app/{name}" for name in tracked if name.startswith(("app.py", "pages/", ".streamlit/"))}
    assert expected <= names
    assert not any(name.endswith(".pyc") for name in names)


def test_the_core_alone_has_few_needs_the_names_and_its_commands(wheel: Path, tmp_path: Path) -> None:
    """With links to the core's own files: nothing of the app can be found."""
    programs, site = install(wheel, tmp_path / "core")
    metadata = next(site.glob("*.dist-info/METADATA")).read_text()
    needs = re.findall(r"^Requires-Dist: ([\w-]+)(?!.*extra ==)", metadata, re.MULTILINE)
    assert set(needs) == {"torch", "numpy", "safetensors", "pydantic", "typer", "rich"}
    assert re.search(r"^Requires-Dist: streamlit.*extra == 'app'", metadata, re.MULTILINE)
    for file in Path(sysconfig.get_paths()["purelib"]).iterdir():
        if not NOT_CORE.match(file.name) and not (site / file.name).exists():
            (site / file.name).symlink_to(file)
    code = "import alibi_viz; assert None not in [getattr(alibi_viz, name) for name in alibi_viz.__all__]"
    subprocess.run([programs / "python", "-c", code], check=True, cwd=tmp_path)
    fine = subprocess.run([programs / "alibi-viz", "check", "-"], input="2^-4, 2^-8", text=True, capture_output=True)
    assert fine.returncode == 0, fine.stderr
    refused = subprocess.run([programs / "alibi-viz", "run"], text=True, capture_output=True)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == f"Error: “run” needs the app: pip install '{wheel.name}[app]'.\n"


class Curious(Reader):
    """One who looks at the theme that the server sends."""

    accent = ""

    def _handle(self, message: object) -> None:
        if message.WhichOneof("type") == "new_session":  # type: ignore[attr-defined]
            self.accent = message.new_session.custom_theme.light.primary_color  # type: ignore[attr-defined]
        super()._handle(message)  # type: ignore[arg-type]


def test_the_installed_app_shows_its_pages_in_its_own_theme(wheel: Path, tmp_path: Path) -> None:
    programs, site = install(wheel, tmp_path / "environment")
    (site / "borrowed.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")  # what it depends on
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [programs / "alibi-viz", "run", "--port", str(free_port())]
    process = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True)
    texts: list[str] = []

    async def look() -> str:
        found = re.search(r"http://\S+", process.stdout.readline())  # type: ignore[union-attr]
        async with Curious(found[0], texts.append) as reader:  # type: ignore[index]
            await reader.open("slopes", "heads=12")
            return reader.accent

    try:
        settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
        assert run_in_a_thread(look()) == settings["theme"]["light"]["primaryColor"]
        assert any("12 heads" in text for text in texts)
    finally:
        process.terminate()
        assert process.wait(20) == 0
