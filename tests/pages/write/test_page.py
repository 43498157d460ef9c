"""The Writing page as a reader opens it: texts that are shipped, texts that are written now, and beginnings of any kind."""

import base64

import pytest

from alibi_viz.lessons import load
from alibi_viz.lm.corpus import HELP_TEXTS, help_text, python_text
from alibi_viz.lm.words import known_words, stretches, whole_words
from alibi_viz.lm.writing import Writer
from alibi_viz.results import pretrained, trained, writing
from alibi_viz.results.writing import language_of
from alibi_viz.ui import texts
from alibi_viz.ui.shell.fairness import Budget
from pages.write.page import beginning
from tests.cases import slow, some
from tests.pages.apptest import address, hands, open_page, picture, release, report, said, says

OF_HAN = [language for language in writing.LANGUAGES if language in HELP_TEXTS]


def written(at):
    return [bytes(text["text"]) for text in picture(at)["texts"]]


def writers(at):
    """Language and method of the models whose texts are there."""
    by_weights = {model["weights"]: (model["language"], model["method"]) for model in picture(at)["models"]}
    return [by_weights[text["weights"]] for text in picture(at)["texts"]]


def report_of(at, texts):
    """The page when its browser has said what it has written."""
    sent = {"choices": picture(at)["choices"], "texts": [base64.b64encode(text).decode() for text in texts]}
    return report(at, "write", "written", sent)


@pytest.mark.parametrize("seed", [1, slow(2)])
def test_the_default_beginning_is_there_at_once_as_it_is_shipped_with_its_unknown_words(seed):
    at, shipped = open_page("write", write_seed=str(seed)), writing.shipped()
    assert writers(at) == [("en", method) for method in ("alibi", "rope", "t5", "sinusoidal")]
    texts = [shipped.prompt + shipped.texts[method][seed - 1] for _, method in writers(at)]
    assert written(at) == texts
    known = known_words(python_text().train)
    for sent, text in zip(picture(at)["texts"], texts, strict=True):
        for start, end, is_known in sent["words"].reshape(-1, 3).astype(int).tolist():
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
    real = picture(at)["languages"]["en"]["real"]
    assert real == writing.real_text().share
    assert says(said(at), "write", "counted", real=real, words=writing.real_text().words)
    assert says(said(at), "write", "lead", length=128)


def test_a_preset_keeps_what_it_does_not_name_and_the_first_leads_back():
    at = open_page("write", write_near="true", write_seed="7")
    first, *_, every = (preset["values"] for preset in hands(at)["presets"])
    at = release(at, **every)
    assert address(at) == {"write_near": "true", "write_seed": "7", "write_methods": every["write_methods"]}
    assert address(release(at, **first)) == {"write_near": "true", "write_seed": "7"}


@pytest.mark.parametrize("own", some(["", "🙂🙂", "x" * 2048, "a\x00b"], "🙂🙂"))
def test_what_a_browser_has_written_after_any_beginning_is_checked_and_counted(own):
    at = open_page("write", write_text=own, write_length="64", write_methods="alibi,rope", write_seed="91")
    begin = own.replace("\x00", "").encode() or b"\n"
    assert written(at) == [begin, begin], "the browser writes it"
    assert says(said(at), "write", "seen_waiting")
    new = [Writer(trained.shipped(method), begin, seed=91).write(64) for method in ("alibi", "rope")]
    at = report_of(at, new)
    assert written(at) == [begin + text for text in new]
    assert says(said(at), "write", "agreement.agrees", bytes=128)
    assert says(said(at), "write", "seen", length=128)
    wrong = bytes((new[1][0] ^ 1, *new[1][1:]))
    at = report_of(at, [new[0], wrong])
    at_byte = load("write").entry("agreement", "at", method="RoPE", byte=len(begin))
    assert says(said(at), "write", "agreement.differs", found=at_byte)


def test_a_server_that_others_keep_busy_says_which_texts_it_has_not_checked(monkeypatch):
    monkeypatch.setattr(texts, "CHECK_TIME", Budget(rate=0.0, most=0.0))
    at = open_page("write", write_text="busy ", write_length="64", write_methods="alibi,rope")
    at = report_of(at, [b"a" * 64, b"b" * 64])
    assert says(said(at), "write", "agreement.busy", methods="ALiBi, RoPE")
    assert says(said(at), "write", "seen", length=128), "its words are counted"
    monkeypatch.setattr(texts, "CHECK_TIME", Budget(rate=0.0, most=1.0))
    assert not says(said(release(at, write_at=70)), "write", "agreement.busy", methods="ALiBi, RoPE")


OF_OTHER_CHOICES = {"choices": "other", "texts": ["QQ==", "QQ=="]}


@pytest.mark.parametrize("sent", [None, 3, {}, OF_OTHER_CHOICES, [3, None], ["QQ=="], "QQ=="])
def test_a_report_that_is_none_changes_nothing(sent):
    at = open_page("write", write_length="64", write_methods="alibi,rope", write_seed="91")
    if isinstance(sent, list | str):  # in the place of its texts
        sent = {"choices": picture(at)["choices"], "texts": sent}
    at = report(at, "write", "written", sent)
    assert written(at)[0].endswith(b" ")
    assert says(said(at), "write", "seen_waiting")
    assert not at.exception


def test_one_switch_hides_the_far_keys_of_all_models():
    at, shipped = open_page("write", write_near="true"), writing.shipped()
    assert written(at) == [shipped.prompt + shipped.near_texts[method][0] for _, method in writers(at)]
    assert says(said(at), "write", "near", length=shipped.window, reach=2 * shipped.window)
    assert not says(said(open_page("write")), "write", "near")


@pytest.mark.parametrize("language", OF_HAN)
def test_readers_of_chinese_and_japanese_see_models_that_write_their_language(language):
    at, shipped = open_page("write", lang=language, write_open="after,all"), writing.shipped(language)
    methods = [method for method in pretrained.WRITERS if method in pretrained.METHODS_OF[language]]
    assert writers(at) == [(language, method) for method in methods]
    assert written(at) == [shipped.prompt + shipped.texts[method][0] for method in methods]
    assert picture(at)["languages"][language]["is_han"]
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
    at = open_page("write", lang=language, **link)
    assert writers(at) == writers(open_page("write", **link)) == [("en", "alibi")]
    own = writing.shipped(language).prompt.decode()
    at = open_page("write", **link | {"write_text": own})
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
