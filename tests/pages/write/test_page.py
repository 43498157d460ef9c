"""The Writing page as a reader opens it: texts that are shipped, texts that are written now, and beginnings of any kind."""

from __future__ import annotations

import time

import pytest

from alibi_viz.lm.corpus import HELP_TEXTS, help_text, python_text
from alibi_viz.lm.words import known_words, stretches, whole_words
from alibi_viz.results import pretrained, writing
from alibi_viz.ui.writing import PROMPT, language_of
from pages.write.page import beginning
from tests.pages.apptest import open_page, picture, said, says

OF_HAN = [language for language in writing.LANGUAGES if language in HELP_TEXTS]


def written(at) -> list[bytes]:
    head = picture(at)
    return [bytes(column["text"]) for column in head["columns"]]


def when_done(at, seconds=60):
    """The page when all its texts are written: it is asked again and again, as the picture does."""
    for _ in range(int(seconds / 0.2)):
        if all(column["done"] for column in picture(at)["columns"]):
            return at
        time.sleep(0.2)
        at.run()
    raise AssertionError("the texts are not written")


@pytest.mark.parametrize("seed", [1, 2])
def test_the_default_beginning_is_there_at_once_as_it_is_shipped_with_its_unknown_words(seed):
    at, shipped = open_page("write", write_seed=str(seed)), writing.shipped()
    head = picture(at)
    assert [column["method"] for column in head["columns"]] == ["alibi", "rope", "t5", "sinusoidal"]
    texts = [shipped.prompt + shipped.texts[column["method"]][seed - 1] for column in head["columns"]]
    assert written(at) == texts
    known = known_words(python_text().train)
    for column, text in zip(head["columns"], texts, strict=True):
        for start, end, is_known in column["words"].reshape(-1, 3).astype(int).tolist():
            assert (text[start:end].lower() in known) == bool(is_known)


def test_the_shares_are_those_of_the_models_that_are_shown_beside_that_of_real_text():
    """No positions writes fewer known words already within L."""
    at, shipped = open_page("write", write_methods="alibi,none"), writing.shipped()
    known, shares = known_words(python_text().train), {"within": [], "beyond": []}
    for name, method in (("ALiBi", "alibi"), ("No positions", "none")):
        text = shipped.prompt + shipped.texts[method][0]
        counts = stretches(whole_words(text, len(shipped.prompt), known), 128)
        for where, count in (("within", counts[0]), ("beyond", counts[2] + counts[3])):
            shares[where].append(f"{name} {count.known} of {count.words}")
    assert says(said(at), "write", "seen", length=128, **{name: ", ".join(each) for name, each in shares.items()})
    assert picture(at)["real"] == writing.real_text().share
    assert says(said(at), "write", "counted", real=picture(at)["real"], words=writing.real_text().words)
    assert says(said(at), "write", "lead", length=128)


@pytest.mark.parametrize("own", ["", "🙂🙂", "x" * 2048, "a\x00b"])
def test_a_beginning_of_any_kind_is_written_on(own):
    at = when_done(open_page("write", write_text=own, write_length="64", write_methods="alibi"))
    (text,) = written(at)
    assert len(text) == 64 + max(1, len(own.replace("\x00", "").encode()))
    assert not at.exception


def test_a_text_that_is_not_shipped_is_written_now():
    at = when_done(open_page("write", write_length="64", write_methods="alibi", write_seed="91"))
    assert len(written(at)[0]) == len(beginning(PROMPT, 0)) + 64


def test_one_switch_hides_the_far_keys_of_all_models():
    at, shipped = open_page("write", write_near="true"), writing.shipped()
    head = picture(at)
    for column, text in zip(head["columns"], written(at), strict=True):
        assert text == shipped.prompt + shipped.near_texts[column["method"]][0]
    assert says(said(at), "write", "near", length=shipped.window, reach=2 * shipped.window)
    assert not says(said(open_page("write")), "write", "near")


@pytest.mark.parametrize("language", OF_HAN)
def test_readers_of_chinese_and_japanese_see_models_that_write_their_language(language):
    at, shipped = open_page("write", lang=language, write_open="after,all"), writing.shipped(language)
    head = picture(at)
    methods = [column["method"] for column in head["columns"]]
    assert methods == [method for method in pretrained.WRITERS if method in pretrained.METHODS_OF[language]]
    assert written(at) == [shipped.prompt + shipped.texts[method][0] for method in methods]
    assert head["is_han"]
    real, text = writing.real_text(language), said(at)
    assert says(text, "write", f"lead_{language}", language, length=128)
    assert says(text, "write", "counted_han", language, real=real.share, words=real.words)
    assert says(text, "write", "characters_han", language, length=128, characters=128 / 3)
    counts = [shipped.characters[methods[0]], shipped.stretches[methods[0]]]
    (table,) = (one.value for one in at.dataframe)
    assert table.iloc[0, 1] == " / ".join(f"{count[0].share:.0%}" for count in counts)


@pytest.mark.parametrize("language", OF_HAN)
def test_a_link_shows_the_same_texts_in_every_language_of_the_app(language):
    """The letters of the beginning say which models write; what has none is written on in the reader's language."""
    link = {"write_text": "Once upon a time", "write_length": "64", "write_methods": "alibi"}
    at = when_done(open_page("write", lang=language, **link))
    assert written(at) == written(when_done(open_page("write", **link)))
    assert not picture(at)["is_han"]
    own = writing.shipped(language).prompt.decode()
    at = when_done(open_page("write", **link | {"write_text": own}))
    assert written(at)[0] == writing.shipped(language).prompt + writing.shipped(language).texts["alibi"][0][:64]
    assert says(said(at), "write", f"lead_{language}", length=128)


def test_the_letters_of_a_beginning_say_its_language():
    def of(beginning, reader):
        return language_of(beginning, reader)

    have = {language: language if language in writing.LANGUAGES else "en" for language in ("en", "zh", "ja")}
    assert [of("", reader) for reader in have] == list(have.values())
    assert [of("猫", reader) for reader in have] == [have["zh"], have["zh"], have["ja"]]
    assert [of("猫が", reader) for reader in have] == [have["ja"]] * 3
    assert [of("cat, кот", reader) for reader in have] == ["en"] * 3
    assert [of("12 ?", reader) for reader in have] == list(have.values())


@pytest.mark.parametrize("language", OF_HAN)
def test_held_out_text_before_is_of_the_language_and_begins_with_a_whole_character(language):
    held_out, end = help_text(language).held_out, writing.shipped(language).long_span[1]
    for count in (1, 100, 101, 1024):
        text = beginning("", count, language)
        assert held_out[:end].endswith(text)
        assert count - 3 < len(text) <= count
        text.decode()
