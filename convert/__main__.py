"""`python -m convert` and the command `runconv`."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line; an interrupt ends it quietly, wherever it is."""
    try:
        from convert.cli import run

        return run(sys.argv[1:])
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        return 141


if __name__ == "__main__":
    sys.exit(main())
