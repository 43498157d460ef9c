"""Compare: every position method on the same content, side by side; or each method's trained model on the same text.

With trained models the sections below the matrices go on with the position methods alone, at the models' size.
"""

from alibi_viz import synthetic
from alibi_viz.lessons import Lesson
from alibi_viz.positions import METHODS
from alibi_viz.ui import page
from pages.compare import controls, matrices, models, sections, study


def show(lesson: Lesson) -> None:
    trained = controls.is_trained()
    page.prose(lesson, "intro.trained" if trained else "intro.made")
    page.try_this(lesson, controls.TRY)
    controls.show(lesson)
    try:
        chosen = controls.read()
        if trained:
            matrices.trained_models(lesson, chosen, models.read(chosen))
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
