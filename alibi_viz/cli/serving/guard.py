"""Ends what a server leaves behind when it is killed: a process of its own, run as a file and by the server alone.

It reads the numbers of process groups, one a line (-n: n has ended), as long as the server lives: when the server is
gone, however it ended, the input ends. Then the groups are killed and the server's temporary folder goes.
"""

import contextlib
import os
import shutil
import signal
import sys


def main(folder: str) -> None:
    groups: set[int] = set()
    for line in sys.stdin:
        number = int(line)
        (groups.add if number > 0 else groups.discard)(abs(number))
    for group in groups:
        with contextlib.suppress(OSError):
            os.killpg(group, signal.SIGKILL)
    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1])
