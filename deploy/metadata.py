"""For the build of the package: what it depends on is read from the requirements, so that a version stands in one place."""

from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Requirements(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        metadata["dependencies"] = self._read("requirements.txt")
        metadata["optional-dependencies"] = {"models": self._read("requirements-models.txt")}

    def _read(self, name: str) -> list[str]:
        lines = (Path(self.root) / name).read_text(encoding="utf-8").splitlines()
        return [line for line in map(str.strip, lines) if line and not line.startswith(("#", "-"))]
