"""launcher.py FD PROGRAM ARGUMENT...: runs a program, writes its exit code and peak KiB to FD.

Linux counts the memory of the process that starts a program into that program's own peak. A Python
process that has imported torch is larger than many trainings, so this small one stands between:
run with `python -I -S`, it imports next to nothing. SIGTERM is passed on.
"""

from __future__ import annotations

import os
import signal
import sys


def main() -> None:
    report, command = int(sys.argv[1]), sys.argv[2:]
    os.set_inheritable(report, False)
    child = 0
    stopped = False

    def stop(number: int, frame: object) -> None:
        nonlocal stopped
        stopped = True
        if child:
            os.kill(child, signal.SIGTERM)

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, lambda number, frame: None)  # the terminal sends it to both
    child = os.posix_spawn(command[0], command, os.environ)
    if stopped:
        os.kill(child, signal.SIGTERM)
    _, status, usage = os.wait4(child, 0)
    child = 0
    os.write(report, b"%d %d" % (os.waitstatus_to_exitcode(status), usage.ru_maxrss))


if __name__ == "__main__":
    main()
