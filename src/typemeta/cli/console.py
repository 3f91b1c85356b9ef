"""What goes to the terminal beside results: progress, notes, colour."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final, TextIO

from typemeta.cli.isolation import Journal
from typemeta.cli.output import printable

_STYLES: Final = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"}
_CLEAR_LINE: Final = "\r\x1b[K"


@dataclass(slots=True)
class Console:
    """Progress and notes on standard error, colours where they belong.

    Attributes:
        journal: where stages are noted for the case of a crash.
        quiet: suppress notes and progress.
        color: `auto` (on a terminal), `always` or `never`.
        seconds: what each named step took.
        kept: what must live until the process ends: freeing a module takes as long as verifying it.
    """

    journal: Journal
    quiet: bool
    color: str
    seconds: dict[str, float] = field(default_factory=dict)
    kept: list[object] = field(default_factory=list)

    @contextmanager
    def step(self, name: str, phrase: str) -> Iterator[None]:
        """Times a step and shows its phrase (`parsing a.bc`) while it lasts."""
        self.stage(phrase)
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - started
            self.clear()

    def clear(self) -> None:
        """Removes the progress line."""
        self._show(_CLEAR_LINE)

    def stage(self, phrase: str) -> None:
        """Notes what is being done and, on a terminal, shows it."""
        self.journal.begin(phrase)
        self._show(f"{_CLEAR_LINE}{self.style(phrase, 'dim', sys.stderr)} ...")

    def note(self, text: str) -> None:
        """Prints a line a user should see, unless quiet."""
        if not self.quiet:
            self.clear()
            print(f"typemeta: {printable(text.strip())}", file=sys.stderr)

    def error(self, text: str) -> None:
        """Prints the line that says why the command failed."""
        self.clear()
        print(f"typemeta: {self.style('error:', 'red', sys.stderr)} {text}", file=sys.stderr)

    def style(self, text: str, style: str, stream: TextIO | None = None) -> str:
        """Returns text in a style, if the stream (standard output by default) shows colour."""
        stream = stream or sys.stdout
        wanted = self.color == "always" or (self.color == "auto" and stream.isatty())
        return f"\x1b[{_STYLES[style]}m{text}\x1b[0m" if wanted else text

    def _show(self, text: str) -> None:
        if not self.quiet and sys.stderr.isatty():
            sys.stderr.write(text)
            sys.stderr.flush()
