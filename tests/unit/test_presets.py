"""Presets: each has a title of its own, a head count that slopes can be made for, and a source."""

import pytest

from alibi_viz.checkpoints.presets import PRESETS, Preset
from alibi_viz.positions import METHODS, build


def test_titles_are_unique() -> None:
    assert len({preset.title for preset in PRESETS}) == len(PRESETS) >= 16


@pytest.mark.parametrize("preset", PRESETS, ids=lambda preset: preset.title)
def test_every_preset_can_be_built(preset: Preset) -> None:
    assert preset.source
    assert METHODS[preset.method].title in ("ALiBi", "RoPE")
    build("alibi", heads=preset.heads, head_dim=8, max_bias=preset.max_bias)


def test_models_with_rotary_positions_are_not_given_alibi() -> None:
    """By the papers that introduce them; every other model of the list has ALiBi by its paper or model card."""
    rotary = {preset.title for preset in PRESETS if preset.method == "rope"}
    families = ("Llama", "Mistral", "Gemma", "Falcon")
    assert rotary == {preset.title for preset in PRESETS if preset.title.startswith(families)}
