"""Presets: each names a method we have, numbers that fit together, and a source."""

import pytest

from alibi_viz.positions import METHODS, build
from alibi_viz.presets import PRESETS, Preset


def test_keys_and_titles_are_unique() -> None:
    assert len({p.key for p in PRESETS}) == len({p.title for p in PRESETS}) == len(PRESETS) >= 16


@pytest.mark.parametrize("preset", PRESETS, ids=lambda p: p.key)
def test_every_preset_can_be_built(preset: Preset) -> None:
    assert preset.method in METHODS
    assert preset.heads % preset.kv_heads == 0
    assert preset.width is None or preset.width % preset.heads == 0
    assert preset.source
    assert preset.checked in ("read", "seen in an excerpt")
    if preset.method == "alibi":
        assert preset.kv_heads == preset.heads  # no known model joins ALiBi with grouped queries
        build("alibi", heads=preset.heads, head_dim=8, max_bias=preset.max_bias, form=preset.form)
