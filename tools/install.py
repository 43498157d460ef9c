"""Install what the app needs into `.venv`: python3 -m tools.install [requirements.txt ...]

`make run` and `make test` call it.

Notable choices:
- On Linux the torch of PyPI brings gigabytes of libraries for NVIDIA GPUs. Where there is no such GPU, pip is shown the
  index of the builds for the CPU too, and takes one from there: `2.13.0+cpu` is higher than `2.13.0`.
- A pip that has sources of its own (an index, a folder of packages) is shown no other: a machine without a network must not
  wait for a host.
- Nothing is compiled: the app needs a small part of what is installed, and Python compiles that when it is first imported.
- `python -m venv` takes most of its time to compile pip. So pip comes from the same wheel, but is not compiled.

A Python that is too old must be able to read this file, to say so.
"""

import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENT = ROOT / ".venv"
PYTHON = ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
OLDEST, NEWEST = (3, 11), (3, 14)
CPU = "https://download.pytorch.org/whl/cpu"
#: Lines of `pip config list` that say where packages come from; what says no is no source.
_SOURCE = re.compile(
    r"""^(?:global|install|:env:)\.((?:extra-)?index-url|find-links|no-index)=(?!'(?:0|no|off|false)?'$)""",
    re.MULTILINE | re.IGNORECASE,
)


def main() -> int:
    settings = pip_settings()
    if settings is None:
        if not OLDEST <= sys.version_info[:2] <= NEWEST:
            needed = "Python {}.{} to {}.{} is needed".format(*OLDEST, *NEWEST)
            print(f"{needed}; try: make run PYTHON=python3.12, or python3.12 -m tools.install", file=sys.stderr)
            return 1
        make_environment()
        settings = pip_settings() or ""
    arguments, why = torch_source(settings)
    print(why, flush=True)
    return subprocess.call(command(sys.argv[1:] or [str(ROOT / "requirements.txt")], arguments))


def command(requirements: "list[str]", arguments: "list[str]") -> "list[str]":
    """How pip is called."""
    files = [part for file in requirements for part in ("-r", file)]
    return [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "--no-compile", *arguments, *files]


def pip_settings() -> "str | None":
    """What `pip config list` says in the environment; None if there is no pip yet."""
    if not PYTHON.exists():
        return None
    listing = [str(PYTHON), "-m", "pip", "config", "list"]
    said = subprocess.run(listing, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8")
    return said.stdout if said.returncode == 0 else None


def make_environment() -> None:
    """An environment with pip. Ends the process if there can be none; Python says why."""
    bundled = Path(venv.__file__).parents[1] / "ensurepip" / "_bundled"
    wheels = [str(wheel) for wheel in bundled.glob("pip-*.whl")]
    if wheels:
        venv.create(ENVIRONMENT, symlinks=os.name != "nt")
        options = ["--isolated", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-compile"]
        ended = subprocess.call([str(PYTHON), wheels[0] + "/pip", *options, wheels[0]])
    else:  # Debian keeps it elsewhere
        ended = subprocess.call([sys.executable, "-m", "venv", str(ENVIRONMENT)])
    if ended:
        sys.exit(ended)


def torch_source(settings: str) -> "tuple[list[str], str]":
    """What pip is told of sources beside its settings, and why. settings: `pip config list`."""
    own = sorted(set(_SOURCE.findall(settings)))
    if not sys.platform.startswith("linux"):
        return [], "PyTorch: the usual build."
    if own:
        return [], f"PyTorch: as pip's own sources have it ({', '.join(own)})."
    if os.environ.get("CUDA") == "1":
        return [], "PyTorch: the usual build, with CUDA, since CUDA=1 is set."
    if has_nvidia_gpu():
        return [], "PyTorch: the usual build, with CUDA, since there is an NVIDIA GPU."
    return [
        "--extra-index-url",
        CPU,
    ], "PyTorch: the build for the CPU, since no NVIDIA GPU is found (CUDA=1: with CUDA)."


def has_nvidia_gpu() -> bool:
    """Whether the kernel has a device for one, or the driver lists one (under WSL there is no such device)."""
    if any(Path("/dev").glob("nvidia[0-9]*")):
        return True
    driver = shutil.which("nvidia-smi")
    if driver is None:
        return False
    try:
        said = subprocess.run([driver, "-L"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return said.returncode == 0 and said.stdout.startswith(b"GPU ")


if __name__ == "__main__":
    sys.exit(main())
