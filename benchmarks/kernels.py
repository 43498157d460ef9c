"""`make docs`: compiles the arithmetic of a browser's training, where its source has changed.

The compiler comes from npm, by way of deno. `sha256sum -c` and a test tell whether source and output belong together.
"""

import hashlib
import subprocess
import sys
from pathlib import Path

from alibi_viz import pictures

FOLDER = pictures.HERE / "train"
SOURCE, OUTPUT, SUMS = "kernels.ts", "kernels.wasm", "kernels.sha256"
COMPILER = "npm:assemblyscript@0.28.20/asc"
OPTIONS = "-O3 --noAssert --runtime stub --noExportMemory --enable simd --importMemory"


def sums() -> str:
    """As `sha256sum kernels.ts kernels.wasm` prints them."""
    return "".join(f"{hashlib.sha256((FOLDER / name).read_bytes()).hexdigest()}  {name}\n" for name in (SOURCE, OUTPUT))


def main() -> int:
    if (FOLDER / SUMS).is_file() and sums() == (FOLDER / SUMS).read_text(encoding="utf-8"):
        return 0
    deno = Path(sys.executable).with_name("deno")
    command = [str(deno), "run", "--quiet", "-A", "--no-lock", COMPILER, SOURCE, *OPTIONS.split(), "-o", OUTPUT]
    subprocess.run(command, cwd=FOLDER, check=True)
    (FOLDER / SUMS).write_text(sums(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
