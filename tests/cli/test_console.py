"""What goes to standard error beside results."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.cli.command import Typemeta
from tests.cli.server import SECONDS
from typemeta.cli.console import Console
from typemeta.cli.isolation import Journal


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        """Always."""
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """A terminal as standard output and error."""
    stream = Terminal()
    use(monkeypatch, stream)
    return stream


def use(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO) -> None:
    """Makes a console write to a stream; pytest takes `sys.stderr` back between fixture and test."""
    monkeypatch.setattr("typemeta.cli.console.sys", SimpleNamespace(stdout=stream, stderr=stream))


def console(*, quiet: bool = False, color: str = "auto") -> Console:
    """A console whose journal nobody reads."""
    return Console(Journal(), quiet, color)


@pytest.mark.parametrize(
    ("color", "stream", "coloured"),
    [
        ("auto", io.StringIO(), False),
        ("auto", Terminal(), True),
        ("always", io.StringIO(), True),
        ("never", Terminal(), False),
    ],
)
def test_style(color: str, stream: io.StringIO, coloured: bool) -> None:
    """Colours are for terminals, unless one says always or never."""
    styled = console(color=color).style("text", "red", stream)
    assert styled == ("\x1b[31mtext\x1b[0m" if coloured else "text")


@pytest.mark.usefixtures("terminal")
def test_style_of_standard_output() -> None:
    """Standard output counts if no stream is named."""
    assert console().style("text", "bold") == "\x1b[1mtext\x1b[0m"


def test_step(terminal: Terminal) -> None:
    """A step is shown while it lasts, noted for the case of a crash, and timed; the line is removed."""
    shown = console(color="never")
    with shown.step("parse", "parsing a.bc"):
        assert terminal.getvalue().endswith("\r\x1b[Kparsing a.bc ...")
        assert shown.journal.stage == "parsing a.bc"
    assert terminal.getvalue().endswith("\r\x1b[K")
    assert shown.seconds["parse"] >= 0


def test_steps_of_one_name_add_up(terminal: Terminal) -> None:
    """A step that comes again adds to its time, also when it fails."""
    shown = console()
    with shown.step("parse", "parsing"):
        pass
    before = shown.seconds["parse"]
    with pytest.raises(ZeroDivisionError), shown.step("parse", "parsing"):
        raise ZeroDivisionError
    assert shown.seconds["parse"] >= before
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_note(terminal: Terminal) -> None:
    """A note stands on a line of its own, where the progress was, and is one line whatever it holds."""
    shown = console(color="never")
    shown.stage("parsing")
    shown.note("two\nlines \x1b[2J\n")
    assert terminal.getvalue().endswith("\r\x1b[Ktypemeta: two\\nlines \\x1b[2J\n")


def test_error(terminal: Terminal) -> None:
    """An error is told even if quiet, in red if colour is wanted."""
    console(quiet=True, color="always").error("x.bc: is empty")
    assert terminal.getvalue() == "typemeta: \x1b[31merror:\x1b[0m x.bc: is empty\n"


def test_quiet(terminal: Terminal) -> None:
    """Quiet: neither notes nor progress; the journal goes on."""
    shown = console(quiet=True)
    with shown.step("parse", "parsing a.bc"):
        shown.note("a note")
    assert terminal.getvalue() == ""
    assert shown.journal.stage == "parsing a.bc"


def test_no_progress_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is no terminal gets notes only."""
    stream = io.StringIO()
    use(monkeypatch, stream)
    shown = console()
    with shown.step("parse", "parsing a.bc"):
        shown.note("a note")
    assert stream.getvalue() == "typemeta: a note\n"


def on_a_terminal(typemeta: Typemeta, *arguments: str) -> tuple[int, str, str]:
    """Runs the command with a terminal as standard error; returns exit code, output, and the terminal's."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        typemeta.line(*arguments), cwd=typemeta.folder, stdout=subprocess.PIPE, stderr=theirs, text=True
    ) as process:
        os.close(theirs)
        out, _ = process.communicate(timeout=SECONDS)
    shown = b""
    try:
        while part := os.read(ours, 4096):
            shown += part
    except OSError:
        pass  # how a terminal ends whose other side is closed
    os.close(ours)
    return process.returncode, out, shown.decode().replace("\r\n", "\n")


def test_progress_of_the_command(typemeta: Typemeta) -> None:
    """On a terminal the command shows what it does, and leaves nothing of it."""
    code, out, shown = on_a_terminal(typemeta, "lower", "sets.ll", "-o", "out.bc")
    assert (code, out) == (0, "")
    phrases = re.findall(r"\x1b\[2m(\w+)[^\x1b]*\x1b\[0m \.\.\.", shown)
    assert phrases == ["reading", "parsing", "reading", "planning", "lowering", "verifying", "writing"]
    assert shown.endswith("\r\x1b[K")
    assert "\n" not in shown


def test_quiet_command(typemeta: Typemeta) -> None:
    """`-q` shows nothing even there."""
    assert on_a_terminal(typemeta, "lower", "-q", "sets.ll", "-o", "out.bc") == (0, "", "")


def test_error_replaces_the_progress(typemeta: Typemeta) -> None:
    """An error takes the place of the progress line."""
    (typemeta.folder / "bad.ll").write_text("no IR\n")
    code, _, shown = on_a_terminal(typemeta, "show", "bad.ll", "--color", "never")
    assert code == 2
    lines = [line.rpartition("\x1b[K")[2] for line in shown.rstrip("\n").split("\n")]
    assert lines == ["typemeta: error: bad.ll:1:1: expected top-level entity"]


def test_crash_replaces_the_progress(typemeta: Typemeta) -> None:
    """So does the line of a crash, which another process prints."""
    deep = "@x = external global " + "[1 x " * 200_000 + "i8" + "]" * 200_000 + "\n"
    Path(typemeta.folder, "deep.ll").write_text(deep)
    code, _, shown = on_a_terminal(typemeta, "show", "deep.ll", "--color", "never")
    assert code == 70
    assert shown == (
        "\r\x1b[Kreading deep.ll ...\r\x1b[Kparsing deep.ll ..."
        "\r\x1b[Ktypemeta: LLVM crashed (SIGSEGV) while parsing deep.ll\n"
    )
