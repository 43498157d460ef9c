"""A server to be killed: `python -m tests.faults.server FOLDER ROUND`. It trains the runs of a round, as after Play.

Each line it writes is what a page would show now: {run: [sentence, steps and measurements done]}, the run's hash as key.
First comes what it shows before Play, and last how the runs ended.
"""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import replace
from pathlib import Path

from alibi_viz.jobs import Cluster, Jobs, Plan
from alibi_viz.lm.config import TrainConfig
from alibi_viz.lm.runs import RunStore

RUNS = 4  # of a round
PLAN = Plan(times=(1, 2), held_out=2_000, sample_every=100, sample_bytes=500)
SMALL = TrainConfig(length=16, width=16, heads=2, batch=4, steps=500)


def configs(number: int) -> list[TrainConfig]:
    """The runs of a round: other methods and seeds each time, texts and recall."""
    methods = ("alibi", "rope", "t5", "sinusoidal", "learned", "none")
    shapes = [replace(SMALL, method=methods[(number + run) % 6], seed=number) for run in range(RUNS)]
    return [replace(shape, corpus="recall") if run % 2 else shape for run, shape in enumerate(shapes)]


def main() -> None:
    from alibi_viz.lessons import load
    from pages.train import status

    lesson, chosen = load("train"), configs(int(sys.argv[2]))
    jobs = Jobs(RunStore(Path(sys.argv[1])), Cluster(workers=2), chunk=10)

    def show() -> bool:
        shown, active = {}, False
        for config in chosen:
            progress = jobs.progress(config.hash)
            if progress is not None:
                run = progress.run
                done = run.step + len(run.measurements) + len(run.interim_evaluations)
                shown[run.hash] = [status.status(lesson, progress), done]
                active |= run.is_active
        print(json.dumps(shown), flush=True)
        return active

    show()
    for config in chosen:
        jobs.submit(config, plan=PLAN)
    while show():
        time.sleep(0.1)
    jobs.close()


if __name__ == "__main__":
    os.environ["ALIBI_VIZ_NICE"] = "0"
    main()
