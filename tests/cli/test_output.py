"""Outputs are written whole or not at all."""

from __future__ import annotations

import errno
import io
import json
import os
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.cli.server import SECONDS
from typemeta.cli.isolation import Journal
from typemeta.cli.output import (
    check_output,
    json_bytes,
    print_json,
    printable,
    render_table,
    staged_output,
    write_output,
)
from typemeta.errors import OutputError

NOBODY = 65534


@pytest.fixture
def journal() -> Journal:
    """A journal that nobody reads."""
    return Journal()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the current one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(folder: Path) -> dict[str, bytes]:
    """The files in a folder."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def refused(call: Callable[[], object]) -> str:
    """The message with which an output is refused; one line."""
    with pytest.raises(OutputError) as caught:
        call()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_write(folder: Path, journal: Journal) -> None:
    """A new file gets the contents and the usual permissions; nothing is left to remove."""
    write_output("out", b"new", journal)
    mask = os.umask(0)
    os.umask(mask)
    assert files(folder) == {"out": b"new"}
    assert stat.S_IMODE((folder / "out").stat().st_mode) == 0o666 & ~mask
    assert journal.files == []


def test_replace(folder: Path, journal: Journal) -> None:
    """An old file is replaced; it keeps its permissions."""
    (folder / "out").write_bytes(b"an old and longer one")
    (folder / "out").chmod(0o640)
    write_output("out", b"new", journal)
    assert files(folder) == {"out": b"new"}
    assert stat.S_IMODE((folder / "out").stat().st_mode) == 0o640


def test_old_readers_see_the_old_file(folder: Path, journal: Journal) -> None:
    """Who has the old file open goes on reading it: it is replaced, not overwritten."""
    (folder / "out").write_bytes(b"old")
    with (folder / "out").open("rb") as reader:
        write_output("out", b"new", journal)
        assert reader.read() == b"old"


def test_link(folder: Path, journal: Journal) -> None:
    """A symbolic link is followed, and stays."""
    (folder / "there").mkdir()
    (folder / "there" / "real").write_bytes(b"old")
    (folder / "out").symlink_to("there/real")
    write_output("out", b"new", journal)
    assert (folder / "out").is_symlink()
    assert files(folder / "there") == {"real": b"new"}


def test_dangling_link(folder: Path, journal: Journal) -> None:
    """A link to a file that is not there yet makes it, unless its folder is missing."""
    (folder / "out").symlink_to("real")
    write_output("out", b"new", journal)
    assert (folder / "real").read_bytes() == b"new"
    (folder / "lost").symlink_to("no/real")
    message = refused(lambda: write_output("lost", b"new", journal))
    assert message == f"lost: cannot write: the folder {folder / 'no'} does not exist"


def test_staged(folder: Path, journal: Journal) -> None:
    """Until the block ends the old file is there, and the new one is noted for removal."""
    (folder / "out").write_bytes(b"old")
    with staged_output("out", b"new", journal):
        assert (folder / "out").read_bytes() == b"old"
        [staged] = journal.files
        assert Path(staged).read_bytes() == b"new"
    assert files(folder) == {"out": b"new"}
    assert journal.files == []


def test_staged_and_failed(folder: Path, journal: Journal) -> None:
    """An error in the block leaves the old file, and nothing else."""
    (folder / "out").write_bytes(b"old")
    with pytest.raises(ZeroDivisionError), staged_output("out", b"new", journal):
        raise ZeroDivisionError
    assert files(folder) == {"out": b"old"}
    assert journal.files == []


def test_two_at_once(folder: Path, journal: Journal) -> None:
    """Two outputs with long names do not stand in each other's way."""
    first, second = "x" * 60 + ".o", "x" * 60 + ".json"
    with staged_output(first, b"1", journal):
        write_output(second, b"2", journal)
    assert files(folder) == {first: b"1", second: b"2"}


@pytest.mark.parametrize("name", ["x" * 255, "\N{GRINNING FACE}" * 63, "a\nb"])
def test_long_and_odd_names(folder: Path, journal: Journal, name: str) -> None:
    """A name that the file system takes is taken."""
    write_output(name, b"new", journal)
    assert files(folder) == {name: b"new"}


def test_stale_file(folder: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a killed run left under the same name is in nobody's way, and a link there is not followed."""
    monkeypatch.setattr("typemeta.cli.output._serial", iter([7]))
    (folder / "victim").write_bytes(b"precious")
    (folder / f".out.{os.getpid()}.7.part").symlink_to("victim")
    write_output("out", b"new", journal)
    assert files(folder) == {"out": b"new", "victim": b"precious"}


class FullDisk(io.BytesIO):
    """A file on a disk that is full."""

    def write(self, data: Any) -> int:
        """Fails as the system does."""
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_full_disk(folder: Path, journal: Journal, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk is told; the old file is there, and nothing beside it."""
    (folder / "out").write_bytes(b"old")
    real = Path.open

    def open_full(path: Path, mode: str = "r") -> object:
        real(path, mode).close()
        return FullDisk()

    monkeypatch.setattr(Path, "open", open_full)
    message = refused(lambda: write_output("out", b"new", journal))
    monkeypatch.undo()
    assert message == "out: cannot write: no space left on device"
    assert files(folder) == {"out": b"old"}
    assert journal.files == []


def test_missing_folder(folder: Path, journal: Journal) -> None:
    """The folder that is missing is named; so is a file that stands in its place."""
    assert refused(lambda: write_output("no/out", b"", journal)) == (
        "no/out: cannot write: the folder no does not exist"
    )
    (folder / "file").touch()
    assert refused(lambda: write_output("file/out", b"", journal)) == (
        "file/out: cannot write: file is no folder"
    )


def test_folder(folder: Path, journal: Journal) -> None:
    """A folder is no output."""
    (folder / "out").mkdir()
    message = refused(lambda: write_output("out", b"", journal))
    assert message == "out: cannot write: is a directory; name a file in it"


def test_name_too_long(folder: Path, journal: Journal) -> None:
    """What the file system refuses is refused in its words."""
    message = refused(lambda: write_output("x" * 256, b"", journal))
    assert message.endswith(": cannot write: file name too long")
    assert files(folder) == {}


@pytest.fixture
def public() -> Iterator[Path]:
    """A folder that everybody may use; pytest's own are closed to others."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        yield Path(name)


def write_as_nobody(folder: Path) -> str:
    """Writes `out` without root's rights, whoever runs the tests; returns what is said of it."""
    done = subprocess.run(
        [sys.executable, "-c", WRITE],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=True,
    )
    return done.stdout


WRITE = f"""\
import os
from pathlib import Path
from typemeta.cli.isolation import Journal
from typemeta.cli.output import write_output
from typemeta.errors import OutputError
if os.geteuid() == 0:
    os.setgid({NOBODY})
    os.setuid({NOBODY})
try:
    write_output("out", b"new", Journal())
except OutputError as error:
    print(error)
"""


def test_write_protected(public: Path) -> None:
    """A file that its owner protected is not replaced, though its folder would allow it."""
    (public / "out").write_bytes(b"old")
    (public / "out").chmod(0o444)
    assert write_as_nobody(public) == "out: cannot write: it is write-protected\n"
    assert files(public) == {"out": b"old"}


def test_protected_folder(public: Path) -> None:
    """A file can be written only in a folder that takes a temporary one; the message says so."""
    public.chmod(0o555)
    assert write_as_nobody(public) == "out: cannot write: no permission to write in the folder .\n"
    public.chmod(0o755)
    assert files(public) == {}


def test_device(journal: Journal) -> None:
    """A device is written in place; what it answers is told."""
    write_output("/dev/null", b"new", journal)
    assert Path("/dev/null").is_char_device()
    message = refused(lambda: write_output("/dev/full", b"new", journal))
    assert message == "/dev/full: cannot write: no space left on device"


def test_pipe(folder: Path, journal: Journal) -> None:
    """A named pipe gets the bytes, and stays one."""
    os.mkfifo(folder / "pipe")
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append((folder / "pipe").read_bytes()))
    reader.start()
    write_output("pipe", b"new", journal)
    reader.join()
    assert got == [b"new"]
    assert (folder / "pipe").is_fifo()


def test_open_descriptor(folder: Path, journal: Journal) -> None:
    """What is open already is written, not replaced by another file of its name."""
    with (folder / "out").open("wb") as file:
        write_output(f"/dev/fd/{file.fileno()}", b"new", journal)
        assert os.fstat(file.fileno()).st_size == 3
    assert files(folder) == {"out": b"new"}


def test_standard_output(capfdbinary: pytest.CaptureFixture[bytes], journal: Journal) -> None:
    """`-` is standard output, behind what was printed before."""
    print("first")
    write_output("-", b"\xff\x00", journal)
    assert capfdbinary.readouterr().out == b"first\n\xff\x00"


def test_check(folder: Path) -> None:
    """What could be written passes the early check, which touches nothing."""
    (folder / "old").write_bytes(b"old")
    for path in ("-", "new", "old", "/dev/null", str(folder / "new")):
        check_output(path)
    assert files(folder) == {"old": b"old"}


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    """A document is printed as it is written to files: ASCII, indented, with an end of line."""
    document = {"name": "\N{SNOWMAN}\n", "list": [1, None]}
    print_json(document)
    printed = capsys.readouterr().out
    assert json.loads(printed) == document
    assert printed.isascii()
    assert printed.endswith("}\n")
    assert json_bytes(document).decode() == printed


def test_table() -> None:
    """Columns are as wide as their widest cell; no line ends in blanks."""
    rows = [(1, "a", "x"), (100, "bbb", "")]
    assert render_table(("n", "name", "rest"), rows, right=1) == [
        "  n  name  rest",
        "  1  a     x",
        "100  bbb",
    ]
    assert render_table(("n", "name"), []) == ["n  name"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain \N{SNOWMAN}", "plain \N{SNOWMAN}"),
        ("a\nb\tc", r"a\nb\tc"),
        ("\x1b[2J", r"\x1b[2J"),
        ("\udcff", r"\udcff"),
        ("\u202e", r"\u202e"),
        ("", ""),
    ],
)
def test_printable(text: str, shown: str) -> None:
    """What commands a terminal, or ends the line, is escaped."""
    assert printable(text) == shown
