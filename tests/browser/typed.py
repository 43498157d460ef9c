"""What a reader's own sentence does in a picture; the same in the app, on the site, and in an exported file."""

from typing import Any

from alibi_viz.lessons import problems
from alibi_viz.lessons.problems import Problem
from alibi_viz.pictures.story.message import MOST_WORDS

EMPTY, NO_ROOM = Problem("texts.empty"), Problem("texts.words", most=MOST_WORDS)
#: Lesson -> where it says a word of the sentence, that word, the sentence, one that is refused, and why.
LESSONS = {
    "playground": (".read", "sleeps", "my green bird <b>sings and sleeps", " ", EMPTY),
    "story": (".swap", "zebras", "zebras <b>sing", "one", NO_ROOM),
    "attention": (".note", "sleeps", "my green bird <b>sings and sleeps", " ", EMPTY),
    "heirs": (".note", "sleeps", "my green bird <b>sings and sleeps", " ", EMPTY),
}


def said(page: Any, lesson: str) -> Any:
    """What the picture says of the sentence."""
    where, word, *_ = LESSONS[lesson]
    return page.locator(f"{where}:visible").filter(has_text=word).first


def type_a_sentence(page: Any, lesson: str) -> str:
    """The sentence that stands there in the end. One that is refused in between leaves the picture as it was."""
    *_, sentence, refused, why = LESSONS[lesson]
    if lesson == "story":
        page.locator(".dot").nth(1).click()  # past the mystery
    field, in_picture = page.locator("input[id^=hand-][id$=text]").first, said(page, lesson)
    field.fill(sentence)
    in_picture.wait_for()
    assert page.locator("b", has_text="sing").count() == 0, "a text is no HTML"
    remark, before = page.locator(".remark", has_text=problems.say(why)), in_picture.inner_text()
    field.fill(refused)
    remark.wait_for()
    assert in_picture.inner_text() == before
    field.fill(sentence)
    remark.wait_for(state="hidden")
    return sentence
