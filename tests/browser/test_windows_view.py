"""The windows view in a real browser: its windows against the evaluation's, broken messages."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from alibi_viz.pictures import javascript
from alibi_viz.ui.components.windows_view import Dragged, Settings, WindowPlan, pack
from pages.early_token_curse import study

WORDS = tuple("one two three four five six seven eight nine ten eleven twelve".split())


@pytest.fixture(scope="module")
def js(run_module):
    """js(body, message) runs `body` with the component's module as `core` and the message as `data`."""
    return partial(run_module, javascript("windows_view/view.js"))


def plans(window, stride, sliding, words=WORDS):
    """The plan of the chosen protocol, with the contexts of the other."""
    own, other = (study.plan(len(words), window, step) for step in ((stride, window) if sliding else (window, stride)))
    return WindowPlan(own.read, own.counted, own.context, other.context)


def test_every_window_is_that_of_the_evaluation(js):
    cases = [
        (words, length, stride) for words in (4, 7, 12) for length in range(2, words) for stride in range(1, length + 1)
    ]
    body = f"""{[list(case) for case in cases]}.map(([words, length, stride]) => {{
      const {{ read, counted, context }} = core.planOf(words, length, stride);
      return [read.map((row) => Array.from(row)), counted.map((row) => Array.from(row)), Array.from(context)];
    }})"""
    for case, ours in zip(cases, js(body), strict=True):
        wanted = study.plan(*case)
        for mine, theirs in zip(ours, (wanted.read, wanted.counted, wanted.context), strict=True):
            np.testing.assert_array_equal(mine, theirs, err_msg=str(case))


@pytest.mark.parametrize("sliding", [False, True])
@pytest.mark.parametrize(("form", "value"), [("window", 3), ("window", 9), ("stride", 4), ("least", 5)])
def test_a_preview_is_what_python_sends(js, form, value, sliding):
    before = {"window": 5, "stride": 4, "least": 3}
    after = before | {form: value}
    after["stride"] = min(after["stride"], after["window"])  # as the page's slider has it
    follows = [Dragged(f"curse_{name}", number, name) for name, number in before.items()]
    message = pack(WORDS, plans(5, 4, sliding), Settings(**before, sliding=sliding), follows=follows)
    body = f"""((m) => {{
      const {{ settings, plan }} = core.previewPlan(m, m.follows.find((one) => one.form === "{form}"), {value});
      const rows = (all) => all.map((row) => Array.from(row));
      return [settings, rows(plan.read), rows(plan.counted), Array.from(plan.context), Array.from(plan.other)];
    }})(core.decode(data))"""
    settings, read, counted, context, other = js(body, message)
    wanted = plans(after["window"], after["stride"], sliding)
    assert settings == after | {"sliding": sliding}
    for mine, theirs in (
        (read, wanted.read),
        (counted, wanted.counted),
        (context, wanted.context),
        (other, wanted.other),
    ):
        np.testing.assert_array_equal(mine, theirs)


def test_a_plan_that_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="does not fit the words"):
        pack(WORDS[:4], plans(3, 1, True), Settings(3, 1, 2, True))
    with pytest.raises(ValueError, match="2 to 64 words"):
        pack(("one",), plans(3, 1, True), Settings(3, 1, 2, True))
