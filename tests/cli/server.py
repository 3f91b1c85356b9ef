"""Runs commands in forks of one process that has loaded LLVM already.

A command that starts from nothing takes a fifth of a second, nearly all of it for starting Python and
loading LLVM and numpy; most tests are about what comes after. Requests and answers are JSON, a line each:

    ["folder", ["show", "a.ll"], "file of standard input", "... output", "... error"]   ->   exit code
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

SECONDS = 60


class Server:
    """The other side: starts the process and asks it to run commands."""

    def __init__(self, folder: Path) -> None:
        self._files = [folder / name for name in ("in", "out", "err")]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.cli.server"],
            cwd=Path(__file__).parents[2],
            env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(self, folder: Path, arguments: Sequence[str], stdin: bytes) -> tuple[int, bytes, bytes]:
        """Runs a command in a folder; returns its exit code, standard output and standard error."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._files[0].write_bytes(stdin)
        request = [str(folder), list(arguments), *map(str, self._files)]
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        ready, _, _ = select.select([self._process.stdout], [], [], SECONDS)
        assert ready, f"typemeta {' '.join(arguments)} takes longer than {SECONDS} seconds"
        return int(self._process.stdout.readline()), self._files[1].read_bytes(), self._files[2].read_bytes()

    def close(self) -> None:
        """Ends the process."""
        self._process.kill()
        self._process.communicate()


def load_everything() -> None:
    """Loads LLVM, numpy and what typemeta offers, so that forks of this process need not."""
    import typemeta
    from typemeta.llvm.library import load

    for name in typemeta.__all__:
        getattr(typemeta, name)
    load()


def serve() -> None:
    """Answers requests until standard input ends."""
    load_everything()
    for line in sys.stdin:
        folder, arguments, *files = json.loads(line)
        child = os.fork()
        if child == 0:
            _run(folder, arguments, files)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


def _run(folder: str, arguments: list[str], files: list[str]) -> NoReturn:
    """Runs one command as `python -m typemeta` would, and ends the process."""
    code: object = 1
    try:
        from typemeta.cli import main

        os.chdir(folder)
        for number, file in enumerate(files):
            flags = os.O_RDONLY if number == 0 else os.O_CREAT | os.O_TRUNC | os.O_WRONLY
            os.dup2(os.open(file, flags, 0o600), number)
        sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
        sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
        sys.stderr = os.fdopen(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
        code = main(arguments)
    except SystemExit as stop:
        code = stop.code
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 1)


if __name__ == "__main__":
    serve()
