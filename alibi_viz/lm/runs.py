"""Runs on disk: `<data folder>/runs/<hash>/`, finished or half-finished.

    run.json            what the run is and what it gave: read by people, pages and the command line
    model.safetensors   its weights, once it is finished
    state.safetensors   everything needed to go on, while it is not

Notable choices:
- Files are written atomically: power cuts and kills cost at most the last chunk.
- A file that cannot be read counts as missing: the store opens, and that run starts anew.
- A page lists the runs again and again, so parsed records are cached while their files stay the same. What does not
  fit is read each time: a few runs more make a list a little slower, never all of it.
- Safetensors and JSON only. Nothing on disk is ever unpickled.
- run.json records the SHA-256 of the text; a state of another text (another Python's documentation) is not resumed.
"""

import json
import os
import platform
import re
import shutil
import threading
from contextlib import suppress
from pathlib import Path
from typing import Literal

import torch
from pydantic import TypeAdapter
from torch import Tensor

from alibi_viz import __version__
from alibi_viz.files import read_file, read_weights, write_atomically, write_weights
from alibi_viz.lm.claims import Claims
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.corpus import (
    BUILT_IN,
    MAX_BYTES,
    TEXT_PREFIX,
    Corpus,
    own_key,
    python_text,
)
from alibi_viz.lm.records import Run
from alibi_viz.lm.training import TrainState

RECORD, WEIGHTS, STATE = "run.json", "model.safetensors", "state.safetensors"
MOST = 1000  # runs in a list
LARGEST_RECORD = 32_000_000  # bytes; the longest lengths and trainings give about a twentieth of it
CACHE_BYTES = 64_000_000  # of records, kept in memory; there they need about four times as much
LARGEST_TEXT = 8 * MAX_BYTES  # bytes of a reader's text as JSON
_STORED_TEXT = TypeAdapter(dict[Literal["title", "train", "held_out"], str])


def data_folder() -> Path:
    """Where runs are kept: ALIBI_VIZ_DATA, or `data` in the current folder."""
    return Path(os.environ.get("ALIBI_VIZ_DATA") or "data")


class RunStore:
    """The runs under a folder. Only one process may write a run at a time (`claims`); any number may read."""

    def __init__(self, folder: Path | None = None) -> None:
        data = data_folder() if folder is None else folder
        self.folder, self.texts = data / "runs", data / "texts"
        self.claims = Claims(self.path)

    def path(self, run_hash: str) -> Path:
        """Folder of a run. Raises ValueError for what is no hash: it can come from a URL."""
        if not re.fullmatch("[0-9a-f]{16}", run_hash):
            raise ValueError(f"A run is named by 16 hexadecimal digits, not {run_hash!r}.")
        return self.folder / run_hash

    def runs(self) -> list[Run]:
        """Every readable run, newest first; of more than MOST, the newest."""
        modified: dict[Path, float] = {}
        with suppress(OSError), os.scandir(self.folder) as folders:
            for folder in folders:
                with suppress(OSError):
                    modified[Path(folder.path)] = os.stat(os.path.join(folder.path, RECORD)).st_mtime
        newest = sorted(modified, key=modified.__getitem__, reverse=True)[:MOST]
        _cache.keep_only({folder / RECORD for folder in newest})
        return [run for folder in newest if (run := self.get(folder.name)) is not None]

    def get(self, run_hash: str) -> Run | None:
        """The run of this hash, or None if it is missing or damaged."""
        with suppress(OSError, ValueError):
            run = _cache.read(self.path(run_hash) / RECORD)
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
        """Write a run and, while it is not finished, the state to go on from."""
        folder = self._folder(run)
        if state is not None:
            write_atomically(folder / STATE, state if isinstance(state, bytes) else state.to_bytes())
        write_atomically(folder / RECORD, json.dumps(run.to_dict(), allow_nan=False).encode())

    def finish(self, run: Run, weights: dict[str, Tensor]) -> None:
        """Write a finished run with its weights; the state is no longer needed."""
        folder = self._folder(run)
        write_weights(folder / WEIGHTS, weights)
        self.save(run)
        (folder / STATE).unlink(missing_ok=True)

    def _folder(self, run: Run) -> Path:
        """The folder to write a run into. Raises FileNotFoundError if it was removed while the run was ours."""
        self.claims.check(run.hash)
        folder = self.path(run.hash)
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def delete(self, run_hash: str) -> None:
        """Remove a run; nothing happens if it is not there, or if another process trains it."""
        if not self.claims.is_elsewhere(run_hash):
            shutil.rmtree(self.path(run_hash), ignore_errors=True)

    def save_text(self, corpus: Corpus) -> None:
        """Keep a reader's text, so that a run on it can be resumed after a restart."""
        path = self._text_path(corpus.key)
        path.parent.mkdir(parents=True, exist_ok=True)
        plain = {"title": corpus.title, "train": corpus.train.decode(), "held_out": corpus.held_out.decode()}
        write_atomically(path, json.dumps(plain).encode())

    def text(self, key: str) -> Corpus | None:
        """The text kept by `save_text`, or None."""
        with suppress(OSError, ValueError, KeyError):
            path = self._text_path(key)
            stored = _STORED_TEXT.validate_json(read_file(path, LARGEST_TEXT), strict=True)
            corpus = Corpus(key, stored["title"], stored["train"].encode(), stored["held_out"].encode())
            return corpus if own_key(corpus.train, corpus.held_out) == key else None
        return None

    def _text_path(self, key: str) -> Path:
        digits = key.removeprefix(TEXT_PREFIX)
        if set(digits) - set("0123456789abcdef"):
            raise ValueError(f"There is no text {key!r}.")
        return self.texts / f"{digits}.json"


class _RecordCache:
    """Records that were read, each as long as its file stays the same. Safe from any thread."""

    def __init__(self) -> None:
        self._records: dict[Path, tuple[tuple[int, ...], Run | None]] = {}  # path -> (stamp, run or None if damaged)
        self._lock = threading.Lock()

    def read(self, path: Path) -> Run | None:
        """The run of a record, or None if it is damaged. Raises OSError if there is no such file."""
        facts = path.stat()
        stamp = (facts.st_ino, facts.st_mtime_ns, facts.st_size)
        with self._lock:
            cached = self._records.get(path)
        if cached is not None and cached[0] == stamp:
            return cached[1]
        run = None
        with suppress(ValueError):
            run = Run.from_json(read_file(path, LARGEST_RECORD))
        with self._lock:
            self._records.pop(path, None)
            size = sum(stamp[-1] for stamp, _ in self._records.values())
            if len(self._records) < MOST and size + facts.st_size <= CACHE_BYTES:
                self._records[path] = stamp, run
        return run

    def keep_only(self, paths: set[Path]) -> None:
        """Forget all other records."""
        with self._lock:
            self._records = {path: cached for path, cached in self._records.items() if path in paths}


_cache = _RecordCache()


def corpus_for(config: TrainConfig, store: RunStore | None = None) -> Corpus | None:
    """The text of a configuration; None for recall. Raises ValueError for a reader's text that is not stored here."""
    if config.is_recall:
        return None
    if config.corpus == BUILT_IN:
        return python_text()
    corpus = store.text(config.corpus) if store else None
    if corpus is None:
        raise ValueError(f"The text {config.corpus!r} is not kept on this machine.")
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
    }
