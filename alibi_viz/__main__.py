"""`python -m alibi_viz`, and `alibi-viz` where it is installed: see alibi_viz.cli.

Ctrl-C ends the process without a traceback. A command that has something to finish takes the signal over.
"""

import os
import signal
import sys

INTERRUPTED = 128 + signal.SIGINT


def main() -> int:
    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))

    from alibi_viz import cli

    try:
        return cli.main(sys.argv[1:])
    finally:
        # All is done. Python's own end would print a traceback, or end by the signal (-2 in place of the status).
        signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    sys.exit(main())
