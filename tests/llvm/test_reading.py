"""Reads one or more inputs into one module: what LTO sees."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from tests.ir import parse
from typemeta.errors import InputError, LinkError, StaleHandleError
from typemeta.llvm.containers import NoIRError
from typemeta.llvm.context import Context
from typemeta.llvm.module import Module
from typemeta.llvm.reading import keep_linkonce, read_bytes, read_module

CALLER = "declare i32 @g()\ndefine i32 @f() {\n  %x = call i32 @g()\n  ret i32 %x\n}\n"
CALLEE = "define i32 @g() {\n  ret i32 7\n}\n"


class StandardInput:
    """What `sys.stdin` is replaced by."""

    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


def write(folder: Path, name: str, contents: str | bytes) -> str:
    """Writes a file; returns its path."""
    path = folder / name
    path.write_bytes(contents.encode() if isinstance(contents, str) else contents)
    return str(path)


def archive(**members: bytes) -> bytes:
    """Returns a Unix archive."""
    parts = [b"!<arch>\n"]
    for name, data in members.items():
        parts.append(f"{name + '/':<16}{0:<12}{0:<6}{0:<6}{644:<8}{len(data):<10}`\n".encode() + data)
        parts.append(b"\n" * (len(data) % 2))
    return b"".join(parts)


def names(module: Module) -> list[str]:
    """Returns the names of the functions, declarations with a `?`."""
    return [value.name + "?" * value.is_declaration for value in module.functions()]


def test_text_and_bitcode_read_alike(tmp_path: Path) -> None:
    """The contents decide, not the suffix."""
    text = write(tmp_path, "a.bc", CALLER)
    code = write(tmp_path, "b.ll", parse(CALLER).bitcode())
    assert names(read_module([text])) == names(read_module([code])) == ["g?", "f"]
    assert read_module([text]).name == text


def test_several_inputs_are_linked_in_order(tmp_path: Path) -> None:
    """Declarations are resolved, and the module is named after the first of several inputs."""
    paths = [
        write(tmp_path, "a.ll", CALLER),
        write(tmp_path, "b.ll", CALLEE),
        write(tmp_path, "c.ll", "define void @h() {\n  ret void\n}\n"),
    ]
    module = read_module(paths)
    assert names(module) == ["f", "g", "h"]
    assert module.name == f"{paths[0]} and 2 more"
    assert names(read_module(paths[::-1])) == ["h", "g", "f"]


def test_an_archive_is_its_members(tmp_path: Path) -> None:
    """The members of an archive are linked, those without IR are left out."""
    data = archive(a=parse(CALLER).bitcode(), readme=b"\x00\x01\x02 no IR", b=CALLEE.encode())
    path = write(tmp_path, "lib.a", data)
    module = read_module([path])
    assert names(module) == ["f", "g"]
    assert module.name == path


def test_an_archive_without_ir(tmp_path: Path) -> None:
    """An archive that holds nothing to read is refused by name."""
    path = write(tmp_path, "lib.a", archive(readme=b"\x00\x01\x02 no IR"))
    with pytest.raises(NoIRError) as caught:
        read_module([path])
    assert caught.value.path == path


def test_a_multi_module_file_is_one_module(tmp_path: Path) -> None:
    """Both modules of a file are linked, and what one needs of the other's linkonce stays."""
    call = "{{\n  %x = call i32 @{}()\n  ret i32 %x\n}}\n"
    first = f"declare i32 @g()\ndefine linkonce_odr i32 @f() {call.format('g')}"
    callee = CALLEE.replace("define", "define linkonce_odr")
    second = f"{callee}declare i32 @f()\ndefine i32 @h() {call.format('f')}"
    path = write(tmp_path, "split.bc", parse(first).bitcode() + parse(second).bitcode())
    module = read_module([path])
    module.verify()
    assert sorted(names(module)) == ["f", "g", "h"]
    assert {value.linkage for value in module.functions() if value.name != "h"} == {"weak_odr"}


def test_inputs_that_are_no_halves_keep_their_linkonce(tmp_path: Path) -> None:
    """Only the modules of one file are treated as halves; others are linked as they are."""
    linkonce = "define linkonce_odr i32 @{}() {{\n  ret i32 7\n}}\n@keep{} = global ptr @{}\n"
    paths = [write(tmp_path, f"{n}.ll", linkonce.format(n, n, n)) for n in ("a", "b")]
    assert {value.linkage for value in read_module(paths).functions()} == {"linkonce_odr"}


def test_keep_linkonce_covers_all_kinds() -> None:
    """Functions, variables and aliases become weak, with and without ODR; other linkages stay."""
    module = parse(
        "@v = linkonce global i32 0\n@o = linkonce_odr global i32 0\n@i = internal global i32 0\n"
        "@a = linkonce_odr alias i32, ptr @o\ndefine linkonce void @f() {\n  ret void\n}\ndeclare void @d()\n"
    )
    keep_linkonce(module)
    linkages = {
        value.name: value.linkage
        for values in (module.functions(), module.variables(), module.aliases())
        for value in values
    }
    assert linkages == {
        "v": "weak",
        "o": "weak_odr",
        "i": "internal",
        "a": "weak_odr",
        "f": "weak",
        "d": "external",
    }


def test_a_clash_names_both_inputs(tmp_path: Path) -> None:
    """The error says which symbol, and in which two of the inputs it is defined."""
    paths = [
        write(tmp_path, "a.ll", CALLER),
        write(tmp_path, "b.ll", CALLEE),
        write(tmp_path, "c.ll", CALLER),
        write(tmp_path, "d.ll", CALLEE),
    ]
    with pytest.raises(LinkError) as caught:
        read_module([paths[0], paths[1], paths[3]])
    assert str(caught.value) == f"g is defined in {paths[1]} and in {paths[3]}; link only one of them"
    assert caught.value.symbol == "g"


def test_a_clash_inside_an_archive_names_the_members(tmp_path: Path) -> None:
    """Members are named as ARCHIVE(MEMBER)."""
    code = parse(CALLEE).bitcode()
    path = write(tmp_path, "lib.a", archive(one=code, two=code))
    with pytest.raises(LinkError) as caught:
        read_module([path])
    assert str(caught.value) == f"g is defined in {path}(one) and in {path}(two); link only one of them"


def test_the_same_input_twice_clashes_with_itself(tmp_path: Path) -> None:
    """Naming a file twice is a clash of the file with itself."""
    path = write(tmp_path, "b.ll", CALLEE)
    with pytest.raises(LinkError, match=rf"^g is defined in {path} and in {path}; "):
        read_module([path, path])


def test_other_link_errors_are_llvms(tmp_path: Path) -> None:
    """An error that is no clash keeps LLVM's words."""
    flag = '!llvm.module.flags = !{{!0}}\n!0 = !{{i32 1, !"mode", i32 {}}}\n'
    paths = [write(tmp_path, f"{n}.ll", flag.format(n)) for n in (1, 2)]
    with pytest.raises(LinkError, match=rf"^cannot link {paths[1]}: .*mode") as caught:
        read_module(paths)
    assert caught.value.symbol is None


def test_no_inputs_are_a_callers_mistake() -> None:
    """There is no module of nothing."""
    with pytest.raises(ValueError, match="at least one input"):
        read_module([])


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """`-` is standard input, called <stdin>."""
    monkeypatch.setattr(sys, "stdin", StandardInput(CALLEE.encode()))
    module = read_module(["-"])
    assert (module.name, names(module)) == ("<stdin>", ["g"])


def test_a_parse_error_on_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """The position is in <stdin>."""
    monkeypatch.setattr(sys, "stdin", StandardInput(b"define nonsense\n"))
    with pytest.raises(InputError, match=r"^<stdin>:1:8: "):
        read_module(["-"])


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    """A missing file, a folder, and a path through a file are told apart, with the path."""
    path = write(tmp_path, "file", "")
    for name, message in (
        (str(tmp_path / "missing.ll"), "no such file or directory"),
        (str(tmp_path), "is a directory; name the files in it"),
        (f"{path}/x", "not a directory"),
    ):
        with pytest.raises(InputError) as caught:
            read_bytes(name)
        assert str(caught.value) == f"{name}: {message}"


def test_an_empty_file_is_no_empty_module(tmp_path: Path) -> None:
    """LLVM would read an empty module from it."""
    with pytest.raises(InputError) as caught:
        read_module([write(tmp_path, "empty.ll", "")])
    assert "empty" in str(caught.value)


def test_a_text_that_does_not_parse(tmp_path: Path) -> None:
    """The error stands at LLVM's line and column of the file."""
    path = write(tmp_path, "bad.ll", "define i32 @f() {\n  ret i64 1\n}\n")
    with pytest.raises(InputError) as caught:
        read_module([path])
    assert (caught.value.path, caught.value.line) == (path, 2)
    assert str(caught.value).startswith(f"{path}:2:")


def test_a_bitcode_that_llvm_cannot_read(tmp_path: Path) -> None:
    """The error says which LLVM could not read it, why, and what to do."""
    code = bytearray(parse(CALLER).bitcode())
    middle = len(code) // 3
    code[middle : middle + 8] = b"\xff" * 8
    path = write(tmp_path, "bad.bc", bytes(code))
    with Context() as context:
        version = context.library.version_text
    with pytest.raises(InputError) as caught:
        read_module([path])
    text = str(caught.value)
    assert text.startswith(f"{path}: LLVM {version} cannot read this bitcode (")
    assert text.endswith("build it again, or name the LLVM that wrote it with --llvm or TYPEMETA_LIBLLVM")
    assert text.count(path) == 1


def test_typed_pointers_are_upgraded_with_a_note(tmp_path: Path) -> None:
    """Old text is read as if written with ptr, and that is said once."""
    path = write(tmp_path, "old.ll", 'declare void @f(i8*) !type !0\n!0 = !{i64 0, !"T"}\n')
    notes: list[str] = []
    module = read_module([path], note=notes.append)
    assert "declare !type !0 void @f(ptr)" in module.print()
    assert notes == [f"{path}: has typed pointers, as in LLVM 14 and older; read as if written with ptr"]
    assert names(read_module([path])) == ["f?"]


def test_an_old_call_is_not_misread(tmp_path: Path) -> None:
    """A callee's explicit pointer type is upgraded before LLVM takes it for the type of the result."""
    text = (
        "declare i32 @g(i8*, ...)\ndefine void @f() {\n  call i32 (i8*, ...)* @g(i8* null)\n  ret void\n}\n"
    )
    module = read_module([write(tmp_path, "old.ll", text)])
    assert "call i32 (ptr, ...) @g(ptr null)" in module.print()


def test_an_error_in_old_text_is_at_its_place(tmp_path: Path) -> None:
    """A fault in text with typed pointers is reported at its line in the file."""
    path = write(tmp_path, "old.ll", "define i8 @f(i8* %p) {\n  %x = lead i8, i8* %p\n  ret i8 %x\n}\n")
    with pytest.raises(InputError) as caught:
        read_module([path])
    assert (caught.value.path, caught.value.line) == (path, 2)


def test_llvms_warnings_are_noted(tmp_path: Path) -> None:
    """What LLVM's linker warns of is a note, on one line."""
    paths = [
        write(tmp_path, f"{n}.ll", f'!llvm.module.flags = !{{!0}}\n!0 = !{{i32 2, !"x", i32 {n}}}\n')
        for n in (1, 2)
    ]
    notes: list[str] = []
    read_module(paths, note=notes.append)
    assert len(notes) == 1
    assert notes[0].startswith("LLVM warning: ")
    assert "'x'" in notes[0]


def test_progress_is_told(tmp_path: Path) -> None:
    """Each module is parsed, and each but the first linked, in order."""
    code = parse(CALLER).bitcode()
    paths = [write(tmp_path, "lib.a", archive(one=code)), write(tmp_path, "b.ll", CALLEE)]
    phrases: list[str] = []
    read_module(paths, progress=phrases.append)
    assert phrases == [f"parsing {paths[0]}(one)", f"parsing {paths[1]}", f"linking {paths[1]}"]


def test_the_context_given_is_used(tmp_path: Path) -> None:
    """The module lives in the context that is given, and closes with it."""
    path = write(tmp_path, "a.ll", CALLEE)
    with Context() as context:
        module = read_module([path], context=context)
        assert module.context is context
    with pytest.raises(StaleHandleError):
        module.print()


def test_a_path_of_any_bytes(tmp_path: Path) -> None:
    """File names that are no UTF-8 can be read, linked and reported."""
    path = os.fsencode(tmp_path) + b"/caf\xe9.ll"
    Path(os.fsdecode(path)).write_text(CALLEE)
    module = read_module([os.fsdecode(path)])
    assert names(module) == ["g"]
    with pytest.raises(LinkError):
        read_module([os.fsdecode(path)] * 2)
