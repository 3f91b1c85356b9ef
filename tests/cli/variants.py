"""Runs the command on damaged variants of a file, many in one process, and prints what came of each.

A start of Python and the loading of LLVM would take most of the time; here both are done once, and each
command runs in a fork of this process, in which `typemeta` forks again as it always does.

    python variants.py FILE FOLDER FIRST LAST
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import sys
import time
from pathlib import Path

from tests.cli.server import load_everything

SECONDS = 20.0
STOP_SECONDS = 5.0
MEMORY = 6 << 30
OLD = b"old output"


def damage(data: bytes, seed: int) -> bytes:
    """Returns a variant of a file: one to eight bytes changed, or the end cut off."""
    rng = random.Random(seed)
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 4, 8))):
        place = rng.randrange(len(changed))
        how = rng.randrange(3)
        if how == 0:
            changed[place] ^= 1 << rng.randrange(8)
        else:
            changed[place] = rng.randrange(256) if how == 1 else rng.choice((0, 255, 127, 128))
    return bytes(changed[: rng.randrange(len(changed))] if rng.randrange(20) == 0 else changed)


def choose_command(seed: int) -> list[str]:
    """Returns the command for a variant: mostly `lower`, to one of the kinds of output."""
    rng = random.Random(f"command {seed}")
    if rng.randrange(3) == 0:
        return ["show", "-q", "in", "--json"]
    return ["lower", "-q", "in", "-o", f"out.{rng.choice(['bc', 'll', 's', 'o'])}"]


def main(file: Path, folder: Path, first: int, last: int) -> None:
    """Tries the variants with these numbers; prints a JSON document on a line for each."""
    from typemeta.cli import main as typemeta

    load_everything()
    data = file.read_bytes()
    os.chdir(folder)
    for seed in range(first, last):
        Path("in").write_bytes(damage(data, seed))
        command = choose_command(seed)
        if command[0] == "lower":
            Path(command[-1]).write_bytes(OLD)
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            os.setpgid(0, 0)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            for number, name in ((1, "stdout"), (2, "stderr")):
                os.dup2(os.open(name, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), number)
            os._exit(typemeta(command))
        code = wait(child, SECONDS)
        has_hung = code is None
        if has_hung:
            os.killpg(child, signal.SIGINT)
            code = wait(child, STOP_SECONDS)
        kept = Path(command[-1]).read_bytes() == OLD if command[0] == "lower" else None
        left = sorted(path.name for path in Path().iterdir() if path.name.startswith("."))
        print(
            json.dumps(
                [seed, command, code, has_hung, Path("stderr").read_text(errors="replace"), kept, left]
            )
        )


def wait(child: int, seconds: float) -> int | None:
    """Returns a process's exit code, or None if it takes longer than that."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    return None


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
