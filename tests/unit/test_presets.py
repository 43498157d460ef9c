"""Presets: each has a title of its own, a head count that slopes can be made for, and a source."""

import pytest

from alibi_viz.positions import build
from alibi_viz.presets import PRESETS, Preset


def test_titles_are_unique() -> None:
    assert len({preset.title for preset in PRESETS}) == len(PRESETS) >= 16


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.title)
def test_every_preset_can_be_built(preset: Preset) -> None:
    assert preset.source
    build("alibi", heads=preset.heads, head_dim=8, max_bias=preset.max_bias)
