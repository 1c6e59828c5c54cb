"""`python -m graphsurgeon.tune`, the same as `graphsurgeon tune`."""

import sys

from .tune_command import main

if __name__ == "__main__":
    sys.exit(main())
