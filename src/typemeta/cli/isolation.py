"""Runs a command in a forked child, so that a crash of LLVM ends in one clear line.

LLVM aborts the process on some damaged inputs. The child does the whole job; the parent waits, and if
the child dies it says what the child was doing, and removes the files it had begun. The two share a few
pages of memory for that: the child writes, the parent reads. What LLVM itself writes to standard error
goes to a file in memory; of a crash it is the reason.
"""

from __future__ import annotations

import mmap
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Final, NoReturn

EXIT_UNUSABLE: Final = 2
EXIT_CRASH: Final = 70
EXIT_SIGNAL: Final = 128
"""What a shell adds to the number of the signal that ended a command."""

_PAGE: Final = 16384
_ENDED, _STAGE, _REASON, _FILES = slice(0, 1), slice(1, 1024), slice(1024, 4096), slice(4096, _PAGE)
_RUNNING: Final = "running "
_OPTIONS: Final = "reading LLVM's options"
_HELD_BYTES: Final = 65536
_STANDARD_ERROR: Final = 2
_CLEAR_LINE: Final = "\r\x1b[K"
_STOPPING: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_CRASHES: Final = (
    *(signal.SIGSEGV, signal.SIGABRT, signal.SIGBUS, signal.SIGILL),
    *(signal.SIGFPE, signal.SIGTRAP, signal.SIGSYS),
)
_FATAL: Final = ("LLVM ERROR: ", "Assertion ")


class Journal:
    """What a command is doing, readable by another process after a crash."""

    def __init__(self) -> None:
        self._page = mmap.mmap(-1, _PAGE)
        self._files: list[str] = []
        self._held = -1
        self._terminal = -1

    def begin(self, stage: str) -> None:
        """Notes what is being done, as a phrase such as `parsing a.bc`."""
        self._put(_STAGE, stage)

    def begin_program(self, name: str) -> None:
        """Notes that the user's own code runs from now on: its death is no crash of LLVM.

        Standard error is its own from then on.
        """
        self.begin(_RUNNING + name)
        self.pass_messages()

    def begin_options(self) -> None:
        """Notes that LLVM reads options: one that asks for help is answered, and ends the process."""
        self.begin(_OPTIONS)

    def pass_messages(self) -> None:
        """Lets what LLVM writes to standard error through from now on, as it is."""
        if self._terminal >= 0:
            os.dup2(self._terminal, _STANDARD_ERROR)

    def end(self) -> None:
        """Notes that the command came to its end by itself."""
        self._put(_ENDED, "1")

    def fail(self, reason: str) -> None:
        """Notes why LLVM is about to end the process."""
        self._put(_REASON, reason)

    def add_file(self, path: Path) -> None:
        """Notes a file to remove if the command dies."""
        self._files.append(str(path))
        self._put(_FILES, "\0".join(self._files))

    def remove_file(self, path: Path) -> None:
        """Notes that a file is complete, or gone."""
        self._files.remove(str(path))
        self._put(_FILES, "\0".join(self._files))

    def make_room(self) -> None:
        """Makes the file for LLVM's own messages; before the fork, so that both processes have it."""
        self._held = _file_in_memory()

    def hold_messages(self) -> None:
        """Holds back what is written to standard error past Python's `sys.stderr`."""
        self._terminal = os.dup(_STANDARD_ERROR)
        sys.stderr = os.fdopen(
            self._terminal, "w", encoding=sys.stderr.encoding, errors="backslashreplace", buffering=1
        )
        os.dup2(self._held, _STANDARD_ERROR)

    @property
    def stage(self) -> str:
        """What was being done last."""
        return self._get(_STAGE)

    @property
    def program(self) -> str:
        """The user's program, if it was running last."""
        return self.stage.removeprefix(_RUNNING) if self.stage.startswith(_RUNNING) else ""

    @property
    def ended(self) -> bool:
        """True if the command came to its end by itself."""
        return bool(self._get(_ENDED))

    @property
    def reason(self) -> str:
        """Why LLVM ended the process, if it said so."""
        lines = self.messages
        said = next((line for line in lines if any(mark in line for mark in _FATAL)), "".join(lines[:1]))
        return self._get(_REASON) or said.removeprefix(_FATAL[0])

    @property
    def messages(self) -> list[str]:
        """What LLVM itself wrote to standard error so far: its lines, each once."""
        if self._held < 0:
            return []
        text = os.pread(self._held, _HELD_BYTES, 0).decode(errors="replace")
        return list(dict.fromkeys(line.strip() for line in text.splitlines() if line.strip()))

    @property
    def files(self) -> list[str]:
        """Files that were begun and not finished."""
        return [path for path in self._get(_FILES).split("\0") if path]

    def close(self) -> None:
        """Frees the file for LLVM's messages."""
        if self._held >= 0:
            os.close(self._held)
            self._held = -1

    def _put(self, part: slice, text: str) -> None:
        room = part.stop - part.start
        self._page[part] = os.fsencode(text)[:room].ljust(room, b"\0")

    def _get(self, part: slice) -> str:
        return os.fsdecode(self._page[part].rstrip(b"\0"))


def run_isolated(command: Callable[[Journal], int]) -> int:
    """Runs a command in a child process and returns its exit code.

    A signal that asks to stop ends the child too; then the exit code is that of a shell, 128 and the
    number of the signal.

    Args:
        command: the job; gets the journal.
    """
    journal = Journal()
    journal.make_room()
    sys.stdout.flush()
    sys.stderr.flush()
    alive, alive_end = os.pipe()
    try:
        with _stoppable() as caught:
            child = os.fork()
            if child == 0:
                os.close(alive_end)
                _run_child(command, journal, alive, caught)
            return _wait(child, journal)
    finally:
        os.close(alive)
        os.close(alive_end)
        journal.close()


class _Stopped(BaseException):
    """A signal asked this process to stop."""

    def __init__(self, number: int) -> None:
        self.number = number


@contextmanager
def _stoppable() -> Iterator[list[signal.Signals]]:
    """Turns the signals that ask to stop into _Stopped; yields them, blocked, less those that are ignored."""
    caught = [number for number in _STOPPING if signal.getsignal(number) is not signal.SIG_IGN]
    signal.pthread_sigmask(signal.SIG_BLOCK, caught)
    before = {number: signal.signal(number, _stop) for number in caught}
    try:
        yield caught
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, caught)


def _stop(number: int, _: FrameType | None) -> NoReturn:
    for each in _STOPPING:
        signal.signal(each, signal.SIG_IGN)  # once is enough; what is left to do takes no time
    raise _Stopped(number)


def _wait(child: int, journal: Journal) -> int:
    """Waits for the child; reports its death."""
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOPPING)
        _, status = os.waitpid(child, 0)
    except _Stopped as stopped:
        with suppress(ProcessLookupError, ChildProcessError):  # the signal may have gone to both
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        _remove(journal.files)
        _say("")
        return EXIT_SIGNAL + stopped.number
    code = os.waitstatus_to_exitcode(status)
    if journal.ended or (journal.program and code >= 0):
        return code
    _remove(journal.files)
    return _report_death(journal, -code)


def _run_child(
    command: Callable[[Journal], int], journal: Journal, alive: int, caught: list[signal.Signals]
) -> NoReturn:
    """Runs the command and ends the process without the parent's exit handlers."""
    code = EXIT_CRASH
    try:
        for number in caught:
            signal.signal(number, signal.SIG_DFL)  # even while C code runs that never comes back to Python
        signal.pthread_sigmask(signal.SIG_UNBLOCK, caught)
        threading.Thread(target=_end_with_parent, args=(alive, journal), daemon=True).start()
        journal.hold_messages()
        code = _guard(command, journal)
        with suppress(OSError):
            sys.stderr.flush()
        journal.end()
    finally:
        os._exit(code)


def _guard(command: Callable[[Journal], int], journal: Journal) -> int:
    """Runs the command and turns every way in which it can end into an exit code."""
    try:
        code = int(command(journal))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        return EXIT_SIGNAL + signal.SIGPIPE
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 1
    except MemoryError:
        _say(f"typemeta: not enough memory while {journal.stage}")
        return EXIT_CRASH
    except OSError as error:
        if error.filename is not None:
            return _report_bug(journal, error)
        _say(f"typemeta: error: standard output: cannot write: {(error.strerror or str(error)).lower()}")
        return EXIT_UNUSABLE
    except BaseException as error:
        return _report_bug(journal, error)


def _report_bug(journal: Journal, error: BaseException) -> int:
    import traceback

    place = traceback.extract_tb(error.__traceback__)[-1]
    _say(
        f"typemeta: internal error while {journal.stage or 'starting'}: {error!r} "
        f"({Path(place.filename).name}:{place.lineno}); --debug shows more"
    )
    return EXIT_CRASH


def _end_with_parent(alive: int, journal: Journal) -> None:
    """Ends this process when the parent is gone: nobody waits for it any more."""
    os.read(alive, 1)
    _remove(journal.files)
    os._exit(EXIT_CRASH)


def _report_death(journal: Journal, number: int) -> int:
    name = _signal_name(number)
    if journal.program:
        why = " (a trap: a check failed)" if number in (signal.SIGILL, signal.SIGTRAP) else ""
        _say(f"typemeta: {journal.program} was stopped by {name}{why}")
        return 1
    stage = journal.stage or "starting"
    if stage == _OPTIONS and number == 0:
        return 0
    reason = f": {journal.reason}" if journal.reason else ""
    if number <= 0:
        _say(f"typemeta: LLVM gave up while {stage}{reason}")
    elif number in _CRASHES:
        _say(f"typemeta: LLVM crashed ({name}) while {stage}{reason}")
    else:
        hint = "; perhaps memory was short" if number == signal.SIGKILL else ""
        _say(f"typemeta: killed ({name}) while {stage}{hint}")
    return EXIT_CRASH


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _say(text: str) -> None:
    """Prints one line, in the place of a progress line; an empty one is only that line's removal."""
    with suppress(OSError):
        sys.stderr.write(_CLEAR_LINE if sys.stderr.isatty() else "")
        sys.stderr.write(" ".join(text.splitlines()) + "\n" if text else "")
        sys.stderr.flush()


def _file_in_memory() -> int:
    with suppress(AttributeError, OSError):  # macOS has no files in memory, and some sandboxes allow none
        return os.memfd_create("typemeta")
    import tempfile

    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def _remove(files: list[str]) -> None:
    for path in files:
        with suppress(OSError):
            Path(path).unlink(missing_ok=True)
