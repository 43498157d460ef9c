"""Whose a run is, on disk: who joins, who leaves, and what is damaged."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.owners import FOLDER, MOST, Owners, Reader, owner_of
from alibi_viz.lm.runs import Run, RunStore

CONFIG = TrainConfig(steps=50)
OWN_TEXT = replace(CONFIG, corpus="text:0123456789abcdef")
A, B = owner_of("key of a"), owner_of("key of b")


@pytest.fixture
def owners(tmp_path: Path) -> Owners:
    return Owners(RunStore(tmp_path))


def test_a_new_run_belongs_to_who_starts_it_and_then_to_all_who_join(owners):
    assert owners.of(CONFIG.hash) is None
    assert owners.join(CONFIG.hash, A)
    assert not owners.join(CONFIG.hash, A), "nothing new"
    owners.store.save(Run(CONFIG))
    assert owners.join(CONFIG.hash, B)
    assert owners.of(CONFIG.hash) == {A, B}
    owners.leave(CONFIG.hash, A)
    assert owners.of(CONFIG.hash) == {B}
    assert owners.store.get(CONFIG.hash) is not None


def test_a_run_without_owners_stays_everybodys(owners):
    owners.store.save(Run(CONFIG))
    assert not owners.join(CONFIG.hash, A)
    assert owners.of(CONFIG.hash) is None
    assert owners.may_see(Reader(B, class_=True), Run(OWN_TEXT))


def test_who_leaves_a_run_that_never_began_leaves_nothing_behind(owners):
    owners.join(CONFIG.hash, A)
    owners.leave(CONFIG.hash, A)
    assert not owners.store.path(CONFIG.hash).exists()


@pytest.mark.parametrize(
    ("reader", "config", "sees"),
    [
        (Reader(A), CONFIG, True),
        (Reader(B), CONFIG, True),
        (Reader(B), OWN_TEXT, False),
        (Reader(A), OWN_TEXT, True),
        (Reader(B, class_=True), CONFIG, False),
        (Reader(A, class_=True), OWN_TEXT, True),
        (Reader(B, alone=True), OWN_TEXT, True),
    ],
)
def test_what_a_reader_sees(owners, reader, config, sees):
    owners.join(config.hash, A)
    owners.store.save(Run(config))
    assert owners.may_see(reader, Run(config)) == sees


def test_owners_that_cannot_be_read_are_nobody(owners):
    owners.store.save(Run(CONFIG))
    (owners.store.path(CONFIG.hash) / FOLDER).write_text("not a folder")
    assert owners.of(CONFIG.hash) == frozenset()
    assert not owners.may_see(Reader(A), Run(CONFIG))
    assert owners.may_see(Reader(A, alone=True), Run(CONFIG))
    with pytest.raises(ValueError, match="The data folder cannot be written"):
        owners.join(CONFIG.hash, A)


def test_files_that_name_no_owner_do_not_count(owners):
    owners.join(CONFIG.hash, A)
    for name in ("x", "A" * 64, "0" * 63, ".tmp"):
        (owners.store.path(CONFIG.hash) / FOLDER / name).touch()
    assert owners.of(CONFIG.hash) == {A}


def test_the_number_of_owners_is_bounded(owners):
    for number in range(MOST + 3):
        owners.join(CONFIG.hash, owner_of(str(number)))
    assert len(owners.of(CONFIG.hash) or ()) == MOST


def test_the_key_is_not_stored(owners):
    owners.join(CONFIG.hash, owner_of("a secret key"))
    stored = [str(path) for path in owners.store.folder.rglob("*")]
    assert stored
    assert not any("secret" in path for path in stored)


@pytest.mark.parametrize("bad", ["", "..", "../../x", "0" * 15, "G" * 16])
def test_a_name_that_is_no_hash_reaches_no_file(owners, bad):
    for act in (owners.of, lambda run: owners.join(run, A), lambda run: owners.leave(run, A)):
        with pytest.raises(ValueError, match="hexadecimal"):
            act(bad)


def test_what_another_reader_has_trained_is_no_own_run(owners):
    owners.join(CONFIG.hash, A)
    assert not owners.is_own(Reader(B), Run(CONFIG))
    assert owners.is_own(Reader(A), Run(CONFIG))
    assert owners.is_own(Reader(B, alone=True), Run(CONFIG))
    assert owners.is_own(Reader(B), Run(replace(CONFIG, steps=60))), "everybody's"
