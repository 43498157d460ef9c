"""For the build of the package: what it depends on. The names are read from the requirements, where the app's versions are
pinned; a package that others install beside their own says bounds.

The core is the library and the commands that need no torch. Extras: "torch" for what computes with it, "app", "models",
and beside the app "site".
"""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

CORE = ("numpy", "safetensors", "pydantic", "typer", "rich")  # rich comes with typer
#: The lowest versions that were tried. Of Streamlit inner modules are replaced (alibi_viz/ui/streamlit_patches/).
BOUNDS = {
    "torch": ">=2.5",
    "numpy": ">=2",
    "safetensors": ">=0.5",
    "pydantic": ">=2.10",
    "typer": ">=0.15",
    "rich": ">=13",
    "streamlit": "~=1.67.0",
}


class Requirements(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        app, models, site = (self._read(f"requirements{name}.txt") for name in ("", "-models", "-site"))
        metadata["dependencies"] = [app[name] for name in CORE]
        metadata["optional-dependencies"] = {
            "torch": [app["torch"]],
            "app": [bound for name, bound in app.items() if name not in CORE],
            "site": [*site.values()],
            "models": [app["torch"], *models.values()],
        }

    def _read(self, name: str) -> dict[str, str]:
        """Package -> its name with bounds, and the platforms that need it."""
        lines = (Path(self.root) / name).read_text(encoding="utf-8").splitlines()
        pins = (re.fullmatch(r"([\w-]+)==([\w.]+)(;.*)?", line.strip()) for line in lines)
        return {pin[1]: f"{pin[1]}{BOUNDS.get(pin[1], '>=' + pin[2])}{pin[3] or ''}" for pin in pins if pin}
