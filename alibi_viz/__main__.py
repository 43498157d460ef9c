"""`python -m alibi_viz`: the command line of alibi_viz.cli."""

import sys

from alibi_viz.cli.slopes import main

sys.exit(main())
