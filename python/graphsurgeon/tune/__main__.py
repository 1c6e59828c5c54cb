"""`python -m graphsurgeon.tune`, which is `graphsurgeon tune`."""

import sys

from .command import main

if __name__ == "__main__":
    sys.exit(main())
