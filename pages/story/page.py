"""The story: a mystery and nine steps, from attention that is blind to order to what extrapolation proves and what not."""

import numpy as np

from alibi_viz.charts.palette import LOOKS
from alibi_viz.classroom import drawing
from alibi_viz.lessons import Lesson, load, problems
from alibi_viz.lessons.problems import Problem
from alibi_viz.lm.corpus import HELP_TEXTS
from alibi_viz.pictures.story.message import MOST_WORDS, Message, Step
from alibi_viz.results import pretrained, table, writing
from alibi_viz.results.facts import compared, load_facts
from alibi_viz.rules import slopes
from alibi_viz.ui import address, lesson, page, question
from alibi_viz.ui.components.hands import story
from alibi_viz.ui.control_panel import Presets, cut
from alibi_viz.ui.texts import words_of
from alibi_viz.ui.weights import address_of, address_of_words
from pages.story import study

STEPS = ("mystery", "order", "far", "heads", "all", "longer", "guess", "write", "near", "end")
#: A scene of the story as it was -> the step that took its place; without a scene the story begins.
SCENES = (0, 1, 1, 2, 3, 5, 6, 7, 8, 9)
MASK_SCENE = 2
RIVALS = ("learned", "sinusoidal", "rope", "t5", "alibi")  # of step 5, as pictures/story/rivals.js draws them
FURTHER = ("write", "playground")
LONGEST = 80  # characters of the reader's sentence
LONGEST_GUESS = 120  # of both drawn lines
STEEPEST, LONGER = 0.5, 4.0
SHORTEST = 32  # bytes of a written text
#: Two words that change places turn it: the cat chases the mouse, the mouse chases the cat.
PRESET_VALUES: Presets = {"short": {"story_text": "猫追老鼠", "story_order": ""}}


def main() -> None:
    text, controls = lesson.begin("story")
    is_old = "scene" in address.query()  # a link of an earlier version
    scene = controls.moved("scene", 0, low=0, high=len(SCENES) - 1) if is_old else 0
    step = controls.moved("step", SCENES[scene], low=0, high=len(STEPS) - 1)
    example, bounds = text.entry("picture", "sentence"), {"least": study.FEWEST, "most": MOST_WORDS}
    refusal = problems.say(Problem("texts.words", most=MOST_WORDS))
    user_text = controls.line(
        "story_text", example, longest=LONGEST, **bounds, refusal=refusal, visible_when={"step": [0, 1]}
    )
    found = cut(user_text)
    sentence = found if study.FEWEST <= len(found) <= MOST_WORDS else cut(example)
    count = len(sentence)
    order = study.read_order(address.text("story_order", "", longest=LONGEST), count)
    controls.values["story_order"] = ",".join(map(str, order)) if order != tuple(range(count)) else ""
    controls.moved("story_query", -1, low=-1, high=MOST_WORDS - 1)  # -1: the last word asks
    causal = controls.switch("causal", scene == MASK_SCENE, visible_when={"step": [1]})
    slope = controls.moved("story_slope", 0.25, low=0.0, high=STEEPEST, used_when={"step": [2, 4, 5]})
    controls.moved("story_bent", 0.0, low=0.0, high=2.0, used_when={"step": [2]})
    rule = slopes(study.HEADS)
    head = controls.moved("story_head", 3, low=1, high=study.HEADS, used_when={"step": [3]})
    controls.cell(range(count), range(count))
    controls.moved("story_times", 1.0, low=1.0, high=LONGER, used_when={"step": [5]})
    controls.moved("story_rival", 0, low=0, high=len(RIVALS) - 1, used_when={"step": [5]})
    controls.values["story_guess"] = study.read_guess(address.text("story_guess", "", longest=LONGEST_GUESS))
    asked = question.ask_lines("story", alone=False) if step == drawing.STEP else None
    is_shown = address.flag("story_shown")
    controls.values["story_shown"] = not asked.is_open if asked else is_shown
    language, length = study.language_of_models(text.language), table.train_length()
    file, is_han = writing.shipped(language), language in HELP_TEXTS
    longest = study.LONG * length
    controls.slider("write_at", 420, low=SHORTEST, high=longest, visible_when={"step": [0, 7]})
    seed = controls.moved("write_seed", file.seeds[0], low=file.seeds[0], high=file.seeds[-1])
    readings = {name: text.entry("picture", f"keys_{name}") for name in ("false", "true", "clamped")}
    controls.choice("write_near", readings, "false", visible_when={"step": [8]})
    controls.moved("story_seen", 512, low=1, high=512, used_when={"step": [9]})
    lesson.say_problems(text)
    in_force = 0.0 if step <= 1 else rule[head - 1] if step == 3 else slope
    weights = study.attention(sentence, order, in_force, causal=causal or step > 1)
    facts = facts_of(text)

    def said(section: str) -> str:  # with models that write Han characters, the section that speaks of those
        return text.text(f"{section}_han" if is_han and f"{section}_han" in text else section, facts)

    steps = [
        Step(
            text.text(f"{name}.question"),
            said(f"{name}.text"),
            text.entry("gestures", name),
            said(f"{name}.after") if f"{name}.after" in text else "",
        )
        for name in STEPS
    ]
    swap = tuple(map(int, text.entry("picture", "swap").split(","))) if user_text == example else (0, min(2, count - 1))
    message = Message(
        steps,
        weights,
        drawing.lines(),
        hands=controls.hands(PRESET_VALUES),
        learned=(LOOKS["learned"].light, LOOKS["learned"].dark),
        trained=length,
        swap=(swap[0], swap[1]),
        slopes=rule,
        thetas=study.thetas(),
        texts=[study.written(method, seed, language) for method in drawing.WRITERS],
        prompt=np.frombuffer(file.prompt, dtype=np.uint8),
        example=example,
        language=language,
        models={method: address_of(pretrained.model_name(method, language)) for method in drawing.WRITERS},
        known=address_of_words(language),
        seeds=len(file.seeds),
        temperature=file.temperature,
        longest=longest,
        predictions=f"{facts['predictions']:,}",
        control=study.control(language),
        end=[text.text(f"end.{name}", facts) for name in ("line", "holds", "uses")],
        links=[(load(name).label("page"), name) for name in FURTHER],
        rivals={method: text.text(f"rival.{method}") for method in RIVALS},
        words=words_of("story", language),
        is_han=is_han,
        alt=text.label("alt", words=" ".join(sentence[word] for word in order), number=step),
        drawing=asked,
    )
    story(message, drawn=question.hand_in)
    page.sources(text)


def facts_of(text: Lesson) -> dict[str, object]:
    """The measured numbers that the steps say."""
    by_method = {line.method: line for line in drawing.lines()}
    length = table.train_length()
    facts: dict[str, object] = {"length": length, "reach": 2 * length, "characters": length / 3}  # two layers
    measured, language = load_facts("story"), study.language_of_models(text.language)
    low, high = measured["context"]["change"]
    facts |= {"seeds": measured["seeds"], "predictions": measured["context"]["predictions"], "low": low, "high": high}
    facts["share"] = measured["context"]["share"]
    near = measured["near"][language]
    facts["far"] = compared(measured["far"], with_itself=True)
    facts["near"] = compared(near["itself"])
    for method, line in by_method.items():
        facts[f"{method}_here"] = f"{line.values[line.times.index(1.0)]:.2f}"
        facts[f"{method}_far"] = f"{line.values[-1]:.3g}"
    alibi = by_method["alibi"]
    from_context = dict(zip(alibi.contexts, alibi.context_values, strict=True))
    facts |= {f"seen_{context}": f"{value:.2f}" for context, value in from_context.items()}
    facts["most"] = max(from_context)
    for method in drawing.WRITERS:
        facts[f"{method}_all"], facts[f"{method}_near"], _ = (f"{value:.3g}" for value in study.readings(method))
    return facts
