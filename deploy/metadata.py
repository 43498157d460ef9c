"""For the build of the package: what it depends on is read from the requirements, so that a version stands in one place.

The core is the library and the commands that only compute. What the app needs beside it is the extra "app".
"""

from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

CORE = ("torch", "numpy", "safetensors", "pydantic", "typer", "rich")  # rich comes with typer


class Requirements(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        app = self._read("requirements.txt")
        metadata["dependencies"] = [line for line in app if line.partition("==")[0] in CORE]
        metadata["optional-dependencies"] = {
            "app": [line for line in app if line.partition("==")[0] not in CORE],
            "models": self._read("requirements-models.txt"),
        }

    def _read(self, name: str) -> list[str]:
        lines = (Path(self.root) / name).read_text(encoding="utf-8").splitlines()
        return [line for line in map(str.strip, lines) if line and not line.startswith(("#", "-"))]
