"""A tiny language model in a worker: it writes from a file on the disk, it fails aloud, and once stopped it is silent."""

import os

import pytest

from alibi_viz import pictures
from alibi_viz.export import Part
from alibi_viz.export import page as file_of
from alibi_viz.lm.writing import check
from alibi_viz.results import trained, writing
from alibi_viz.ui import weights

#: A picture that does nothing but to keep what it needs, for the page to call.
VIEW = """import { fileOf, openReader, openWriter } from "WORKER";
export default function mount(component) {
  const started = (open, address, order, callbacks) => new Promise((done) => {
    const bytes = [], end = (name) => (value) => done([name, value, bytes.length, bytes]);
    const { stop } = open({
      weights: () => fileOf(component, address), prompt: new TextEncoder().encode(order.prompt), ...order.numbers,
      onFail: end("fail"), ...callbacks(end, bytes),
    });
    if (order.stop !== undefined) setTimeout(() => { stop(); setTimeout(() => end("stopped")(""), 300); }, order.stop);
  });
  const writes = (end, bytes) => ({ onBytes: (piece) => bytes.push(...piece), onEnd: end("end") });
  const traces = (end) => ({ onTrace: ({ weights, tokens }) => end("trace")([weights.length, tokens]) });
  Object.assign(globalThis, {
    write: (address, order) => started(openWriter, address, order, writes),
    read: (address, order) => started(openReader, address, order, traces),
  });
  return () => {};
}
"""
ORDER = {
    "prompt": "The function returns a list of ",
    "numbers": {"temperature": 0.7, "seed": 1, "length": 300, "window": 0},
}


@pytest.fixture(scope="module")
def opened(browser, tmp_path_factory):
    """opened(policy): a file with a model, from the disk; policy: whether its policy is that of our files."""
    folder = tmp_path_factory.mktemp("worker")
    worker = os.path.relpath(pictures.HERE / "lm_worker.js", folder)
    (folder / "view.js").write_text(VIEW.replace("WORKER", worker))
    address = weights.address_of("rope")
    part = Part("probe", folder / "view.js", (), b"")
    words = dict.fromkeys(("title", "note", "settings", "credit", "language"), "en")
    whole = file_of([part], {address: weights.content("rope")}, **words)
    contexts = []

    def open_file(*, policy=True):
        path = folder / f"{policy}.html"
        path.write_text(whole if policy else whole.replace("worker-src blob:; ", ""), encoding="utf-8")
        contexts.append(browser.new_context())
        page = contexts[-1].new_page()
        page.goto(path.as_uri())
        page.wait_for_function("() => window.write")
        return page, address

    yield open_file
    for context in contexts:
        context.close()


def test_it_writes_and_reads_in_a_file_from_the_disk(opened):
    page, address = opened()
    how, reason, count, text = page.evaluate("(given) => write(...given)", [address, ORDER])
    assert (how, reason, count) == ("end", "", 300)
    prompt = writing.shipped().prompt
    assert check(trained.shipped("rope"), prompt, bytes(text), temperature=0.7, seed=1).agrees
    how, found, *_ = page.evaluate("(given) => read(...given)", [address, {"prompt": "abc", "numbers": {"layer": 1}}])
    assert (how, found) == ("trace", [8 * 3 * 3, 3])


def test_it_says_why_it_cannot_and_is_silent_once_stopped(opened):
    page, address = opened()
    how, reason, *_ = page.evaluate("(given) => write(...given)", ["weights/0/alibi", ORDER])
    assert (how, bool(reason)) == ("fail", True), "there is no such file"
    how, reason, *_ = page.evaluate("(given) => read(...given)", [address, {"prompt": "abc", "numbers": {"layer": 7}}])
    assert (how, bool(reason)) == ("fail", True), "an error in the worker"
    long = ORDER | {"numbers": ORDER["numbers"] | {"length": 2000}}
    for after in (0, 400):
        how, _, count, _ = page.evaluate("(given) => write(...given)", [address, {**long, "stop": after}])
        assert how == "stopped"
        assert count < 2000
    page, address = opened(policy=False)
    how, reason, *_ = page.evaluate("(given) => write(...given)", [address, ORDER])
    assert (how, bool(reason)) == ("fail", True), "no worker is allowed"
