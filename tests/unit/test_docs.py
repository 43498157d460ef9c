"""What is written from the code, for readers and for JavaScript, is what the code says."""

import pytest

from benchmarks import control_names, interface, lesson_plan
from tests import message_types


@pytest.mark.parametrize("listed", [control_names, interface, lesson_plan])
def test_what_is_listed_is_as_it_is(listed):
    """The interface is changed on purpose: `make docs`, and a line in CHANGELOG.md."""
    assert listed.FILE.read_text(encoding="utf-8") == listed.text(), "make docs"


@pytest.mark.parametrize("message", message_types.MESSAGES, ids=lambda path: path.parent.name)
def test_javascript_knows_the_messages_as_python_writes_them(message):
    """If this fails: python -m tests.message_types, and see what `make lint` says of the JavaScript."""
    assert message.with_suffix(".d.ts").read_text(encoding="utf-8") == message_types.written(message)
