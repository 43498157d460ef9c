"""What docs/ says of the code is what the code says."""

from benchmarks import control_names, interface, lesson_plan


def test_the_list_of_controls_is_that_of_the_lessons():
    assert control_names.FILE.read_text(encoding="utf-8") == control_names.text(), "make docs"


def test_what_others_build_on_is_listed_as_it_is():
    """A change here is made on purpose: `make docs`, and a line in CHANGELOG.md."""
    assert interface.FILE.read_text(encoding="utf-8") == interface.text(), "make docs"


def test_the_plan_of_a_lesson_is_that_of_the_app():
    assert lesson_plan.FILE.read_text(encoding="utf-8") == lesson_plan.text(), "make docs"
