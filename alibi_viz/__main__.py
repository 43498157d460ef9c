"""`python -m alibi_viz`: see alibi_viz.cli."""

import sys

from alibi_viz.cli import main

sys.exit(main())
