"""The JavaScript of the views: modules that can be wrapped in one script."""

import pytest

from tests import message_types


@pytest.mark.parametrize("message", message_types.MESSAGES, ids=lambda path: path.parent.name)
def test_javascript_knows_the_messages_as_python_writes_them(message):
    """If this fails: python -m tests.message_types, and see what `make lint` says of the JavaScript."""
    assert message.with_suffix(".d.ts").read_text(encoding="utf-8") == message_types.written(message)
