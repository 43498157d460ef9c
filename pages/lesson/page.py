"""The plan of a class, for the teacher's second window: what to open and to say, the clock, how many have answered. And the
homework, a page to print.

Notable choices:
- To look changes nothing: a room follows a plan, or another one, when its teacher presses the button. An address without a
  plan shows the room's.
"""

from typing import Any
from urllib.parse import urlencode

import streamlit as st

from alibi_viz.classroom import plans
from alibi_viz.classroom.plans import HOMEWORK, PLANS, Step
from alibi_viz.lessons import Lesson, load
from alibi_viz.ui import classroom, lesson, page, reader, share
from alibi_viz.ui.control_panel import ControlPanel
from alibi_viz.ui.controls import page_options

LOOKS = 1.0  # seconds between two looks at the room
TASKS = "homework"
JOINER = "\u2060"  # no line breaks at it


def main() -> None:
    text = lesson.begin(plans.TEXTS)
    code = classroom.membership().taught
    course, _ = classroom.ROOMS.course(code)
    with st.container(key="plan_choice", gap="small"):
        controls = ControlPanel(text)
        plan = controls.choice("lesson_plan", (*PLANS, TASKS), course.plan if course else "50")
        controls.row()
    lesson.say_problems(text)
    if plan == TASKS:
        tasks = [f"{number}. {_task(step)}" for number, step in enumerate(HOMEWORK, start=1)]
        return lesson.prose(text.text("homework"), "\n".join(tasks))
    is_followed = course is not None and course.plan == plan
    follow: dict[str, Any] = {"on_click": classroom.ROOMS.follow, "args": (code, reader.owner(), plan)}
    if is_followed:
        st.fragment(_notes, run_every=LOOKS)(text, plan, code, follow)
    else:
        if code:
            st.button(text.label("follow"), key="plan_follow", type="primary", **follow)
        else:
            classroom.open_button("plan_open")
        st.markdown(_table(text, plan))
    st.caption(text.label("keys"))


def _notes(text: Lesson, plan: str, code: str, follow: dict[str, Any]) -> None:
    """A fragment: the way to the wall, the step that it shows, the clock, and the class. follow: of the button that begins
    again."""
    rooms = classroom.ROOMS
    course, seconds = rooms.course(code)
    if course is None or course.plan != plan:
        st.rerun()  # another window has ended the room, or chosen the other plan
    steps, starts, question = PLANS[plan], plans.starts(plan), rooms.question(code)
    at = min(course.step, len(steps) - 1)
    with st.container(horizontal=True, vertical_alignment="center"):
        wall = _address(steps[at], is_wall=True)
        st.link_button(text.label("wall"), wall, type="primary", icon=":material/tv:")
        st.button(text.label("again"), key="plan_again", **follow)
    clock = text.label("not_begun")
    if seconds is not None:
        clock = text.label("clock", now=int(seconds // 60) + 1, all=starts[-1], until=starts[at + 1])
    here, joined = rooms.members(code)
    class_ = classroom.answered(code, question) if question else text.label("here", here=here, joined=joined)
    st.markdown(
        f"### {at + 1}. {plans.title(steps[at])}\n\n{plans.said(steps[at])}\n\n{clock} {class_}", width=page.READING
    )
    st.markdown(_table(text, plan, at))


def _table(text: Lesson, plan: str, now: int = -1) -> str:
    """All steps; the one that the wall shows now is marked."""
    starts, columns = plans.starts(plan), text.label("columns").split("|")
    rows = [[JOINER.join(columns[0]), *columns[1:]], ["---"] * len(columns)]
    for number, step in enumerate(PLANS[plan]):
        minutes = JOINER.join(f"{starts[number]}–{starts[number + 1]}")
        title = f"[{plans.title(step)}]({_address(step)})"
        rows.append([minutes, f"▶ **{title}**" if number == now else title, plans.said(step)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _address(step: Step, *, is_wall: bool = False) -> str:
    """A link below this server: by another host the browser would be another reader."""
    framed = {page_options.LANGUAGE.key: page_options.language()}
    framed |= {page_options.PRESENT.key: "true"} if is_wall else {}
    return f"{step.address}&{urlencode(framed)}"


def _task(step: Step) -> str:
    """A task, with an address that can be read on paper."""
    address = share.address_of(step.page, step.query)
    return f"**{load(step.page).label('page')}** · {plans.said(step, 'tasks')}  \n[{address}]({address})"


if __name__ == "__main__":
    main()
