"""Modules are read for the target that the command line names: the same as opt makes of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from typemeta.llvm.context import Context
from typemeta.llvm.library import load
from typemeta.llvm.module import Module
from typemeta.pipeline.command_line import OptOptions
from typemeta.pipeline.reading import infer_data_layout, read_opt_input

OPT = Path(sys.executable).with_name("opt")

TRIPLES = (
    *("x86_64-linux", "i686", "i686-pc-win32", "x86_64-apple-macosx10.8.0"),
    *("arm-unknown-linux-gnu", "armv7-linux-android", "thumbv7m-none-eabi", "armeb-linux-gnu"),
    *("thumbv7-pc-windows-msvc", "aarch64-linux-gnu", "aarch64_be-linux-gnu", "arm64-apple-darwin"),
    *("arm64_32-apple-watchos", "aarch64-pc-windows-msvc", "aarch64-linux-gnu_ilp32"),
    *("riscv32-unknown-linux-gnu", "riscv64-unknown-linux-gnu", "loongarch32-linux", "loongarch64-linux"),
    *("hexagon-unknown-linux-musl", "wasm32-unknown-unknown", "wasm64-unknown-unknown"),
    "wasm32-unknown-emscripten",
)
TEXT = """\
define i64 @f(ptr %p) {
  %x = load i64, ptr %p
  %y = alloca i64
  %z = ptrtoint ptr getelementptr (ptr, ptr null, i32 1) to i64
  ret i64 %z
}
define void @g() "target-cpu"="x86-64" "target-features"="+sse3" {
  ret void
}
"""


def read(path: Path, **options: Any) -> Module:
    """Reads a module as `typemeta opt` does."""
    return read_opt_input(OptOptions(input=str(path), **options), context=Context())


def by_opt(path: Path, *options: str) -> str:
    """What opt prints."""
    done = subprocess.run([OPT, "-S", *options, path], capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.parametrize("triple", TRIPLES)
def test_the_same_as_opt(tmp_path: Path, triple: str) -> None:
    """The triple is put in order, and its data layout decides what alignments the text does not name."""
    path = tmp_path / "x.ll"
    path.write_text(TEXT)
    assert read(path, triple=triple).print() == by_opt(path, f"-mtriple={triple}")


def test_data_layout(tmp_path: Path) -> None:
    """A layout that is asked for replaces the text's before it is parsed."""
    path = tmp_path / "x.ll"
    path.write_text(f'target datalayout = "E-p:64:64"\n{TEXT}')
    layout = "e-p:32:32-i64:32"
    module = read(path, data_layout=layout)
    assert module.print() == by_opt(path, f"-data-layout={layout}")
    assert "load i64, ptr %p, align 4" in module.print()


def test_bitcode(tmp_path: Path) -> None:
    """Bitcode gets the target after it was read."""
    path = tmp_path / "x.bc"
    path.write_bytes(Module.parse(TEXT.encode(), "x.ll").bitcode())
    module = read(path, triple="x86_64-linux")
    assert (module.triple, module.pointer_bits) == ("x86_64-unknown-linux", 64)
    assert module.print() == by_opt(path, "-mtriple=x86_64-linux")


def test_processor(tmp_path: Path) -> None:
    """Functions that name no processor get one; features are added to those that a function has."""
    path = tmp_path / "x.ll"
    path.write_text(TEXT)
    module = read(path, triple="x86_64-linux", cpu="skylake", features="+avx")
    assert module.print() == by_opt(path, "-mtriple=x86_64-linux", "-mcpu=skylake", "-mattr=+avx")
    assert '"target-features"="+sse3,+avx"' in module.print()


def test_unknown_triple() -> None:
    """No layout is made up for a target that nobody knows."""
    assert infer_data_layout(load(), "nonsense-unknown-linux") == ""
