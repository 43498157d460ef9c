"""The reader that measures waits for the end of what it has asked for, not for that of a part that runs by the clock."""

from __future__ import annotations

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.reader import Reader


def message(*, end: int | None = None, parts: tuple[str, ...] = ()) -> ForwardMsg:
    """The begin of a run of these parts, or its end; none: of the whole page."""
    made = ForwardMsg()
    made.metadata.run.fragment_ids.extend(parts)
    if end is None:
        made.new_session.SetInParent()
    else:
        made.script_finished = end
    return made


def test_the_end_of_a_part_that_was_under_way_is_not_the_end_of_the_page() -> None:
    reader = Reader("http://nowhere")  # it has just asked for a page
    stopped = ForwardMsg()
    stopped.stop_auto_rerun.fragment_ids.append("looks")
    reader._handle(stopped)
    reader._handle(message(parts=("looks",), end=ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY))
    assert not reader._finished.is_set()
    reader._handle(message())
    reader._handle(message(end=ForwardMsg.FINISHED_SUCCESSFULLY))
    assert reader._finished.is_set()
