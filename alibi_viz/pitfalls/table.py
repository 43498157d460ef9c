"""All pitfalls: each a wrong and a right function, and a row of this table.

Where each really happened is told in the lesson; tests/unit/test_pitfalls.py runs every check on both versions.
"""

from alibi_viz.pitfalls.base import Pitfall
from alibi_viz.pitfalls.bias import BIAS
from alibi_viz.pitfalls.slopes import SLOPES
from alibi_viz.pitfalls.using import USING

#: Name -> pitfall, in the order in which they are shown.
PITFALLS: dict[str, Pitfall] = SLOPES | BIAS | USING
