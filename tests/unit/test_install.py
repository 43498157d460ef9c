"""Which torch is installed, and that no host is asked which the machine's owner has not named. Without a network."""

import ast
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.cases import slow, some
from tools import install

ROOT = Path(install.__file__).parents[1]


@pytest.fixture(autouse=True)
def plain_linux(monkeypatch):
    """Without settings of pip, and without a GPU."""
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(install, "has_nvidia_gpu", lambda: False)
    monkeypatch.setattr(install, "PYTHON", Path(sys.executable))
    for name in ("CUDA", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")


def index(folder, version):
    """The address of an index that has this torch alone: a package without code."""
    place = folder / "simple" / "torch"
    place.mkdir(parents=True)
    name = f"torch-{version}-py3-none-any.whl"
    about = {
        "METADATA": f"Metadata-Version: 2.1\nName: torch\nVersion: {version}\n",
        "WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "RECORD": "",
    }
    with zipfile.ZipFile(place / name, "w") as wheel:
        for file, text in about.items():
            wheel.writestr(f"torch-{version}.dist-info/{file}", text)
    (place / "index.html").write_text(f'<a href="{name.replace("+", "%2B")}">{name}</a>')
    return place.parent.as_uri()


@pytest.mark.parametrize(("cuda", "version"), [("", "2.13.0+cpu"), slow("1", "2.13.0")])
def test_pip_takes_the_build_for_the_cpu_unless_cuda_is_asked_for(cuda, version, tmp_path, monkeypatch):
    usual, cpu = index(tmp_path / "usual", "2.13.0"), index(tmp_path / "cpu", "2.13.0+cpu")
    monkeypatch.setattr(install, "CPU", cpu)
    monkeypatch.setenv("CUDA", cuda)
    (tmp_path / "requirements.txt").write_text("torch==2.13.0\n")
    arguments, why = install.torch_source(install.pip_settings() or "")
    pip = install.command([str(tmp_path / "requirements.txt")], arguments)
    dry = [*pip, "--dry-run", "--ignore-installed", "--no-deps", "--index-url", usual]
    said = subprocess.run(dry, capture_output=True, text=True, check=True).stdout
    assert f"Would install torch-{version}\n" in said
    assert ("for the CPU" in why) == (not cuda)


@pytest.mark.parametrize(
    "setting",
    some(["FIND_LINKS=wheels", "INDEX_URL=https://a.example", "EXTRA_INDEX_URL=b", "NO_INDEX=1"], "FIND_LINKS=wheels"),
)
def test_a_pip_with_sources_of_its_own_is_shown_no_other(setting, monkeypatch):
    name, value = setting.split("=")
    assert install.torch_source(install.pip_settings() or "")[0] == ["--extra-index-url", install.CPU]
    monkeypatch.setenv(f"PIP_{name}", value)
    arguments, why = install.torch_source(install.pip_settings() or "")
    assert arguments == []
    assert name.lower().replace("_", "-") in why


def test_a_python_that_is_too_old_can_read_it_and_is_told(monkeypatch, tmp_path, capsys):
    ast.parse(Path(install.__file__).read_text(encoding="utf-8"), feature_version=(3, 6))
    monkeypatch.setattr(install, "PYTHON", tmp_path / "none")
    monkeypatch.setattr(sys, "version_info", (3, 9, 1))
    assert install.main() == 1
    assert capsys.readouterr().err.startswith("Python 3.11 to 3.14 is needed; try: ")


@pytest.mark.parametrize("file", ["deploy/Dockerfile", ".github/workflows/pages.yml", "README.md"])
def test_the_index_is_the_same_everywhere(file):
    assert f"--extra-index-url {install.CPU} " in (ROOT / file).read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("source", ["bundled pip", "venv"])
def test_make_installs_from_a_folder_without_a_network(source, tmp_path, monkeypatch):
    """As README says. Nothing is compiled, and pip is there for those who want more."""
    index(tmp_path / "wheels", "2.13.0+cpu")
    project = tmp_path / "project"
    (project / "tools").mkdir(parents=True)
    shutil.copy(ROOT / "Makefile", project)
    code = (ROOT / "tools" / "install.py").read_text(encoding="utf-8")
    if source == "venv":  # as on Debian, where the wheel lies elsewhere
        code = code.replace("_bundled", "_nowhere")
    (project / "tools" / "install.py").write_text(code)
    (project / "requirements.txt").write_text("torch==2.13.0\n")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels" / "simple" / "torch"))
    make = ["make", ".venv/.app", f"PYTHON={sys.executable}"]
    said = subprocess.run(make, cwd=project, check=True, capture_output=True, text=True).stdout
    assert said.startswith("PyTorch: as pip's own sources have it (find-links, no-index).\n")
    assert "http" not in said
    (site,) = project.glob(".venv/lib/python*/site-packages")
    assert {place.name for place in site.glob("*.dist-info")} > {"torch-2.13.0+cpu.dist-info"}
    assert list(site.glob("pip-*.dist-info"))
    assert subprocess.run(make, cwd=project, check=True, capture_output=True, text=True).stdout.count("\n") <= 1
