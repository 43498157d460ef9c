"""The story as a reader opens it, and what its steps compute and claim."""

import re

import numpy as np
import pytest

from alibi_viz.classroom import drawing
from alibi_viz.classroom.plans import PLANS
from alibi_viz.lessons import load, plain
from alibi_viz.results import pretrained, table, writing
from alibi_viz.results.facts import compared, load_facts
from pages.story import study
from pages.story.page import FURTHER, SCENES, STEPS
from tests.pages.apptest import address, hands, open_page, picture, release, says

SENTENCE, MOVED = ("dogs", "chase", "cats", "quickly"), (2, 1, 0, 3)
LONGEST = 45  # words of a step
WORDS = load("story").entry("picture", "sentence").split()


def test_all_steps_come_at_once_and_each_is_short():
    message = picture(open_page("story"))
    assert [step["question"] for step in message["steps"]] == [load("story").text(f"{name}.question") for name in STEPS]
    for name, step in zip(STEPS, message["steps"], strict=True):
        assert len(plain(step["text"]).split()) <= LONGEST, name
        assert step["gesture"]
    assert [href.partition("?")[0] for _, href in message["links"]] == list(FURTHER)


def test_the_story_opens_on_its_mystery_and_the_steps_of_plans_and_links_keep_their_numbers():
    assert picture(open_page("story"))["hands"]["values"]["step"] == STEPS.index("mystery") == 0
    for step in (step for plan in PLANS.values() for step in plan if step.page == "story"):
        assert STEPS[int(step.query["step"])] == step.name
    assert STEPS[drawing.STEP] == "guess"


@pytest.mark.parametrize(("scene", "step"), list(enumerate(SCENES))[1:])
def test_the_address_of_a_scene_opens_the_step_that_took_its_place(scene, step):
    at = open_page("story", scene=str(scene))
    values = hands(at)["values"]
    assert (values["step"], values["causal"]) == (step, scene == 2)
    other = 1 + step % (len(STEPS) - 1)
    release(at, step=other, scene=0)
    assert address(at)["step"] == str(other)
    assert "scene" not in address(at)


@pytest.mark.parametrize(
    ("text", "asked", "order"),
    [("猫 追 老鼠", "2,1,0", "2,1,0"), ("a b c", "0,0,1", ""), ("a b c", "x", ""), ("a b c", "0,1,2", "")],
)
def test_a_sentence_has_the_order_of_the_address_or_its_own(text, asked, order):
    message = picture(open_page("story", story_text=text.replace("猫 追 ", "猫追"), story_order=asked))
    assert message["hands"]["cuts"][text.replace("猫 追 ", "猫追")] == text.split()
    assert len(message["weights"]) == len(text.split())
    assert message["hands"]["values"]["story_order"] == order


@pytest.mark.parametrize("text", ["a", ("a " * 12).strip(), ""])
def test_a_sentence_that_has_no_room_is_said_and_the_example_stays(text):
    """The picture says why, and keeps what it has (tests/browser/test_site.py)."""
    message = picture(open_page("story", story_text=text))
    (line,) = (hand for hand in message["hands"]["hands"] if hand["kind"] == "line")
    assert "2 to 11 words" in line["refusal"]
    assert not line["least"] <= len(message["hands"]["cuts"][text]) <= line["most"]
    assert len(message["weights"]) == len(WORDS)


def test_weights_are_pytorch_s_for_what_the_step_shows():
    """After the first step the dragged sentence is the sentence."""
    order, dragged = (1, 0, 2), {"story_text": "a b c", "story_order": "1,0,2", "story_slope": "0.5"}
    for values, causal, slope in (
        ({"story_slope": "0.5"}, False, 0.0),
        ({"step": "1", "story_slope": "0.5"}, False, 0.0),
        ({"step": "1", "causal": "true"}, True, 0.0),
        ({"step": "2", "story_slope": "0.1"}, True, 0.1),
        ({"step": "3", "story_head": "8", "story_slope": "0.1"}, True, 1 / 256),
        ({"step": "4", "story_slope": "0.1"}, True, 0.1),
        ({"step": "2"} | dragged, True, 0.5),
        ({"step": "3"} | dragged, True, 1 / 8),
        ({"step": "4"} | dragged, True, 0.5),
    ):
        message, is_dragged = picture(open_page("story", **values)), "story_order" in values
        words, own = (("b", "a", "c"), np.argsort(order)) if is_dragged else (WORDS, np.arange(len(WORDS)))
        weights = study.attention(words, range(len(words)), slope, causal=causal)
        np.testing.assert_allclose(message["weights"], weights[np.ix_(own, own)], atol=1e-7, err_msg=str(values))
        assert ("b a c" in message["alt"]) == is_dragged


@pytest.mark.parametrize("language", ["en", "zh", "ja"])
def test_what_is_found_is_said_after_the_gesture(language):
    text, steps = load("story", language), picture(open_page("story", lang=language))["steps"]
    after = {name for name, step in zip(STEPS, steps, strict=True) if step["after"]}
    assert after == {name for name in STEPS if f"{name}.after" in text} == {"order", "far", "guess", "near", "end"}


def test_without_positions_and_without_a_mask_weights_move_with_their_words():
    def change(slope, *, causal):
        own, moved = (study.attention(SENTENCE, order, slope, causal=causal) for order in (range(4), MOVED))
        return float(np.abs(own - moved).max())

    assert change(0.0, causal=False) < 1e-6
    assert change(0.5, causal=False) > 0.02
    assert change(0.0, causal=True) > 0.02


def test_what_the_later_steps_show_is_what_their_sentences_say():
    """By the rule: `tests/lm/test_facts.py` has what it says of the four methods. Here are the numbers beside its words."""
    lines = {line.method: line for line in drawing.lines()}
    here, far = (
        {method: line.values[line.times.index(times)] for method, line in lines.items()} for times in (1.0, 16.0)
    )
    assert far["rope"] > 10 * here["rope"]
    assert far["alibi"] == pytest.approx(here["alibi"], abs=0.02)
    (rope_all, *rope_others), (alibi_all, *alibi_others) = study.readings("rope"), study.readings("alibi")
    assert max(rope_others) < 0.2 * rope_all, "it was far keys, at distances that are new"
    assert alibi_others == pytest.approx([alibi_all] * 2, rel=0.02)
    assert study.control() > 10 * here["sinusoidal"]
    cut = dict(zip(lines["alibi"].contexts, lines["alibi"].context_values, strict=True))
    assert cut[128] == pytest.approx(here["alibi"], abs=0.02), "two protocols of one model, and one level"
    assert cut[128] == pytest.approx(cut[512], abs=0.005)
    assert table.train_length() == 128
    answers = [
        re.sub(r"\[([^\]]+)\]\(glossary#[^)]*\)", r"\1", step["after"]) for step in picture(open_page("story"))["steps"]
    ]
    assert says(answers[6], "story", "guess.after", seeds=3, far=compared(load_facts("story")["far"], with_itself=True))
    assert says(answers[9], "story", "end.after", seeds=3, predictions=16_384, length=128, most=512)


@pytest.mark.parametrize("language", ["zh", "ja"])
def test_readers_of_chinese_and_japanese_see_models_of_their_language_once_all_are_shipped(language):
    is_whole = language in writing.LANGUAGES and {*pretrained.WRITERS} == {*pretrained.METHODS_OF[language]}
    models = language if is_whole else "en"
    head = picture(open_page("story", step="7", lang=language))
    assert head["is_han"] == is_whole
    for method, text in zip(drawing.WRITERS, head["texts"], strict=True):
        shipped = writing.shipped(models)
        assert bytes(text["text"].tolist()) == shipped.prompt + shipped.texts[method][0]
        assert bytes(text["near"].tolist()) == shipped.prompt + shipped.near_texts[method][0]
    (rope_all, rope_near, _), (alibi_all, alibi_near, _) = (study.readings(name, models) for name in ("rope", "alibi"))
    assert rope_near < 0.8 * rope_all, "it was the far keys"
    assert alibi_near == pytest.approx(alibi_all, rel=0.01), "ALiBi hardly notices"
    assert rope_near < 1.02 * alibi_near, "RoPE predicts as well again"
    assert study.control(models) > 1.5 * alibi_near, "sinusoidal stays broken"


def test_the_dice_choose_another_shipped_text():
    one, other = (picture(open_page("story", step="7", write_seed=seed)) for seed in ("1", "2"))
    for a, b in zip(one["texts"], other["texts"], strict=True):
        assert a["text"].tolist() != b["text"].tolist()
    assert bytes(other["texts"][1]["text"].tolist()) == writing.shipped().prompt + writing.shipped().texts["rope"][1]
