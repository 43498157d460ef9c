"""Runs on disk: `<data folder>/runs/<hash>/`, finished or half-finished, and readers' texts: `<data folder>/texts/`.

    run.json            what the run is and what it gave: read by people, pages and the command line
    model.safetensors   its weights, once it is finished
    state.safetensors   everything needed to go on, while it is not
    lock                held by the process that trains it

Notable choices:
- A file that cannot be read counts as missing: the store opens, and that run starts anew. run.json carries its own
  checksum, so what is read is what a training wrote, as a whole or not at all.
- Safetensors and JSON only. Nothing on disk is ever unpickled.
- One process writes a run. Its claim is a lock of the operating system (flock), which ends with the process however that
  ended. Where there are no such locks (Windows, some network drives), every claim is granted.
- run.json records the SHA-256 of the text; a state of another text (another Python's documentation) is not resumed.
"""

import errno
import hashlib
import json
import os
import platform
import re
import shutil
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import torch
from icu4py import icu_version
from torch import Tensor

from alibi_viz import __version__
from alibi_viz.checks import setting
from alibi_viz.files import not_writable, read_file, write_atomically
from alibi_viz.lessons import problems
from alibi_viz.lessons.problems import Problem
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import MAX_BYTES, TEXT_PREFIX, Corpus, built_in, own_key
from alibi_viz.lm.evaluation import Entry
from alibi_viz.lm.training import TrainState
from alibi_viz.lm.weights import read_weights, write_weights

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

RECORD, WEIGHTS, STATE, LOCK = "run.json", "model.safetensors", "state.safetensors", "lock"
MOST = 200  # runs in a list
LARGEST_RECORD = 32_000_000  # bytes; the longest lengths and trainings give about a twentieth of it
LARGEST_TEXT = 8 * MAX_BYTES  # bytes of a reader's text as JSON
CHECKSUM = b', "checksum": "'  # before the last value of a record
GRACE, DAY = 60.0, 86_400.0  # seconds
KEEP_DAYS = 30  # of a run that is not finished
Status = Literal["new", "waiting", "running", "paused", "finished", "failed"]


@dataclass(frozen=True)
class Run:
    """One training run: what run.json says."""

    config: TrainConfig
    corpus: str = ""  # SHA-256 of the text; empty for recall
    status: Status = "waiting"  # "new": not begun, so not on disk
    step: int = 0
    seconds: float = 0.0  # spent in training
    losses: tuple[float, ...] = ()  # training loss of every step, nats per byte
    evaluations: tuple[Entry, ...] = ()  # of the finished model; empty for recall
    interim_evaluations: tuple[Entry, ...] = ()  # of a sample, during training: with their "step"
    recall: tuple[Entry, ...] = ()  # of the finished model
    error: Problem | str = ""  # why it failed; a str: of a library, or kept by an earlier version
    made_with: dict[str, str] = field(default_factory=dict)  # versions and device
    browsers: tuple[str, ...] = ()  # hashes of the keys of those that asked for it; empty: everybody's

    @property
    def hash(self) -> str:
        return self.config.hash

    @property
    def is_active(self) -> bool:
        """Whether it is in line or trained now."""
        return self.status in ("waiting", "running")

    @property
    def is_trained(self) -> bool:
        return self.step >= self.config.steps

    @property
    def measurements(self) -> tuple[Entry, ...]:
        """Those of the finished model."""
        return self.recall if self.config.is_recall else self.evaluations

    def is_own(self, browser: str) -> bool:
        """Whether it belongs to this browser, or to everybody; "": one who is alone with the server, or in the terminal."""
        return not browser or not self.browsers or browser in self.browsers

    def to_dict(self) -> dict[str, Any]:
        error = self.error.to_plain() if isinstance(self.error, Problem) else self.error
        return vars(self) | {"config": self.config.to_dict(), "hash": self.hash, "error": error}

    def to_json(self) -> bytes:
        """What `from_json` reads back. Raises ValueError for a number that is not finite."""
        plain = json.dumps(self.to_dict(), allow_nan=False)[:-1].encode()
        return plain + CHECKSUM + _digest(plain) + b'"}'

    @classmethod
    def from_json(cls, data: bytes) -> "Run":
        """What `to_json` gave. Raises ValueError if it is something else."""
        plain, _, digest = data.rpartition(CHECKSUM)
        if digest != _digest(plain) + b'"}':
            raise ValueError("This record is not as it was written.")
        values: dict[str, Any] = json.loads(plain + b"}")
        values.pop("hash", None)
        values |= {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
        values |= {"config": TrainConfig(**values["config"]), "error": problems.read(values.get("error", ""))}
        return cls(**values)

    def after(self, state: TrainState) -> "Run":
        """The same run, as far as `state` has come."""
        losses = tuple(round(loss, 5) for loss in state.losses.tolist())
        return replace(self, corpus=state.corpus, step=state.step, seconds=round(state.seconds, 3), losses=losses)


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest().encode()


class RunStore:
    """The runs under a folder. Any process may read; who writes a run has claimed it. Safe from any thread.

    folder: None: ALIBI_VIZ_DATA, or `data` in the current folder.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.data = Path(os.environ.get("ALIBI_VIZ_DATA") or "data") if folder is None else folder
        self.folder, self.texts = self.data / "runs", self.data / "texts"
        self._claims: dict[str, int] = {}  # run -> its lock, open
        self._mutex = threading.Lock()

    def path(self, run_hash: str) -> Path:
        """Folder of a run. Raises ValueError for what is no hash: it can come from a URL."""
        if not re.fullmatch("[0-9a-f]{16}", run_hash):
            raise ValueError(f"A run is named by 16 hexadecimal digits, not {run_hash!r}.")
        return self.folder / run_hash

    def runs(self) -> list[Run]:
        """Every readable run, newest first; of more than MOST, the newest."""
        newest = sorted(_written(self.folder, RECORD).items(), key=lambda pair: -pair[1])[:MOST]
        return [run for folder, _ in newest if (run := self.get(folder.name)) is not None]

    def get(self, run_hash: str) -> Run | None:
        """The run of this hash, or None if it is missing or damaged."""
        with suppress(OSError, ValueError):
            path = self.path(run_hash) / RECORD
            facts = path.stat()
            run = _read_record(path, (facts.st_ino, facts.st_mtime_ns, facts.st_size))
            return run if run is not None and run.hash == run_hash else None
        return None

    def weights(self, run_hash: str) -> dict[str, Tensor] | None:
        """Weights of a finished run by parameter name, float32, or None."""
        run = self.get(run_hash)
        with suppress(OSError, ValueError):
            return read_weights(self.path(run_hash) / WEIGHTS, run.config.largest_file) if run else None
        return None

    def state(self, run_hash: str) -> TrainState | None:
        """Where a half-finished run stands, or None."""
        run = self.get(run_hash)
        if run is None:
            return None
        with suppress(OSError, ValueError):
            # A state holds the weights and two averages of each, and a loss of four bytes a step.
            most = 3 * run.config.largest_file + 4 * run.config.steps
            state = TrainState.from_bytes(read_file(self.path(run_hash) / STATE, most))
            state.check()
            return state if state.config.hash == run_hash else None
        return None

    def save(self, run: Run, state: TrainState | bytes | None = None) -> None:
        """Write a run and, while it is not finished, the state to go on from.

        Raises FileNotFoundError if its folder was removed while it was claimed, another OSError if it cannot be written.
        """
        folder = self._writable(run)
        if state is not None:
            write_atomically(folder / STATE, state if isinstance(state, bytes) else state.to_bytes())
        write_atomically(folder / RECORD, run.to_json())

    def finish(self, run: Run, weights: dict[str, Tensor]) -> None:
        """Write a finished run with its weights; the state is no longer needed. Errors as for `save`."""
        folder = self._writable(run)
        write_weights(folder / WEIGHTS, weights)
        self.save(run)
        (folder / STATE).unlink(missing_ok=True)

    def _writable(self, run: Run) -> Path:
        folder, handle = self.path(run.hash), self._claims.get(run.hash)
        if handle is None:
            folder.mkdir(parents=True, exist_ok=True)
        elif not os.path.samestat(os.fstat(handle), os.stat(folder / LOCK)):
            raise FileNotFoundError(errno.ENOENT, "the folder is another one")
        return folder

    def delete(self, run_hash: str) -> None:
        """Remove a run; nothing happens if it is not there, or if another process trains it."""
        if not self.is_elsewhere(run_hash):
            shutil.rmtree(self.path(run_hash), ignore_errors=True)

    def claim(self, run_hash: str) -> bool:
        """Whether this process alone may write the run, from now on. Raises ValueError if nothing can be written there."""
        with self._mutex:
            if run_hash in self._claims:
                return True
            try:
                self.path(run_hash).mkdir(parents=True, exist_ok=True)
                handle = _lock(self.path(run_hash) / LOCK)
            except OSError as error:
                raise not_writable(error) from None
            if handle is not None:
                self._claims[run_hash] = handle
            return handle is not None

    def release(self, run_hash: str) -> None:
        """Give a claim back; nothing happens if it is not ours."""
        with self._mutex, suppress(OSError):
            os.close(self._claims.pop(run_hash, -1))

    def is_elsewhere(self, run_hash: str) -> bool:
        """Whether another process has claimed this run."""
        path = self.path(run_hash) / LOCK
        with self._mutex, suppress(OSError):
            if run_hash not in self._claims and path.exists():
                handle = _lock(path)
                if handle is None:
                    return True
                os.close(handle)
        return False

    def make_room(self, now: float | None = None) -> None:
        """Delete what was written longest ago: unfinished runs of KEEP_DAYS before, and, as long as all runs and texts
        take more than ALIBI_VIZ_KEEP_MB, unfinished runs, then finished ones. A text goes with its last run.
        """
        now = time.time() if now is None else now
        before = now - KEEP_DAYS * DAY
        room = setting("ALIBI_VIZ_KEEP_MB", 4_000, 20, 10_000_000) * 1_000_000
        texts, runs = _written(self.texts), _written(self.folder)
        for folder in runs:
            runs[folder] = max((runs[folder], *_written(folder).values()))
        sizes = {path: sum(_size(part) for part in (path, *_written(path))) for path in (*runs, *texts)}
        total, finished = sum(sizes.values()), {folder for folder in runs if (folder / WEIGHTS).exists()}
        for folder, written in sorted(runs.items(), key=lambda pair: (pair[0] in finished, pair[1])):
            is_old = folder not in finished and written < before
            if (is_old or total > room) and now - written > GRACE and re.fullmatch("[0-9a-f]{16}", folder.name):
                self.delete(folder.name)
                total -= 0 if folder.exists() else sizes[folder]
        learned = {run.config.corpus for folder in _written(self.folder) if (run := self.get(folder.name))}
        for text, written in texts.items():
            if TEXT_PREFIX + text.stem not in learned and now - written > GRACE:
                with suppress(OSError):
                    text.unlink()

    def save_text(self, corpus: Corpus) -> None:
        """Keep a reader's text, so that a run on it can be resumed after a restart."""
        path = self._text_path(corpus.key)
        path.parent.mkdir(parents=True, exist_ok=True)
        plain = {"train": corpus.train.decode(), "held_out": corpus.held_out.decode()}
        write_atomically(path, json.dumps(plain).encode())

    def text(self, key: str) -> Corpus | None:
        """The text kept by `save_text`, or None."""
        with suppress(OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            stored = json.loads(read_file(self._text_path(key), LARGEST_TEXT))
            train, held_out = stored["train"].encode(), stored["held_out"].encode()
            if own_key(train, held_out) == key:
                return Corpus(key, train, held_out)
        return None

    def _text_path(self, key: str) -> Path:
        digits = key.removeprefix(TEXT_PREFIX)
        if set(digits) - set("0123456789abcdef"):
            raise ValueError(f"There is no text {key!r}.")
        return self.texts / f"{digits}.json"


@lru_cache(maxsize=MOST + 56)
def _read_record(path: Path, stamp: tuple[int, ...]) -> Run | None:
    """The run of a record, or None if it is damaged. stamp: another one for another file at this path."""
    with suppress(ValueError, TypeError, KeyError, RecursionError):
        return Run.from_json(read_file(path, LARGEST_RECORD))
    return None


def _written(folder: Path, part: str = "") -> dict[Path, float]:
    """When each entry of a folder, or this part of it, was written, in seconds since 1970; without those that lack it."""
    times: dict[Path, float] = {}
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                times[Path(entry.path)] = os.stat(os.path.join(entry.path, part) if part else entry.path).st_mtime
    return times


def _size(path: Path) -> int:
    with suppress(OSError):
        return path.lstat().st_size
    return 0


def _lock(path: Path) -> int | None:
    """The locked file, open; None if another process has it. Raises OSError if it cannot be opened."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    handle = os.open(path, flags, 0o600)
    for _ in range(5 if fcntl else 0):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return handle
        except BlockingIOError:
            time.sleep(0.01)  # who asks whether a run is claimed holds its lock for a moment
        except OSError:
            return handle
    if fcntl is None:
        return handle
    os.close(handle)
    return None


def corpus_for(config: TrainConfig, store: RunStore | None = None) -> Corpus | None:
    """The text of a configuration; None for recall. Raises ValueError for a reader's text that is not stored here."""
    if config.is_recall:
        return None
    corpus = built_in(config.corpus) or (store.text(config.corpus) if store else None)
    if corpus is None:
        raise Problem("texts.not_kept", text=config.corpus)
    return corpus


def environment(device: str = "cpu") -> dict[str, str]:
    """What a result depends on besides its configuration: versions and device."""
    label = "CPU" if device == "cpu" else f"{device}: {torch.cuda.get_device_name()}" if "cuda" in device else device
    return {
        "alibi_viz": __version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "machine": f"{platform.system()} {platform.machine()}",
        "device": label,
        "threads": str(torch.get_num_threads()),
        "icu": icu_version,  # which cuts texts into words, by its dictionaries
    }
