"""`make bench`: measure, print beside the last release, write out/bench.json.

python -m benchmarks             # all parts
python -m benchmarks fused room  # these alone
python -m benchmarks keep        # what out/bench.json says is the last release's: benchmarks/last.json
"""

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
from benchmarks.report import BARE, Figure, keep, show, write

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
    if sys.argv[1:] == ["keep"]:
        keep()
        return 0
    names = sys.argv[1:] or list(PARTS)
    unknown = [name for name in names if name not in PARTS]
    if unknown:
        print(f"There is no part “{unknown[0]}”; there are {', '.join(PARTS)}.", file=sys.stderr)
        return 2
    unit = crowd.bare("asyncio")
    figures = [Figure(BARE, unit, "ms", note="the unit in which times of two machines are compared")]
    for name in names:
        part = PARTS[name]()
        show(part, unit)  # at once: a later part may fail
        figures += part
        write(figures)
    return 0


if __name__ == "__main__":
    sys.exit(main())
