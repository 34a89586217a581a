"""The command with a fault in it: python faulty.py CALL NUMBER ERRNO SEED ARGUMENT ...

The NUMBER-th CALL of `os` on the output fails with ERRNO; with a SEED other than 0 some
writes are short. CALL `limit` lets no file be larger than NUMBER bytes. CALL `none`
injects no fault and prints the calls that were made.
"""

from __future__ import annotations

import functools
import os
import random
import resource
import sys
from typing import Any

CALLS = ("open", "write", "fsync", "fchmod", "chmod", "replace", "close")

_real = {name: getattr(os, name) for name in CALLS}
# The open files that are the output, or its folder, which is synced after a rename.
_files: set[int] = set()
_made: list[str] = []


def main() -> int:
    """Inject the fault and run the command."""
    call, number, code, seed = sys.argv[1], *map(int, sys.argv[2:5])
    del sys.argv[1:5]
    if call == "limit":
        resource.setrlimit(resource.RLIMIT_FSIZE, (number, number))
    dice = random.Random(seed) if seed else None
    for name in CALLS:
        bad = number if name == call else 0
        setattr(os, name, functools.partial(_call, name, bad, code, dice))
    from convert.__main__ import main

    status = main()
    if call == "none":
        print(*_made)
    return status


def _call(
    name: str,
    bad: int,
    code: int,
    dice: random.Random | None,
    target: Any,
    *arguments: Any,
    **more: Any,
) -> Any:
    """Call a function of `os`; on the output, fail at the call numbered `bad`."""
    call = _real[name]
    if not _is_output(target):
        return call(target, *arguments, **more)
    _made.append(name)
    is_bad = _made.count(name) == bad
    if name == "close":
        _files.discard(target)
        call(target)
    if is_bad:
        raise OSError(code, os.strerror(code))
    if name == "write" and dice and dice.random() < 0.3:
        return call(target, arguments[0][: dice.randint(1, len(arguments[0]))])
    done = None if name == "close" else call(target, *arguments, **more)
    if name == "open":
        _files.add(done)
    return done


def _is_output(target: Any) -> bool:
    """Tell whether a file or path is the output, its temporary file, or its folder."""
    if isinstance(target, int):
        return target in _files
    name = os.path.basename(os.fsdecode(target))
    return name.startswith(".runconv-") or name == "out"


if __name__ == "__main__":
    sys.exit(main())
