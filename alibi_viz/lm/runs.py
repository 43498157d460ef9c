"""Runs on disk: `<data folder>/runs/<hash>/`, finished or half-finished.

    run.json            what the run is and what it gave: read by people, pages and the command line
    model.safetensors   its weights, once it is finished
    state.safetensors   everything needed to go on, while it is not

Notable choices:
- A file is written beside its place, flushed to the disk, then renamed over it: at every moment either the old file
  stands there or the new one. Power cuts and kills cost at most the last chunk.
- What is not readable counts as not there: a folder that was damaged by other means opens, and that run starts anew.
  A record is checked once, by `records`, when it is read.
- A page lists the runs again and again, so records that were read are kept while their files stay the same. What finds
  no room is read each time: a few runs more make a list a little slower, never all of it.
- Safetensors and JSON only. Nothing on disk is ever unpickled.
- A run belongs to the text it was trained on: run.json records the corpus' SHA-256, and a state of another text
  (another Python version's documentation) is not resumed.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import shutil
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import torch
from torch import Tensor

from alibi_viz import __version__
from alibi_viz.files import read_weights, write_atomically, write_weights
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import BUILT_IN, MAX_BYTES, Corpus, own_key, python_docs
from alibi_viz.lm.records import checked
from alibi_viz.lm.training import TrainState

Status = Literal["waiting", "running", "paused", "finished", "failed", "cancelled"]
RECORD, WEIGHTS, STATE = "run.json", "model.safetensors", "state.safetensors"
MOST = 1000  # runs in a list
LARGEST_RECORD = 32_000_000  # bytes; the longest lengths and trainings give about a twentieth of it
KEPT_BYTES = 64_000_000  # of records, kept in memory; there they need about four times as much
LARGEST_TEXT = 8 * MAX_BYTES  # bytes of a reader's text as JSON


def data_folder() -> Path:
    """Where runs are kept: ALIBI_VIZ_DATA, or `data` in the current folder."""
    return Path(os.environ.get("ALIBI_VIZ_DATA") or "data")


@dataclass(frozen=True)
class Run:
    """What run.json says."""

    config: TrainConfig
    corpus: str = ""  # SHA-256 of the text; empty for recall
    status: Status = "waiting"
    step: int = 0
    seconds: float = 0.0  # spent in training
    losses: tuple[float, ...] = ()  # training loss of every step, nats per byte
    evaluations: tuple[dict[str, Any], ...] = ()  # of the finished model: `Evaluation.to_dict` or `Missing.to_dict`
    on_the_way: tuple[dict[str, Any], ...] = ()  # the same of a short sample while training went on, with "step"
    recall: tuple[dict[str, Any], ...] = ()  # recall: {"length": distance in bytes, "accuracy": share}
    error: str = ""  # why it failed, in one sentence
    made_with: dict[str, str] = field(default_factory=dict)  # versions and device

    @property
    def hash(self) -> str:
        return self.config.hash

    def to_dict(self) -> dict[str, Any]:
        plain = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return {**plain, "config": self.config.to_dict(), "hash": self.hash}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Run:
        """What `to_dict` gave.

        Raises:
            ValueError: if it is something else.
        """
        if not isinstance(data, dict) or "config" not in data:
            raise ValueError("A run must be a table of names and values with a configuration.")
        config = TrainConfig.from_dict(data["config"])
        return cls(config, **checked(data, config, Status))

    def after(self, state: TrainState) -> Run:
        """The same run, as far as `state` has come."""
        losses = tuple(round(loss, 5) for loss in state.losses.tolist())
        return replace(self, corpus=state.corpus, step=state.step, seconds=round(state.seconds, 3), losses=losses)


class RunStore:
    """The runs under a folder. Only one process may write a run at a time; any number may read."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = (data_folder() if folder is None else folder) / "runs"

    def path(self, run: str) -> Path:
        """Folder of a run by its hash.

        Raises:
            ValueError: if it is no hash; a hash can come from a URL.
        """
        if len(run) != 16 or set(run) - set("0123456789abcdef"):
            raise ValueError(f"A run is named by 16 hexadecimal digits, not {run!r}.")
        return self.folder / run

    def runs(self) -> list[Run]:
        """Every readable run, newest first; of more than MOST, the newest."""
        found: list[tuple[float, Path]] = []
        with contextlib.suppress(OSError), os.scandir(self.folder) as folders:
            for folder in folders:
                with contextlib.suppress(OSError):
                    found.append((os.stat(os.path.join(folder.path, RECORD)).st_mtime, Path(folder.path)))
        newest = [folder for _, folder in sorted(found, reverse=True)[:MOST]]
        _records.keep_only(folder / RECORD for folder in newest)
        return [run for folder in newest if (run := self.get(folder.name)) is not None]

    def get(self, run: str) -> Run | None:
        """The run of this hash, or None if it is not there or not readable."""
        try:
            read = _records.read(self.path(run) / RECORD)
        except (OSError, ValueError):
            return None
        return read if read is not None and read.hash == run else None

    def weights(self, run: str) -> dict[str, Tensor] | None:
        """Weights of a finished run by parameter name, float32, or None."""
        try:
            return read_weights(self.path(run) / WEIGHTS)
        except (OSError, ValueError):
            return None

    def state(self, run: str) -> TrainState | None:
        """Where a half-finished run stands, or None."""
        try:
            state = TrainState.from_bytes((self.path(run) / STATE).read_bytes())
        except (OSError, ValueError):
            return None
        return state if state.config.hash == run else None

    def save(self, run: Run, state: TrainState | bytes | None = None) -> None:
        """Write a run and, while it is not finished, the state to go on from."""
        folder = self.path(run.hash)
        folder.mkdir(parents=True, exist_ok=True)
        if state is not None:
            write_atomically(folder / STATE, state if isinstance(state, bytes) else state.to_bytes())
        write_atomically(folder / RECORD, json.dumps(run.to_dict(), allow_nan=False).encode())

    def finish(self, run: Run, weights: dict[str, Tensor]) -> None:
        """Write a finished run with its weights; the state is no longer needed."""
        folder = self.path(run.hash)
        folder.mkdir(parents=True, exist_ok=True)
        write_weights(folder / WEIGHTS, weights)
        self.save(run)
        (folder / STATE).unlink(missing_ok=True)

    def delete(self, run: str) -> None:
        """Remove a run; nothing happens if it is not there."""
        shutil.rmtree(self.path(run), ignore_errors=True)

    def save_text(self, corpus: Corpus) -> None:
        """Keep a reader's text, so that a run on it can be resumed after a restart."""
        path = self._text_path(corpus.key)
        path.parent.mkdir(parents=True, exist_ok=True)
        plain = {"title": corpus.title, "train": corpus.train.decode(), "held_out": corpus.held_out.decode()}
        write_atomically(path, json.dumps(plain).encode())

    def text(self, key: str) -> Corpus | None:
        """The text kept by `save_text`, or None."""
        try:
            path = self._text_path(key)
            if path.stat().st_size > LARGEST_TEXT:
                return None
            plain = json.loads(path.read_text(encoding="utf-8"))
            title, train, held_out = (plain[name].encode() for name in ("title", "train", "held_out"))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None
        return Corpus(key, title.decode(), train, held_out) if own_key(train, held_out) == key else None

    def _text_path(self, key: str) -> Path:
        name = key.removeprefix("text:")
        if set(name) - set("0123456789abcdef"):
            raise ValueError(f"There is no text {key!r}.")
        return self.folder.parent / "texts" / f"{name}.json"


class _Records:
    """Records that were read, each as long as its file stays the same. Safe from any thread."""

    def __init__(self) -> None:
        self._kept: dict[Path, tuple[tuple[int, ...], Run | None]] = {}
        self._lock = threading.Lock()

    def read(self, record: Path) -> Run | None:
        """What a record says, or None if it is damaged.

        Raises:
            OSError: if it is not there.
        """
        found = record.stat()
        stamp = (found.st_ino, found.st_mtime_ns, found.st_size)
        with self._lock:
            known = self._kept.get(record)
        if known is not None and known[0] == stamp:
            return known[1]
        run = _read(record) if found.st_size <= LARGEST_RECORD else None
        with self._lock:
            self._kept.pop(record, None)
            if len(self._kept) < MOST and self.size + found.st_size <= KEPT_BYTES:
                self._kept[record] = stamp, run
        return run

    @property
    def size(self) -> int:
        """Bytes on disk of the records kept."""
        return sum(stamp[-1] for stamp, _ in self._kept.values())

    def keep_only(self, records: Iterable[Path]) -> None:
        """Forget all other records."""
        wanted = set(records)
        with self._lock:
            self._kept = {record: known for record, known in self._kept.items() if record in wanted}


def _read(record: Path) -> Run | None:
    try:
        return Run.from_dict(json.loads(record.read_text(encoding="utf-8")))
    except (ValueError, RecursionError):
        return None


_records = _Records()


def corpus_for(config: TrainConfig, store: RunStore | None = None) -> Corpus | None:
    """The text of a configuration; None for recall, which makes its own.

    Raises:
        ValueError: if it is a reader's text that is not kept here.
    """
    if config.is_recall:
        return None
    if config.corpus == BUILT_IN:
        return python_docs()
    corpus = store.text(config.corpus) if store else None
    if corpus is None:
        raise ValueError(f"The text {config.corpus!r} is not kept on this machine.")
    return corpus


def made_with(device: str = "cpu") -> dict[str, str]:
    """What a result depends on beside its configuration: versions and device."""
    label = "CPU" if device == "cpu" else f"{device}: {torch.cuda.get_device_name()}" if "cuda" in device else device
    return {
        "alibi_viz": __version__,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "machine": f"{platform.system()} {platform.machine()}",
        "device": label,
        "threads": str(torch.get_num_threads()),
    }
