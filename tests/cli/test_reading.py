"""Inputs that cannot be read: one line that names the file and says what to do, and nothing written."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command import SETS, TARGET, Typemeta
from typemeta.cli.reading import name_inputs

NOBODY = 65534
KINDS = "give LLVM IR, bitcode, an object or an archive"


def refused_by_all(typemeta: Typemeta, name: str, stdin: str = "") -> str:
    """The message for an input; the same from every command, and an old output stays as it is."""
    typemeta.write("out.o", "old")
    [message] = {
        typemeta.refuses("show", name, stdin=stdin),
        typemeta.refuses("test", name, "T", "@a", stdin=stdin),
        typemeta.refuses("lower", name, "-o", "out.o", "--report", "report.json", stdin=stdin),
        typemeta.refuses("run", name, "f", stdin=stdin),
    }
    return message


@pytest.mark.parametrize("text", ["", " ", "\n\n \t\n", "\f\v\r\n"])
def test_empty(typemeta: Typemeta, text: str) -> None:
    """A file with nothing in it is no empty module."""
    typemeta.write("x.ll", text)
    assert refused_by_all(typemeta, "x.ll") == f"x.ll: is empty; {KINDS}"


def test_text_that_does_not_parse(typemeta: Typemeta) -> None:
    """LLVM's message comes with line and column."""
    typemeta.write("x.ll", "define void @f() {\n  rot void\n}\n")
    assert refused_by_all(typemeta, "x.ll") == "x.ll:2:3: expected instruction opcode"


def test_truncated_bitcode(typemeta: Typemeta) -> None:
    """Bitcode whose end is missing."""
    assert typemeta("lower", "sets.ll", "-o", "whole.bc").returncode == 0
    whole = (typemeta.folder / "whole.bc").read_bytes()
    (typemeta.folder / "x.bc").write_bytes(whole[: len(whole) // 2])
    message = refused_by_all(typemeta, "x.bc")
    assert message.startswith("x.bc: is truncated: the block (module) at offset ")
    assert message.endswith("bytes past the end; build it again")


def test_damaged_bitcode(typemeta: Typemeta) -> None:
    """Bitcode that is whole and wrong: LLVM's words, and what may help."""
    assert typemeta("lower", "sets.ll", "-o", "whole.bc").returncode == 0
    damaged = bytearray((typemeta.folder / "whole.bc").read_bytes())
    damaged[60:100] = b"\xff" * 40
    (typemeta.folder / "x.bc").write_bytes(damaged)
    message = refused_by_all(typemeta, "x.bc")
    assert message.startswith("x.bc: LLVM ")
    assert " cannot read this bitcode (" in message
    assert message.endswith("build it again, or name the LLVM that wrote it with --llvm or TYPEMETA_LIBLLVM")


def test_object_without_bitcode(typemeta: Typemeta, objects: Path) -> None:
    """An object of machine code; the message says how to get another."""
    message = refused_by_all(typemeta, str(objects / "native.o"))
    assert message == (
        f"{objects / 'native.o'}: is an ELF object without bitcode; compile with -flto or -ffat-lto-objects"
    )


def test_neither_text_nor_known(typemeta: Typemeta) -> None:
    """Other bytes."""
    (typemeta.folder / "x.bin").write_bytes(bytes(range(256)))
    message = refused_by_all(typemeta, "x.bin")
    assert message == f"x.bin: is neither text nor a known kind of file; {KINDS}"


def test_folder(typemeta: Typemeta) -> None:
    """A folder is no input."""
    (typemeta.folder / "folder").mkdir()
    assert refused_by_all(typemeta, "folder") == "folder: is a directory; name the files in it"


def test_missing_file(typemeta: Typemeta) -> None:
    """A file that is not there, alone or among others."""
    assert refused_by_all(typemeta, "none.ll") == "none.ll: no such file or directory"
    assert typemeta.refuses("show", "sets.ll", "none.ll") == "none.ll: no such file or directory"
    assert typemeta.refuses("show", "sets.ll/x") == "sets.ll/x: not a directory"


def test_empty_name(typemeta: Typemeta) -> None:
    """What a script's unset variable leaves."""
    assert refused_by_all(typemeta, "") == "the name of an input is empty; an unset variable of a script?"


def test_unreadable_file(typemeta: Typemeta) -> None:
    """A file that the user may not read."""
    typemeta.write("x.ll", SETS).chmod(0)
    script = (
        "import os\nfrom typemeta.errors import InputError\nfrom typemeta.llvm.reading import read_bytes\n"
        f"if os.geteuid() == 0:\n    os.setgid({NOBODY})\n    os.setuid({NOBODY})\n"
        "try:\n    read_bytes('x.ll')\nexcept InputError as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=typemeta.folder, capture_output=True, text=True, check=True
    )
    assert done.stdout == "x.ll: permission denied\n"


def test_standard_input(typemeta: Typemeta) -> None:
    """Standard input has a name in messages too."""
    assert refused_by_all(typemeta, "-") == f"<stdin>: is empty; {KINDS}"
    assert refused_by_all(typemeta, "-", stdin="no IR\n") == "<stdin>:1:1: expected top-level entity"


def test_closed_standard_input(typemeta: Typemeta) -> None:
    """Standard input that is closed is as good as empty."""
    message = typemeta.refuses("show", "-", before="os.close(0)")
    assert message == f"<stdin>: is empty; {KINDS}"


@pytest.mark.parametrize(
    ("node", "fault"),
    [
        ('!{!"T"}', "a !type node must have 2 operands (offset, type identifier), this one has 1"),
        (
            '!{i64 0, !"T", i64 1}',
            "a !type node must have 2 operands (offset, type identifier), this one has 3",
        ),
        ('!{!"0", !"T"}', "the offset of a !type node must be a constant"),
        ('!{ptr @a, !"T"}', "the offset of a !type node must be an integer constant"),
        ("!{i64 0, null}", "the type identifier of a !type node must not be null"),
    ],
)
def test_malformed_type(typemeta: Typemeta, node: str, fault: str) -> None:
    """A malformed `!type`: the file, the global, and what is wrong."""
    typemeta.write("x.ll", f"{TARGET}@a = global i32 0\n@b = global i32 0, !type !0\n!0 = {node}\n")
    typemeta.write("out.bc", "old")
    for command in (("show", "x.ll"), ("test", "x.ll", "T", "@a"), ("lower", "x.ll", "-o", "out.bc")):
        assert typemeta.refuses(*command) == f"x.ll: @b: {fault}"


def test_all_malformed_types(typemeta: Typemeta) -> None:
    """Several faults are told together, on one line."""
    typemeta.write("x.ll", "@a = global i8 0, !type !0\n@b = global i8 0, !type !0\n!0 = !{}\n")
    message = typemeta.refuses("show", "x.ll")
    assert message.startswith("x.ll: @a: ")
    assert "; @b: " in message


def test_member_that_cannot_be_laid_out(typemeta: Typemeta) -> None:
    """A tested set with a thread-local member: which member, in which file."""
    typemeta.write("x.ll", SETS.replace("@a = internal global", "@a = internal thread_local global"))
    typemeta.write("out.bc", "old")
    message = typemeta.refuses("lower", "x.ll", "-o", "out.bc")
    assert message == "x.ll: @a: a member of a type identifier may not be thread-local"


def test_module_that_does_not_verify(typemeta: Typemeta) -> None:
    """What LLVM's parser takes and its verifier does not is told on one line, and not all of it."""
    flags = "\n".join(f'!{number} = !{{i32 99, !"flag{number}", i32 0}}' for number in range(9))
    nodes = ", ".join(f"!{number}" for number in range(9))
    typemeta.write("x.ll", f"{TARGET}!llvm.module.flags = !{{{nodes}}}\n{flags}\n")
    typemeta.write("out.bc", "old")
    message = typemeta.refuses("lower", "x.ll", "-o", "out.bc")
    assert message.startswith("x.ll: LLVM's verifier refuses the module: invalid behavior operand")
    assert message.endswith(" lines more, see --debug")


def test_symbol_defined_twice(typemeta: Typemeta, objects: Path) -> None:
    """Two inputs that define a symbol: which, and where."""
    for name in ("x.ll", "y.ll"):
        typemeta.write(name, f"{TARGET}define void @clash() {{\n  ret void\n}}\n")
    typemeta.write("out.bc", "old")
    expected = "clash is defined in x.ll and in y.ll; link only one of them"
    assert typemeta.refuses("show", "sets.ll", "x.ll", "y.ll") == expected
    assert typemeta.refuses("lower", "sets.ll", "x.ll", "y.ll", "-o", "out.bc") == expected
    assert "is defined in " in typemeta.refuses("show", objects / "shapes.a", objects / "shapes.o")


@pytest.mark.parametrize("name", ["\udcff.ll", "with space.ll", "\N{SNOWMAN}.ll", "-x.ll"])
def test_odd_names(typemeta: Typemeta, name: str) -> None:
    """A file may have any name; after `--` even that of an option."""
    typemeta.write(name, SETS)
    done = typemeta("show", "--type", "typeid1", "--", name)
    assert (done.returncode, done.stderr) == (0, "")
    done = typemeta("lower", "-o", "out.o", "--", name)
    assert (done.returncode, done.stderr) == (0, "")
    typemeta.write(name, "no IR\n")
    shown = name.replace("\udcff", r"\udcff")
    assert typemeta.refuses("show", "--", name) == f"{shown}:1:1: expected top-level entity"


@pytest.mark.parametrize(
    ("inputs", "phrase"),
    [(["a.bc"], "a.bc"), (["a.bc", "b.bc"], "a.bc and 1 more"), (["-"] * 9, "- and 8 more")],
)
def test_name_inputs(inputs: list[str], phrase: str) -> None:
    """Many inputs make no long line."""
    assert name_inputs(inputs) == phrase
