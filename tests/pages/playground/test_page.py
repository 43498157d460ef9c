"""The playground as a link opens it; and its numbers against the softmax written out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from alibi_viz.content.words import words
from alibi_viz.lessons import load, problems
from alibi_viz.lessons.problems import Problem
from alibi_viz.pictures.playground.message import MOST_WORDS
from pages.playground import study
from pages.playground.study import Controls
from tests.pages.apptest import open_page, picture, said, says

LESSON = load("playground")


@pytest.mark.parametrize(
    ("asked", "note", "facts"),
    [({"heads": "12"}, "heads", {"given": 12, "used": 16}), ({"slopes": "2:nan, 9:0.5, 3:1e9"}, "slopes", {})],
)
def test_what_cannot_be_shown_gets_a_sentence_and_the_nearest_picture(asked, note, facts):
    message = picture(open_page("playground", **asked))
    assert message["note"] == LESSON.entry("notes", note, facts)
    assert message["rows"].size


@pytest.mark.parametrize(("text", "used"), [("  ", 16), ("word " * 10_000, 1024)])
def test_of_a_text_that_does_not_fit_there_is_the_nearest_picture(text, used):
    """The picture says so (tests/browser/test_site.py)."""
    message = picture(open_page("playground", text=text))
    line = message["hands"]["hands"][0]
    assert (line["least"], line["shown"], line["refusal"]) == (1, 1024, problems.say(Problem("texts.empty")))
    assert message["rows"].shape == (8, used)


@pytest.mark.parametrize(
    ("text", "query", "keys"),
    [("so, it ends.", "", 4), ("猫追老鼠。」", "", 3), ("a b.", "0", 3), ("one two", "", 2), ("a\x00 <b>", "", 4)],
)
def test_the_first_query_is_a_word_and_a_link_may_ask_for_any(text, query, keys):
    at = open_page("playground", text=text, **({"query": query} if query else {}))
    message = picture(at)
    assert message["hands"]["values"]["query"] == int(query or -1)
    assert message["rows"].shape == (8, keys)
    assert says(said(at), "playground", "seen_few") == (keys < 3), "no share is claimed where no word is far"
    assert "nan" not in said(at) + message["alt"]


OPENED = {"text": "a b c", "heads": "4", "head": "3", "strength": "2", "slopes": "3:0.1", "query": "2", "ratio": "4"}
HOSTILE = {"text": "two\x00 words", "heads": "4", "head": "99", "strength": "1e9", "slopes": "1:0.3, <b>:y"}
HOSTILE |= {"query": "-3", "ratio": "x"}


@pytest.mark.parametrize(
    ("asked", "values"),
    [
        (OPENED, OPENED | {"head": 3, "strength": 2.0, "query": 2, "ratio": 4.0}),
        (HOSTILE, {"text": "two words", "heads": "4", "head": 4, "strength": 4.0, "slopes": "1:0.3"}),
    ],
)
def test_a_link_opens_the_same_picture_and_what_it_says_is_bounded(asked, values):
    message = picture(open_page("playground", **asked))
    assert message["hands"]["values"] == {"query": -1, "ratio": 1.0} | values


TEXTS = ("the cat sat on the mat and the dog sat on the rug near the cat", "one", "to be or not 🙂", "w " * 90)


@st.composite
def choices(draw):
    text = tuple(words(draw(st.sampled_from(TEXTS))))
    heads = draw(st.sampled_from(study.COUNTS))
    own = draw(st.dictionaries(st.integers(1, heads), st.floats(study.GENTLEST, study.STEEPEST), max_size=3))
    strength, ratio = draw(st.floats(0, 4)), draw(st.floats(1, 16))
    return Controls(
        text, heads, draw(st.integers(1, heads)), strength, tuple(own.items()), draw(st.integers(0, 20)), ratio
    )


@settings(max_examples=40)
@given(choices())
def test_the_traced_attention_is_the_softmax_of_content_minus_slope_times_distance(chosen):
    result = study.compute(chosen)
    length, count, query = len(chosen.words), chosen.count, chosen.query
    assert count <= MOST_WORDS
    ids, vectors = study.content(chosen.words)
    at = [ids[length - 1 - (count - 1 - i) % length] for i in range(query + 1)]
    content = vectors[at].astype(float) @ vectors[at[-1]] / np.sqrt(study.HEAD_DIM)
    np.testing.assert_allclose(content[-1], study.ATTRACTION, rtol=1e-5)  # a word matches itself best
    assert (content < study.ATTRACTION + 1e-3).all()
    for head, slope in enumerate(chosen.slopes):
        scores = content - slope * chosen.strength * np.arange(query, -1, -1)
        weights = np.exp(scores - scores.max())
        np.testing.assert_allclose(result.rows[head], weights / weights.sum(), atol=1e-5)
    flat = np.exp(content - content.max())
    np.testing.assert_allclose(result.plain, flat / flat.sum(), atol=1e-5)
    if result.matrix is not None:
        np.testing.assert_allclose(result.matrix[query, : query + 1], result.rows[chosen.head - 1], atol=1e-6)
