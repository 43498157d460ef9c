"""The teacher's console: it steers the wall, with what to say, the clock and the class in sight. Without a room, the plan
of a class to read; and the homework, a page to print.

Notable choices:
- To look changes nothing: a room follows a plan, or another one, when its teacher presses the button. An address without a
  plan shows the room's.
- A button says where to go, and not how far from here: of two devices of one teacher that are pressed at once neither skips
  a step.
- Another device of the teacher opens the owner's link, a QR code. Its key is taken out of the address at once.
"""

from contextlib import suppress
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from alibi_viz.classroom import plans
from alibi_viz.classroom.plans import HOMEWORK, PLANS, Step
from alibi_viz.export import record
from alibi_viz.lessons import Lesson, load
from alibi_viz.ui import address, classroom, exporting, lesson, page, question, reader, share
from alibi_viz.ui.controls import page_options

LOOKS = 1.0  # seconds between two looks at the room
TASKS = "homework"
JOINER = "\u2060"  # no line breaks at it
KEY, LONGEST = "desk", 40  # of the owner's link; characters


def main() -> None:
    text, controls = lesson.begin(plans.TEXTS)
    page.attempt(_take_key)
    code = classroom.membership().taught
    course, _ = classroom.ROOMS.course(code)
    with st.container(key="plan_choice", gap="small"):
        plan = controls.choice("lesson_plan", (*PLANS, TASKS), course.plan if course else "50")
        controls.row()
    lesson.say_problems(text)
    if plan == TASKS:
        tasks = [f"{number}. {_task(step)}" for number, step in enumerate(HOMEWORK, start=1)]
        return lesson.prose(text.text("homework"), "\n".join(tasks))
    followed = course.plan if course else ""
    if code:
        st.fragment(_console, run_every=LOOKS)(text, plan, code, followed)
        with st.container(key="plan_more", horizontal=True, gap="small"):
            _device(text, code)
            _record(text, code)
    else:
        classroom.open_button("plan_open")
    if followed != plan:
        st.markdown(_table(text, plan))
    st.caption(text.label("keys"))


def _take_key() -> None:
    """Where the address is the owner's link, this device teaches too. Raises ValueError where it is none."""
    if key := address.text(KEY, "", LONGEST):
        address.write({KEY: ""}, is_step=False)
        classroom.ROOMS.teach(str(address.value(page_options.ROOM)).strip().upper(), key, reader.owner())


def _console(text: Lesson, plan: str, code: str, followed: str) -> None:
    """A fragment: who is here, the clock, and what steers the wall. followed: the plan that the rest of the page has been
    made for."""
    rooms, room, owner = classroom.ROOMS, classroom.membership(), reader.owner()
    (course, seconds), (here, joined) = rooms.course(code), rooms.members(code)
    if room.taught != code or followed != (course.plan if course else ""):
        st.rerun()  # another device has ended the room, or follows another plan
    state = [f"**{code}**", text.label("here", here=here, joined=joined)]
    if course is None or followed != plan:
        st.markdown(" · ".join(state))
        given = (rooms.follow, code, owner, plan)
        st.button(text.label("follow"), "plan_follow", type="primary", on_click=classroom.steer, args=given)
        return question.desk(code)
    at, starts = min(course.step, len(PLANS[plan]) - 1), plans.starts(plan)
    clock = text.label("not_begun")
    if seconds is not None:
        clock = text.label("clock", now=int(seconds // 60) + 1, all=starts[-1], until=starts[at + 1])
    st.markdown(" · ".join([*state, clock]))
    _turn(text, room, len(PLANS[plan]), at)
    step, place = PLANS[plan][at], rooms.place(code)
    st.markdown(f"### {at + 1}. {plans.title(step)}\n\n{plans.said(step)}", width=page.READING)
    if place and place.page != step.page:
        st.caption(text.label("strayed", page=load(place.page).label("page")))
    question.desk(code)
    with st.container(key="plan_steps", gap="xsmall"):
        for number, step in enumerate(PLANS[plan]):
            label = f"{JOINER.join(f'{starts[number]}–{starts[number + 1]}')} · {plans.title(step)}"
            look: dict[str, Any] = {"type": "primary" if number == at else "tertiary", "on_click": classroom.steer}
            st.button(label, f"plan_step_{number}", args=(rooms.turn, code, owner, number), **look)
    with st.container(horizontal=True, gap="small"):
        st.link_button(text.label("wall"), _address(PLANS[plan][at], is_wall=True), icon=":material/tv:")
        st.button(text.label("again"), "plan_again", on_click=classroom.steer, args=(rooms.follow, code, owner, plan))


def _turn(text: Lesson, room: classroom.Membership, count: int, at: int) -> None:
    """Back, on, and how to join. count: of the steps."""
    rooms, owner = classroom.ROOMS, reader.owner()
    with st.container(key="plan_turn", horizontal=True, gap="small"):
        for key, to, icon in (("back", at - 1, "arrow_back"), ("next", at + 1, "arrow_forward")):
            look: dict[str, Any] = {"icon": f":material/{icon}:", "disabled": not 0 <= to < count}
            given = (rooms.turn, room.code, owner, to)
            st.button(text.label(key), f"plan_{key}", on_click=classroom.steer, args=given, **look)
        label = text.label("poster_off" if room.has_poster else "poster")
        look = {"icon": ":material/qr_code_2:", "on_click": classroom.steer}
        st.button(label, "plan_poster", args=(rooms.put_up, room.code, owner, not room.has_poster), **look)


def _device(text: Lesson, code: str) -> None:
    """The owner's link, out of sight until it is wanted: the console may be on a wall too."""
    look: dict[str, Any] = {"icon": ":material/phonelink_ring:", "on_change": "rerun"}
    with st.popover(text.label("device"), key="plan_device", **look) as popover, suppress(ValueError):
        if popover.open:
            st.caption(text.label("device_about"))
            link = {page_options.ROOM.key: code, KEY: classroom.ROOMS.key(code, reader.owner())}
            share.show_link(share.address_of(plans.TEXTS, link))


def _record(text: Lesson, code: str) -> None:
    """What is left of the class, as files, made when they are asked for."""
    owner, words, language = reader.owner(), text.entries("record"), text.language
    title = f"{words['title']} · {code}"

    def document() -> str:
        return record.document(classroom.ROOMS.questions(code, owner), language, title, exporting.credit(language))

    def table() -> bytes:
        import pandas as pd  # the first answer of a server does not wait for it

        return page.csv(pd.DataFrame(record.rows(classroom.ROOMS.questions(code, owner), language)), f"# {title}")

    for kind, mime, make in (("html", "text/html", document), ("csv", "text/csv", table)):
        file: dict[str, Any] = {"data": make, "file_name": f"class-{code}.{kind}", "mime": mime}
        st.download_button(words[kind], key=f"plan_{kind}", icon=":material/download:", on_click="ignore", **file)


def _table(text: Lesson, plan: str) -> str:
    """All steps."""
    starts, columns = plans.starts(plan), text.label("columns").split("|")
    rows = [[JOINER.join(columns[0]), *columns[1:]], ["---"] * len(columns)]
    for number, step in enumerate(PLANS[plan]):
        minutes = JOINER.join(f"{starts[number]}–{starts[number + 1]}")
        rows.append([minutes, f"[{plans.title(step)}]({_address(step)})", plans.said(step)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _address(step: Step, *, is_wall: bool = False) -> str:
    """A link below this server: by another host the browser would be another reader."""
    framed = {page_options.LANGUAGE.key: page_options.language()}
    framed |= {page_options.PRESENT.key: "true"} if is_wall else {}
    return f"{step.address}&{urlencode(framed)}"


def _task(step: Step) -> str:
    """A task, with an address that can be read on paper."""
    link = share.lasting(step.page, step.query)
    return f"**{load(step.page).label('page')}** · {plans.said(step, 'tasks')}  \n[{link}]({link})"
