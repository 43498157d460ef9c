"""`make bench`: measure, print, write out/bench.json. Name a part to measure it alone: fused, training, ..."""

from __future__ import annotations

import sys

from benchmarks import (
    cold,
    compare,
    crowd,
    drags,
    extrapolation,
    first_page,
    fused,
    load,
    pages,
    room,
    training,
)
from benchmarks.report import Figure, show, write

PARTS = {
    "fused": fused.measure,
    "drags": drags.measure,
    "pages": pages.measure,
    "first_page": first_page.measure,
    "room": room.measure,
    "load": load.measure_readers,
    "opened": crowd.measure_opened,
    "changes": crowd.measure_changes,
    "beside_training": crowd.measure_training,
    "readers_memory": crowd.measure_memory,
    "compare": compare.measure,
    "training": training.measure,
    "cold": cold.measure,
    "extrapolation": extrapolation.measure,
}


def main() -> int:
    names = sys.argv[1:] or list(PARTS)
    unknown = [name for name in names if name not in PARTS]
    if unknown:
        print(f"There is no part “{unknown[0]}”; there are {', '.join(PARTS)}.", file=sys.stderr)
        return 2
    figures: list[Figure] = []
    for name in names:
        part = PARTS[name]()
        show(part)  # at once: a later part may fail
        figures += part
        write(figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
