"""What of the data folder goes, and when: paused runs and readers' texts that nobody came back to, oldest first.

Notable choices:
- A server sweeps when it makes its queue and after each run's end. A sweep looks at names, ages and sizes; it opens the
  records of runs only if there are texts. The command line never sweeps: there a reader is alone.
- An unfinished run goes as a whole: half of one is of no use. A finished run has no age. Its result goes only when the
  whole folder is over its limit, after everything unfinished.
- A text goes with the last run that learned it. Never one that an unfinished run needs to go on.
- What the queue holds never goes, nor what another process trains, nor what was written within the last minute: a text is
  there a moment before its run.
- Age counts from the last write: a run that is resumed is young again, and so is its text. The clock is looked at once,
  when the process starts: one that is set forward later makes nothing old.
- What cannot be read or deleted is left, and the rest goes on.
"""

import math
import os
import re
import stat
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from alibi_viz.checks import setting
from alibi_viz.lm.runs import TEXT_PREFIX, WEIGHTS, RunStore

MB = 1_000_000
GRACE, DAY = 60.0, 86_400.0  # seconds
_BEGAN = time.time() - time.monotonic()
_RUN = re.compile("[0-9a-f]{16}")


@dataclass(frozen=True)
class Keep:
    """How much is kept; README.md, "Settings"."""

    days: float = 30  # of an unfinished run and of a text, since the last write
    unfinished_bytes: int = 1_000 * MB
    text_bytes: int = 200 * MB
    total_bytes: int = 4_000 * MB  # of all runs and texts
    total_items: int = 10_000

    @classmethod
    def from_settings(cls) -> "Keep":
        """As the environment says. Raises ValueError, in one sentence, for what is no number in range."""
        total = setting("ALIBI_VIZ_KEEP_MB", cls.total_bytes // MB, 20, 10_000_000) * MB
        days = setting("ALIBI_VIZ_KEEP_DAYS", int(cls.days), 1, 3_650)
        return cls(days, total // 4, total // 20, total)


@dataclass(frozen=True)
class Item:
    """A run or a text on disk."""

    path: Path
    key: str  # hash of the run, or name of the text in a configuration
    size: int  # bytes
    written: float  # seconds since 1970
    is_finished: bool = False  # a run with its weights, which are written when it has all its measurements


def sweep(
    store: RunStore, active: Collection[str] = (), keep: Keep | None = None, now: float | None = None
) -> list[Item]:
    """Delete what is over the limits. active: hashes of the runs that the queue holds. Returns what is gone."""
    keep, now = keep or Keep(), _BEGAN + time.monotonic() if now is None else now
    before = now - keep.days * DAY

    def is_idle(item: Item) -> bool:
        return item.key not in active and now - item.written > GRACE

    runs, texts = _runs(store.folder), _texts(store.texts)
    unfinished = [run for run in runs if not run.is_finished]
    gone = _surplus(unfinished, is_idle, keep.unfinished_bytes, before)
    learned, needed = _corpora(store, [run for run in runs if run not in gone]) if texts else (set(), set())
    gone += [text for text in texts if is_idle(text) and text.key not in learned]
    texts = [text for text in texts if text not in gone]

    def may_go(item: Item) -> bool:
        return is_idle(item) and item.key not in needed

    gone += _surplus(texts, may_go, keep.text_bytes, before)
    # Unfinished runs first, then texts, then results.
    rest = [item for item in (*unfinished, *texts, *(run for run in runs if run.is_finished)) if item not in gone]
    gone += _surplus(rest, may_go, keep.total_bytes, most=keep.total_items)
    return [item for item in gone if _delete(store, item)]


def _delete(store: RunStore, item: Item) -> bool:
    if item.path.parent == store.texts:
        with suppress(OSError):
            item.path.unlink()
    else:
        store.delete(item.key)
    return not item.path.exists()


def _surplus(
    items: Sequence[Item],
    may_go: Callable[[Item], bool],
    most_bytes: int,
    before: float = -math.inf,
    *,
    most: float = math.inf,
) -> list[Item]:
    """Of items in the order in which they go: those written before a time, and as many as bring the rest within limits."""
    gone, size, count = list[Item](), sum(item.size for item in items), len(items)
    for item in items:
        if may_go(item) and (item.written < before or size > most_bytes or count > most):
            gone.append(item)
            size, count = size - item.size, count - 1
    return gone


def _corpora(store: RunStore, runs: Sequence[Item]) -> tuple[set[str], set[str]]:
    """The texts that these runs learned, and those that the unfinished ones of them need."""
    records = [record for run in runs if (record := store.get(run.key)) is not None]
    needed = {record.config.corpus for record in records if record.status != "finished"}
    return {record.config.corpus for record in records}, needed


def _runs(folder: Path) -> list[Item]:
    """The runs of a folder, oldest first."""
    items = []
    for entry in _entries(folder):
        if _RUN.fullmatch(entry.name):
            parts = _entries(entry.path)
            is_finished = any(part.name == WEIGHTS for part in parts)
            items.append(Item(Path(entry.path), entry.name, *_facts([entry, *parts]), is_finished))
    return _by_age(items)


def _texts(folder: Path) -> list[Item]:
    """The texts of a folder, oldest first; also what a broken write left."""
    paths = {Path(entry.path): entry for entry in _entries(folder)}
    return _by_age(Item(path, TEXT_PREFIX + path.stem, *_facts([entry])) for path, entry in paths.items())


def _by_age(items: Iterable[Item]) -> list[Item]:
    return sorted(items, key=lambda item: (item.written, item.key))


def _facts(parts: Iterable[os.DirEntry[str]]) -> tuple[int, float]:
    """Bytes of these files, and when the newest of them was written."""
    size, written = 0, 0.0
    for part in parts:
        with suppress(OSError):  # gone by now
            facts = part.stat(follow_symlinks=False)
            written = max(written, facts.st_mtime)
            size += facts.st_size if stat.S_ISREG(facts.st_mode) else 0
    return size, written


def _entries(folder: str | Path) -> list[os.DirEntry[str]]:
    with suppress(OSError), os.scandir(folder) as found:
        return list(found)
    return []
