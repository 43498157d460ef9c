"""`python -m alibi_viz`, and `alibi-viz` where it is installed: see alibi_viz.cli.

Its imports may take a second or two. Ctrl-C in that time ends the process without a traceback: nothing has begun.
"""

import os
import signal
import sys

INTERRUPTED = 128 + signal.SIGINT


def main() -> int:
    signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))

    from alibi_viz import cli

    arguments = sys.argv[1:]
    app = cli.load(arguments)
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        return cli.main(arguments, app)
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        # All is done. Python's own end would print a traceback, or end by the signal (-2 in place of the status).
        signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    sys.exit(main())
