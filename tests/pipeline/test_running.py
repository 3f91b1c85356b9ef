"""A pipeline is run step by step: what is ours, what is LLVM's, and what is left to LLVM's program."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.ir import TYPE_TEST, X86_64
from typemeta.errors import InputError, LLVMError, TypemetaError
from typemeta.llvm.find import FoundLibrary
from typemeta.llvm.library import load
from typemeta.llvm.module import Module
from typemeta.pipeline import OptOptions, parse_pipeline
from typemeta.pipeline.running import find_program, run_pipeline, run_program

TEXT = f"""{X86_64}{TYPE_TEST}
@a = internal constant i32 1, !type !0
@b = internal constant i32 2, !type !0
define internal void @dead() {{
  ret void
}}
define i1 @f(ptr %p) {{
  %x = call i1 @llvm.type.test(ptr %p, metadata !"T")
  ret i1 %x
}}
define ptr @g(i1 %c) {{
  %x = select i1 %c, ptr @a, ptr @b
  ret ptr %x
}}
!0 = !{{i64 0, !"T"}}
"""
BROKEN = """
define i32 @f() {
  %x = add i32 %x, 1
  ret i32 %x
}
"""


def run(
    text: str, passes: str, notes: list[str] | None = None, **options: object
) -> tuple[Module, str | None]:
    """Runs a pipeline on a text; returns the module and the summary it leaves."""
    module = Module.parse(text.encode(), "test.ll")
    asked = OptOptions(**options)  # type: ignore[arg-type]  # the tests' own keywords
    noted = notes if notes is not None else []
    progress: list[str] = []
    summary = run_pipeline(module, parse_pipeline(passes), asked, note=noted.append, progress=progress.append)
    return module, summary


def test_ours_and_llvms_in_order() -> None:
    """Our pass sees what the passes before it left, and those behind it see what it made."""
    before, _ = run(TEXT, "lowertypetests")
    assert "@dead" in before.print()
    assert not re.search(r"call .*@llvm\.type\.test", before.print())
    after, _ = run(TEXT, "globaldce,lowertypetests,strip-dead-prototypes")
    assert "@dead" not in after.print()
    assert "declare i1 @llvm.type.test" not in after.print()


@pytest.mark.parametrize(
    "passes", ["drop-type-tests", "drop-type-tests<assume>", "module(drop-type-tests<all>)"]
)
def test_dropping(passes: str) -> None:
    """`drop-type-tests` puts true in the place of tests."""
    module, _ = run(TEXT, passes)
    assert "ret i1 true" in module.print()


def test_dropping_by_the_option() -> None:
    """Up to LLVM 22 an option says that lowertypetests drops."""
    module, _ = run(TEXT, "lowertypetests", drop_type_tests="all")
    assert "ret i1 true" in module.print()


def test_summary(tmp_path: Path) -> None:
    """The summary that is read is written again; without an export nothing is added."""
    path = tmp_path / "in.yaml"
    path.write_text("---\nTypeIdMap:\n  T:\n    TTRes:\n      Kind: Single\n...\n")
    _, summary = run(TEXT, "lowertypetests", summary_to_read=str(path), summary_to_write="out.yaml")
    assert summary is not None
    assert re.search(r"T:\n +TTRes:\n +Kind: +Single\n", summary)
    _, nothing = run(TEXT, "lowertypetests", summary_to_read=str(path))
    assert nothing is None


def test_summary_that_cannot_be_read(tmp_path: Path) -> None:
    """The message names the file."""
    with pytest.raises(InputError) as caught:
        run(TEXT, "lowertypetests", summary_to_read=str(tmp_path / "none.yaml"))
    assert str(caught.value) == f"{tmp_path}/none.yaml: no such file or directory"


def test_unknown_pass() -> None:
    """LLVM's reason is given."""
    with pytest.raises(LLVMError, match="unknown module pass 'no-such-pass'"):
        run(TEXT, "lowertypetests,no-such-pass")


def test_broken_module() -> None:
    """A module that LLVM's verifier refuses is not worked on, unless one insists."""
    with pytest.raises(LLVMError, match=r"test\.ll: LLVM's verifier refuses the module"):
        run(BROKEN, "globaldce")
    module, _ = run(BROKEN, "globaldce", disable_verify=True)
    assert "%x = add i32 %x, 1" in module.print()


def test_no_target() -> None:
    """That passes do not know a target is noted, if there are passes of LLVM."""
    text = 'target triple = "nonsense-unknown-linux"\n'
    notes: list[str] = []
    run(text, "globaldce", notes)
    assert len(notes) == 1
    assert notes[0].startswith("this LLVM has no target for nonsense-unknown-linux")
    run(text, "lowertypetests", notes)
    run(text, "", notes)
    assert len(notes) == 1


def library_at(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Makes the loaded library appear to come from another place."""
    monkeypatch.setattr(load(), "found", FoundLibrary(str(path), "test"))


def test_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program beside the library gets the command line as it is; its exit code is returned."""
    for folder in ("bin", "lib"):
        (tmp_path / folder).mkdir()
    program = tmp_path / "bin" / "opt"
    program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/said\nexit 3\n')
    library_at(tmp_path / "lib" / "libLLVM.so", monkeypatch)
    assert find_program(load()) is None  # not executable
    program.chmod(0o755)
    assert run_program(load(), ["--thinlto-bc", "x.ll"], ["--thinlto-bc"]) == 3
    assert (tmp_path / "said").read_text() == "--thinlto-bc x.ll\n"


def test_program_behind_a_link(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A link to the library leads to its installation."""
    for folder in ("bin", "lib"):
        (tmp_path / "llvm" / folder).mkdir(parents=True)
    (tmp_path / "llvm" / "lib" / "libLLVM.so.1").touch()
    program = tmp_path / "llvm" / "bin" / "opt"
    program.touch(0o755)
    link = tmp_path / "lib" / "libLLVM.so"
    link.parent.mkdir()
    link.symlink_to(tmp_path / "llvm" / "lib" / "libLLVM.so.1")
    library_at(link, monkeypatch)
    assert find_program(load()) == program


def test_no_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the program the message says what it was needed for."""
    library_at(tmp_path / "lib" / "libLLVM.so", monkeypatch)
    with pytest.raises(TypemetaError) as caught:
        run_program(load(), ["-S", "--thinlto-bc"], ["--thinlto-bc"])
    assert str(caught.value) == (
        "--thinlto-bc: only LLVM's program opt can do this, "
        f"and there is none beside {tmp_path}/lib/libLLVM.so; install LLVM's tools of this version"
    )
