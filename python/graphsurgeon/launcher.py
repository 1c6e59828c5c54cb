"""launcher.py FD PROGRAM ARGUMENT...: runs a program, writes its exit code and peak KiB to FD.

Linux counts the memory of the process that starts a program into that program's own peak. A Python
process that has imported torch is larger than many trainings, so this small one stands between:
run with `python -I -S`, it imports next to nothing. SIGTERM is passed on, and sent if the process
that started this one is gone.
"""

from __future__ import annotations

import os
import select
import signal
import sys


def watch(child: int, report: int) -> None:
    """Waits for the child. If nobody reads the report any more, its parent was killed: stops it."""
    events = select.poll()
    events.register(report, 0)  # POLLERR is always reported
    process = os.pidfd_open(child)
    events.register(process, select.POLLIN)
    while process not in (ready := [file for file, _ in events.poll()]):
        for file in ready:
            events.unregister(file)
            os.kill(child, signal.SIGTERM)
    os.close(process)


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
    watch(child, report)
    _, status, usage = os.wait4(child, 0)
    child = 0
    try:
        os.write(report, b"%d %d" % (os.waitstatus_to_exitcode(status), usage.ru_maxrss))
    except BrokenPipeError:
        sys.exit(1)


if __name__ == "__main__":
    main()
