"""`python -m alibi_viz`: see alibi_viz.cli.

The imports below take a second or two. Ctrl-C in that time ends the process without a traceback: nothing has begun.
"""

import os
import signal
import sys

INTERRUPTED = 128 + signal.SIGINT

signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))

from alibi_viz.cli import main  # noqa: E402

signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    sys.exit(main())
except KeyboardInterrupt:
    sys.exit(INTERRUPTED)
