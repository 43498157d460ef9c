"""The story as a reader goes through it, and what its scenes compute."""

from __future__ import annotations

import numpy as np
import pytest

from alibi_viz.lessons import load
from alibi_viz.results.table import PROTOCOLS
from alibi_viz.rules import slopes
from pages.story import study
from pages.story.page import SCENES
from tests.pages.apptest import address, asks, lines, numbers, open_page, picture, said, says

NAMES = tuple(SCENES)
SENTENCE, MOVED = ("dogs", "chase", "cats", "quickly"), (2, 1, 0, 3)


def test_every_scene_has_its_question_and_its_words_and_next_leads_through_them():
    at = open_page("story")
    for number, name in enumerate(NAMES, start=1):
        assert address(at) == ({"scene": str(number)} if number > 1 else {})
        assert load("story").text(f"{name}.question") in [element.value for element in at.header]
        assert says(said(at), "story", f"{name}.note")
        assert any(part.proto.bytes for part in at.get("bidi_component")) or at.get("plotly_chart")
        assert at.button(key="story_back").disabled == (number == 1)
        if number < len(NAMES):
            at.button(key="story_next").click().run()
    assert at.button(key="story_next").disabled
    at.button(key="story_back").click().run()
    assert address(at) == {"scene": str(len(NAMES) - 1)}


@pytest.mark.parametrize(
    ("text", "asked", "order"),
    [("猫追老鼠", "2,3,1,0", [2, 3, 1, 0]), ("a b c", "0,0,1", [0, 1, 2]), ("a b c", "x", [0, 1, 2])],
)
def test_a_sentence_has_the_order_of_the_address_or_its_own(text, asked, order):
    header = picture(open_page("story", story_text=text, story_order=asked))
    assert (header["sentence"], header["order"]) == (list(text.replace(" ", "")), order)


def test_questions_are_judged_by_the_weights_and_by_the_shipped_runs():
    at = open_page("story", predict="true", scene=str(1 + NAMES.index("beyond")))
    assert max(numbers(line["x"]).max() for line in lines(at).values()) == study.TRAINED, (
        "what is asked for is not drawn"
    )
    at.button(key="question_story.beyond_3").click().run()
    assert max(numbers(line["x"]).max() for line in lines(at).values()) == study.FAR * study.TRAINED
    assert says(said(at), "shared", "predict.wrong", chosen="ALiBi", right="Sinusoidal")
    at = open_page("story", predict="true")
    assert picture(at)["order"] == [0, 1, 2, 3], "other words would show it"
    at.button(key="question_story.order_0").click().run()
    labels = load("story").entries("labels")
    assert says(said(at), "shared", "predict.wrong", chosen=labels["answer_changes"], right=labels["answer_moves"])
    assert picture(at)["order"] == [2, 1, 0, 3]


def test_a_sentence_that_cannot_be_read_does_not_take_the_question_away():
    at = open_page("story", predict="true", story_text="a")
    assert picture(at)["problem"]
    assert asks(at)
    at.button(key="question_story.order_1").click().run()
    assert says(said(at), "shared", "predict.right")


def test_without_positions_weights_move_with_their_words_and_with_alibi_or_a_mask_they_change():
    plain, alibi = study.orders(SENTENCE, MOVED, causal=False).changes
    assert plain < 1e-6 < 0.02 < alibi
    assert study.orders(SENTENCE, MOVED, causal=True).changes[0] > 0.02


def test_a_penalty_is_the_bias_and_its_softmax_also_where_it_is_sampled():
    m, n, step = 1 / 16, 2048, 16
    _, bias, weights = study.equal_content(m, n, step)
    i, j = np.mgrid[:n:step, :n:step]
    below, sums = j <= i, np.exp(-m * np.arange(n)).cumsum()[::step]
    np.testing.assert_allclose(bias[below], (-m * (i - j))[below])
    np.testing.assert_allclose(weights[below], (np.exp(-m * (i - j)) / sums[:, None])[below], atol=1e-6)
    assert np.isneginf(bias[~below]).all()


def test_what_the_scenes_claim_of_far_keys():
    """From a sum in closed form, and from the shipped runs."""
    m, length, tokens = 1 / 256, study.TRAINED, study.FAR * study.TRAINED
    weights = np.exp(-m * np.arange(tokens))
    assert study.share_beyond(m, tokens) == pytest.approx(weights[length:].sum() / weights.sum(), abs=0.004)
    assert study.share_beyond(max(slopes(8)), tokens) < 1e-6
    rope, alibi, sinusoidal = (study.hidden_keys().loc[method] for method in ("rope", "alibi", "sinusoidal"))
    assert rope.hidden < rope.at_length < 0.5 * rope.longer
    assert abs(alibi.hidden - alibi.longer) < 0.05
    at = open_page("story", scene=str(1 + NAMES.index("why")))
    assert says(said(at), "story", "why.note", share="10%"), "over all heads"
    assert sinusoidal.hidden > 3 * sinusoidal.at_length
    lines = study.by_windows({protocol: protocol for protocol in PROTOCOLS})
    apart, sliding = lines["nonoverlapping"], lines["sliding"]
    assert apart.y[0] - apart.y[-1] > 0.1 > 0.02 > abs(sliding.y[0] - sliding.y[-1])
