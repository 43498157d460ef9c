"""`python -m alibi_viz.jobs.settings`: the environment of a scheduler, its workers and its clients, as one JSON object.

The keys are made anew. For `alibi_viz serve`, whose servers share one scheduler.
"""

import json

from distributed import Security

from alibi_viz.jobs.cluster import KEEP_MEMORY, QUIET, keys


def main() -> None:
    settings = KEEP_MEMORY | QUIET | keys(Security.temporary())
    print(json.dumps({name: str(value) for name, value in settings.items()}))


if __name__ == "__main__":
    main()
