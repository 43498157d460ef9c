"""Whose run it is, and what a reader may do with it: every start, pause, reset and deletion goes through here.

Notable choices:
- All is checked here, when it is done: that a button is grey, or a run in no list, protects nothing.
- Play makes the reader an owner (lm/owners.py). A second reader who presses Play on the same configuration owns it too.
- Pause is for an owner, while no other owner watches the run: progress is kept, so one who has left loses nothing.
- Reset and Delete are for an owner. While others own the run, that owner only leaves it: it goes on for them.
- A run that is everybody's (from the terminal, say) is stopped and deleted by anyone, but not while another one watches.
  For a reader who is alone with the server every run is such a run.
- One lock for all of it: nobody becomes an owner of a run between the look at its owners and its deletion.
"""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Literal

from alibi_viz.jobs import Busy, Plan
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import Corpus
from alibi_viz.lm.owners import Owners
from alibi_viz.lm.records import Run
from alibi_viz.ui import reader
from pages.train import server

#: Why nothing was done. "": it was done; "left": for this reader alone.
Refusal = Literal["", "theirs", "watched", "shared", "elsewhere", "unwritable", "left"]
Standing = Literal["yours", "shared", "theirs", "everybodys"]
_LOCK = threading.RLock()


def owners() -> Owners:
    return Owners(server.jobs().store)


def play(config: TrainConfig, corpus: Corpus | None, plan: Plan, steps: int | None) -> None:
    """Start or resume a run as one of its owners. Raises ValueError, OSError or Busy, and then owns nothing new."""
    with _LOCK:
        me = reader.current().owner
        is_new = owners().join(config.hash, me)
        try:
            server.jobs().submit(config, corpus, plan, steps=steps)
        except Exception:
            if is_new:
                with suppress(OSError):
                    owners().leave(config.hash, me)
            raise


def pause(run_hash: str) -> Refusal:
    """Pause a run."""
    with _LOCK:
        refusal = _refusal(run_hash)
        if not refusal and others_here(run_hash) & _other_owners(run_hash):
            refusal = "shared"
        return refusal or _done(server.jobs().pause, run_hash)


def reset(run_hash: str) -> Refusal:
    """Stop an unfinished run and forget it; a finished one stays as it is."""
    with _LOCK:
        stored = server.jobs().store.get(run_hash)
        is_finished = stored is not None and stored.status == "finished"
        return "" if is_finished else _take_away(run_hash, finished_too=False)


def delete(run_hash: str) -> Refusal:
    """Stop a run and forget it, finished or not."""
    with _LOCK:
        return _take_away(run_hash, finished_too=True)


def _take_away(run_hash: str, *, finished_too: bool) -> Refusal:
    if refusal := _refusal(run_hash):
        return refusal
    if _other_owners(run_hash):
        try:
            owners().leave(run_hash, reader.current().owner)
        except OSError:
            return "unwritable"
        return "left"
    if refusal := _done(server.jobs().cancel, run_hash):
        return refusal
    if finished_too:
        server.jobs().store.delete(run_hash)
    return ""


def _done(stop: Callable[[str], None], run_hash: str) -> Refusal:
    try:
        stop(run_hash)
    except Busy:  # another server on this data folder, or a command, trains it
        return "elsewhere"
    return ""


def own_text(config: TrainConfig) -> Corpus | None:
    """The text that a run learns, if it is a reader's own, and in this reader's sight."""
    in_sight = config.has_own_text and owners().may_see(reader.current(), Run(config))
    return server.jobs().store.text(config.corpus) if in_sight else None


def standing(run_hash: str) -> Standing:
    """Whose a run is, as this reader sees it."""
    me = reader.current()
    now = None if me.alone else owners().of(run_hash)
    if now is None:
        return "everybodys"
    return "theirs" if me.owner not in now else "shared" if len(now) > 1 else "yours"


def others_here(run_hash: str) -> frozenset[str]:
    """The other readers who watch a run now."""
    return server.viewers().others(reader.current().owner, run_hash)


def _refusal(run_hash: str) -> Refusal:
    """Why this reader may do nothing to a run."""
    now = standing(run_hash)
    return "theirs" if now == "theirs" else "watched" if now == "everybodys" and others_here(run_hash) else ""


def _other_owners(run_hash: str) -> frozenset[str]:
    me = reader.current()
    return frozenset() if me.alone else (owners().of(run_hash) or frozenset()) - {me.owner}
