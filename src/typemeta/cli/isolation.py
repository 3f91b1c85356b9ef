"""Runs a command in a forked child, so that a crash of LLVM ends in one clear line.

LLVM aborts the process on some damaged inputs. The child does the whole job; the parent waits, and if
the child dies it says what the child was doing, and removes the files it had begun. The two share one
page of memory for that: the child writes, the parent reads.
"""

from __future__ import annotations

import mmap
import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Final

EXIT_CRASH: Final = 70
_PAGE: Final = 16384
_STAGE, _REASON, _FILES = slice(0, 1024), slice(1024, 4096), slice(4096, _PAGE)


class Journal:
    """What a command is doing, readable by another process after a crash."""

    def __init__(self) -> None:
        self._page = mmap.mmap(-1, _PAGE)
        self._files: list[str] = []

    def begin(self, stage: str) -> None:
        """Notes what is being done, as a phrase such as `parsing a.bc`."""
        self._put(_STAGE, stage)

    def fail(self, reason: str) -> None:
        """Notes why LLVM is about to end the process."""
        self._put(_REASON, reason)

    def add_file(self, path: Path) -> None:
        """Notes a file to remove if the command dies."""
        self._files.append(str(path))
        self._put(_FILES, "\n".join(self._files))

    def remove_file(self, path: Path) -> None:
        """Notes that a file is complete, or gone."""
        self._files.remove(str(path))
        self._put(_FILES, "\n".join(self._files))

    @property
    def stage(self) -> str:
        """What was being done last."""
        return self._get(_STAGE)

    @property
    def reason(self) -> str:
        """Why LLVM ended the process, if it said so."""
        return self._get(_REASON)

    @property
    def files(self) -> list[str]:
        """Files that were begun and not finished."""
        return self._get(_FILES).splitlines()

    def _put(self, part: slice, text: str) -> None:
        room = part.stop - part.start
        self._page[part] = text.encode(errors="replace")[:room].ljust(room, b"\0")

    def _get(self, part: slice) -> str:
        return self._page[part].rstrip(b"\0").decode(errors="replace")


RUNNING: Final = "running "
"""How a stage begins in which the user's own code runs: its death is no crash of LLVM."""


def run_isolated(command: Callable[[Journal], int], *, debug: bool) -> int:
    """Runs a command in a child process and returns its exit code.

    Args:
        command: the job; gets the journal.
        debug: let a traceback be printed for errors that are no crash.
    """
    journal = Journal()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        _run_child(command, journal, debug)
    try:
        _, status = os.waitpid(child, 0)
    except KeyboardInterrupt:
        os.waitpid(child, 0)
        _remove(journal.files)
        return 128 + signal.SIGINT
    code = os.waitstatus_to_exitcode(status)
    if code < 0 or journal.reason:
        _remove(journal.files)
        return _report_death(journal, -code if code < 0 else 0)
    return code


def _run_child(command: Callable[[Journal], int], journal: Journal, debug: bool) -> None:
    """Runs the command and ends the process without the parent's exit handlers."""
    code = 1
    try:
        code = command(journal)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else 1
    except KeyboardInterrupt:
        code = 128 + signal.SIGINT
    except BaseException as error:
        code = EXIT_CRASH
        if debug:
            traceback.print_exc()
        else:
            print(f"typemeta: internal error while {journal.stage}: {error!r}; try --debug", file=sys.stderr)
    finally:
        sys.stderr.flush()
        os._exit(code)


def _report_death(journal: Journal, number: int) -> int:
    name = signal.Signals(number).name if number else "exit"
    stage = journal.stage or "starting"
    if stage.startswith(RUNNING):
        why = " (a trap: a check failed)" if number in (signal.SIGILL, signal.SIGTRAP) else ""
        print(f"typemeta: {stage.removeprefix(RUNNING)} was stopped by {name}{why}", file=sys.stderr)
        return 1
    reason = f": {journal.reason}" if journal.reason else ""
    print(f"typemeta: LLVM crashed ({name}) while {stage}{reason}", file=sys.stderr)
    return EXIT_CRASH


def _remove(files: list[str]) -> None:
    for path in files:
        Path(path).unlink(missing_ok=True)
