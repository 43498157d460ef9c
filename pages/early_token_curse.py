"""The early token curse."""

from __future__ import annotations

from alibi_viz.ui import page
from alibi_viz.ui.params import Param

PARAMS: tuple[Param, ...] = ()

lesson = page.start("early_token_curse", PARAMS)
