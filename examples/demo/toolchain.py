"""Finds the tools of the environment that runs this script, runs them, and shows how long they take.

The demo and the benchmark stand on it. A tool is looked for beside the running interpreter first (where
the wheels of `typemeta[clang]` put theirs), then on PATH.
"""

import functools
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

OUTPUT_LINES_SHOWN = 25
TITLE_WIDTH = 62


class StepError(Exception):
    """A step of the demo or the benchmark went wrong; the message says what, and what to do."""


@functools.cache
def find_tool(name: str) -> str:
    """Finds a program by its name.

    Raises:
        StepError: it is neither beside the interpreter nor on PATH.
    """
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    if found is None:
        raise StepError(f"{name} was not found; install it with: pip install 'typemeta[clang]'")
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """How a program ended: its exit code (negative for a signal), all it printed, and how long it ran."""

    code: int
    output: bytes
    errors: bytes
    seconds: float


def run_any(command: Sequence[str | Path], *, folder: Path | None = None) -> Finished:
    """Runs a command, whose first word is a path or the name of a tool, and takes any exit code."""
    words = [str(word) for word in command]
    if "/" not in words[0]:
        words[0] = find_tool(words[0])
    start = time.perf_counter()
    ended = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    seconds = time.perf_counter() - start
    return Finished(code=ended.returncode, output=ended.stdout, errors=ended.stderr, seconds=seconds)


def run_tool(command: Sequence[str | Path], *, folder: Path | None = None) -> Finished:
    """Runs a command that has to succeed.

    Raises:
        StepError: it did not; the message ends with the last lines that it printed.
    """
    finished = run_any(command, folder=folder)
    if finished.code != 0:
        printed = (finished.errors + finished.output).decode(errors="replace").splitlines()
        shown = "\n".join(f"    {line}" for line in printed[-OUTPUT_LINES_SHOWN:])
        line = " ".join(str(word) for word in command)
        raise StepError(f"exit code {finished.code} from: {line}\n{shown}")
    return finished


class Step:
    """One line of output for one piece of work: its title, how far it is, then how long it took."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._notes: list[str] = []
        self._live = sys.stdout.isatty()

    def note(self, text: str) -> None:
        """Adds words that the line ends with."""
        self._notes.append(text)

    def show(self, state: str = "") -> None:
        """Says how far the work is, on a terminal; prints nothing elsewhere."""
        if self._live:
            print(f"\r\x1b[K   {self._title} ... {state}", end="", flush=True)

    def close(self, ending: str) -> None:
        """Prints the line as it stays."""
        start = "\r\x1b[K" if self._live else ""
        notes = f"   {', '.join(self._notes)}" if self._notes else ""
        print(f"{start}   {self._title:<{TITLE_WIDTH}} {ending}{notes}", flush=True)


@contextmanager
def timed(title: str) -> Iterator[Step]:
    """Shows a piece of work as a `Step` while it runs, and its duration afterwards."""
    step = Step(title)
    step.show()
    start = time.perf_counter()
    try:
        yield step
    except BaseException:
        step.close("failed")
        raise
    step.close(f"{time.perf_counter() - start:6.1f} s")
