"""Questions that are answered otherwise than by one option: put the options in order, or draw a curve.

In a room they are questions with options like all others (`ui.predict`): a room counts options.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import streamlit as st

from alibi_viz.lessons import load
from alibi_viz.ui import predict
from alibi_viz.ui.components.curve_view import Axis, Mark, Readout
from alibi_viz.ui.components.sketch import drawn, sketch


@dataclass(frozen=True, kw_only=True)
class Order(predict.Question):
    """Put the options in order. ranks: where each stands; equal ones may come in any order.

    The lesson's section `{section}.order` asks it; `{section}` asks in a room which option comes first.
    """

    ranks: Sequence[float]

    @property
    def _key(self) -> str:
        return f"predict_order_{self.name}"

    def _placed(self) -> list[str]:
        """The options that have a place so far; those of another question of this name are forgotten."""
        placed: list[str] = st.session_state.get(self._key, [])
        return placed if set(placed) <= set(self.options) else []

    def text(self) -> str:
        return self.lesson.text(f"{self.section}.order", self.facts)

    def show(self) -> None:
        words, placed = load("words"), self._placed()
        if placed:
            st.markdown("\n".join(f"{place}. {option}" for place, option in enumerate(placed, start=1)))
        with st.container(horizontal=True, gap="small"):
            for number, option in enumerate(self.options):
                if option not in placed:
                    st.button(option, key=f"{self._key}_{number}", on_click=self._place, args=(option,))
            if placed:
                st.button(words.entry("predict", "again"), key=f"{self._key}_again", on_click=self._forget)

    def _place(self, option: str) -> None:
        """Callback: this option is next. The last one has no choice."""
        placed = [*self._placed(), option]
        left = [other for other in self.options if other not in placed]
        if len(left) > 1:
            st.session_state[self._key] = placed
        else:
            self._forget()
            predict.answer(self.name, tuple(placed + left))

    def _forget(self) -> None:
        st.session_state.pop(self._key, None)

    def verdict(self, given: Any) -> str:
        words, ranks = load("words"), dict(zip(self.options, self.ranks, strict=True))
        ranked = sorted(self.options, key=ranks.__getitem__)
        right = " → ".join(
            f" {words.entry('predict', 'alike')} ".join(option for option in ranked if ranks[option] == rank)
            for rank in sorted(set(self.ranks))
        )
        if not isinstance(given, tuple) or set(given) != set(self.options):
            return words.entry("predict", "skipped", right=right)
        pairs = [(a, b) for a, b in combinations(given, 2) if ranks[a] != ranks[b]]
        agree = sum(ranks[a] < ranks[b] for a, b in pairs)
        numbers = {"chosen": " → ".join(given), "right": right, "agree": agree, "pairs": len(pairs)}
        return words.entry("predict", "order" if agree < len(pairs) else "order_right", **numbers)


@dataclass(frozen=True, kw_only=True)
class Drawing(predict.Question):
    """Draw how a measured curve goes on. The lesson's section `{section}.draw` asks it; `{section}` in a room."""

    xs: Sequence[float]  # where it was measured; the first value is given
    measured: Sequence[float]
    x: Axis
    y: Axis
    mark: Mark
    alt: str
    what: str  # whose curve it is

    in_the_picture = True

    @property
    def _key(self) -> str:
        return f"predict_draw_{self.name}"

    def text(self) -> str:
        return self.lesson.text(f"{self.section}.draw", self.facts)

    def surface(self) -> None:
        """Where it is drawn: in the picture's place."""
        words = load("words").entries("sketch")
        readout = Readout(words["readout"], words["empty"])
        options: Any = {"mark": self.mark, "readout": readout, "label": words["label"], "size": "stage"}
        xs = np.asarray(self.xs, dtype=np.float32)
        sketch(xs, self.measured[0], key=self._key, x=self.x, y=self.y, alt=self.alt, filename="drawing", **options)

    def _drawn(self) -> tuple[float, ...] | None:
        return drawn(self._key, len(self.xs), self.measured[0], self.y)

    def show(self) -> None:
        words, missing = load("words"), self._drawn() is None
        why = words.entry("predict", "draw_first") if missing else None
        name = words.entry("predict", "done")
        st.button(name, key=f"{self._key}_done", on_click=self._done, disabled=missing, help=why, type="primary")

    def _done(self) -> None:
        if (values := self._drawn()) is not None:
            predict.answer(self.name, values)

    def given(self) -> tuple[float, ...] | None:
        """What the reader has drawn, once it is answered; None if it was skipped or fits these lengths no more."""
        values = predict.given(self)
        return values if isinstance(values, tuple) and len(values) == len(self.xs) else None

    def verdict(self, given: Any) -> str:
        words, values = load("words"), self.given()
        numbers: dict[str, object] = {"what": self.what, "far": self.xs[-1], "measured": self.measured[-1]}
        if values is None:
            return words.entry("predict", "drawn_skipped", **numbers)
        ratios = np.abs(np.log(np.divide(values[1:], self.measured[1:])))
        numbers |= {"drawn": values[-1], "factor": np.exp(ratios[-1]), "mean": np.exp(ratios.mean())}
        return words.entry("predict", "drawn", **numbers)
