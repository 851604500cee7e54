"""The command `samebits`, which is the program of this name."""

import os
import signal
import sys

from ._samebits import _run


def main() -> int:
    """Run the command with the arguments of the process, and return its exit code."""
    # A file that is opened would take the place of a closed stream.
    while (number := os.open(os.devnull, os.O_RDWR)) < 3:
        pass
    os.close(number)
    # Ctrl-C then does what it does to the program. If it was to be ignored, it still is.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _run(["samebits", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
