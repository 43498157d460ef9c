"""Compare: every position method on the same content, side by side; or each method's trained model on the same text.

With trained models the sections below the matrices go on with the position methods alone, at the models' size.
"""

from alibi_viz import synthetic
from alibi_viz.lessons import Lesson
from alibi_viz.positions import METHODS
from alibi_viz.ui import page
from alibi_viz.ui.controls.content import is_trained
from pages.compare import controls, matrices, sections, study


def show(lesson: Lesson) -> None:
    page.prose(lesson, "intro.trained" if is_trained() else "intro.made")
    page.try_this(lesson, controls.TRY)
    controls.show(lesson)
    try:
        chosen = controls.read()
        if is_trained():
            matrices.trained_models(lesson, chosen, study.read(chosen))
        else:
            matrices.methods(lesson, chosen, study.study(chosen))
    except ValueError as error:
        page.problem(error)
        return
    sections.show(lesson, chosen)
    page.formula(lesson)
    page.prose(lesson, "trained")
    for name in chosen.methods:
        page.prose(lesson, f"formula.{name}")
    page.code(synthetic.attend, *(METHODS[name] for name in chosen.methods if name != "none"))
    page.sources(lesson)


show(page.begin("compare", controls.PARAMS))
