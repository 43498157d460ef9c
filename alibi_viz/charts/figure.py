"""A Plotly figure that is quick to build: a page draws two or three in every run, and a class of sixty asks for many.

Notable choices:
- It does not check what is put into it; the tests check the finished charts. Checking took a third of a page's time.
- Plotly's `update_…` look through the whole figure for what a change may mean: 1.5 ms each, most of the rest. Here they
  write one part of the layout; where a chart has subplots, or names a row or a column, Plotly's own do it.

Without it (`_validate=False`, `_data_validator`): twelve lines take 8 ms in place of 2, in every run of a page.
Versions: Plotly 7.1, which checks traces that are added to a figure though the figure was told to check nothing.
Public ways tried: `skip_invalid` leaves out what is wrong, and checks all the same. A dict in place of a figure is checked
by Streamlit.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import plotly.graph_objects as go


def nested(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Plotly's short form, {"title_text": "x"}, in full: {"title": {"text": "x"}}."""
    result: dict[str, Any] = {}
    for name, value in settings.items():
        first, _, rest = name.partition("_")
        value = nested({rest: value}) if rest else nested(value) if isinstance(value, Mapping) else value
        result[first] = merged(result.get(first), value)
    return result


def merged(old: Any, new: Any) -> Any:
    """`new` put over `old`: mappings part by part, anything else in place of it."""
    if not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return new
    return {**old, **{name: merged(old.get(name), value) for name, value in new.items()}}


class Chart(go.Figure):
    """A figure with this layout, unchecked. Its methods take what Plotly's of the same name take."""

    def __init__(self, layout: Mapping[str, Any] | None = None) -> None:
        super().__init__(layout=layout, _validate=False)
        traces = self._data_validator  # a copy of this figure's own; Plotly leaves it checking what is added later
        traces.validate_coerce = partial(traces.validate_coerce, _validate=False)

    def update_layout(self, dict1: Any = None, overwrite: bool = False, **settings: Any) -> "Chart":
        if isinstance(dict1, go.Layout):
            super().update_layout(dict1, overwrite)
            dict1 = None
        for name, value in nested({**(dict1 or {}), **settings}).items():
            self._put(name, value, overwrite)
        return self

    def update_xaxes(self, patch: Any = None, **settings: Any) -> "Chart":
        if self._is_plain("xaxis2", settings):
            self._put("xaxis", nested({**(patch or {}), **settings}))
            return self
        super().update_xaxes(patch, **settings)
        return self

    def update_yaxes(self, patch: Any = None, **settings: Any) -> "Chart":
        if self._is_plain("yaxis2", settings):
            self._put("yaxis", nested({**(patch or {}), **settings}))
            return self
        super().update_yaxes(patch, **settings)
        return self

    def add_annotation(self, arg: Any = None, **settings: Any) -> "Chart":
        return self._add("annotations", arg, settings) or super().add_annotation(arg, **settings)

    def add_shape(self, arg: Any = None, **settings: Any) -> "Chart":
        return self._add("shapes", arg, settings) or super().add_shape(arg, **settings)

    def _is_plain(self, second: str, settings: Mapping[str, Any]) -> bool:
        """Whether there is one such axis alone. second: what the next one would be called."""
        return second not in self.layout and not {"row", "col", "selector", "secondary_y", "overwrite"} & set(settings)

    def _put(self, name: str, value: Any, overwrite: bool = False) -> None:
        merges = isinstance(value, Mapping) and not overwrite and name in self.layout  # there is no legend2 at first
        self.layout[name] = merged(self.layout[name].to_plotly_json(), value) if merges else value

    def _add(self, kind: str, arg: Any, settings: Mapping[str, Any]) -> "Chart | None":
        if arg is not None or {"row", "col", "secondary_y", "exclude_empty_subplots"} & set(settings):
            return None
        self.layout[kind] = (*self.layout[kind], nested(settings))
        return self
