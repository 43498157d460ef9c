"""A measurement in a process of its own: FlexAttention, whose compiler would keep a server busy for seconds at a time.

The steps are those of a measurement in this process: the caller takes them one by one, and stops by closing the iterator,
which ends the process. Nothing is known before the end, so the share that is done is a guess from the time.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import product

import torch

from alibi_viz.cost.plan import TimingPlan
from alibi_viz.cost.timing import CallTimes

USUAL, LONGEST = 40.0, 240.0  # seconds
PAUSE = 0.05


def steps(plan: TimingPlan, into: CallTimes) -> Iterator[float]:
    """The share that is done, about twenty times a second. A process that fails leaves all cases out, with a sentence."""
    command = [sys.executable, "-m", "alibi_viz.cost.plan", plan.to_json(), str(torch.get_num_threads())]
    began = time.monotonic()
    with tempfile.TemporaryFile("w+") as said, tempfile.TemporaryDirectory() as compiled:
        environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": compiled}  # gone when all is done
        process = subprocess.Popen(command, stdout=said, stderr=subprocess.DEVNULL, env=environment)
        try:
            while process.poll() is None and (took := time.monotonic() - began) < LONGEST:
                yield min(took / USUAL, 0.99)
                time.sleep(PAUSE)
        finally:
            process.kill()
            process.wait()
        said.seek(0)
        _take(said.read(), plan, into)
    yield 1.0


def _take(said: str, plan: TimingPlan, into: CallTimes) -> None:
    """What the process printed last: compilers may print before it."""
    try:
        measured = CallTimes.from_json(said.strip().splitlines()[-1])
    except (IndexError, ValueError, KeyError, TypeError):
        measured = CallTimes(left_out=dict.fromkeys(product(plan.names, plan.lengths), "It did not end as it should."))
    into.seconds.update(measured.seconds)
    into.left_out.update(measured.left_out)
