"""What the Sources page says about these comparisons is what they are: the same references, versions and bounds."""

import json
import re
from pathlib import Path

from tests.parity import recorder

RECORDED = {row["check"]: row for row in json.loads(recorder.FILE.read_text())["checks"]}
REQUIREMENTS = "".join(Path(f"requirements-{name}.txt").read_text() for name in ("models", "dev"))
PINS = dict(re.findall(r"^([\w-]+)==([\w.]+)$", REQUIREMENTS, re.MULTILINE))


def test_the_recorded_references_are_the_pinned_ones() -> None:
    assert {check: (row["package"], row["bound"]) for check, row in RECORDED.items()} == recorder.CHECKS
    assert {row["version"] for row in RECORDED.values() if row["version"] != PINS[row["package"]]} == set()
    assert all(0 <= row["difference"] <= row["bound"] for row in RECORDED.values())
