"""Real programs, compiled by clang under control-flow integrity, lowered by typemeta, linked and run."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from typemeta.llvm.reading import read_module
from typemeta.llvm.writing import OutputKind, write_module
from typemeta.lower.pipeline import lower_module

SOURCES = Path(__file__).parent / "sources"
TOOLS = Path(sys.executable).parent
CHECKS = "cfi-vcall,cfi-icall,cfi-nvcall,cfi-derived-cast,cfi-unrelated-cast,cfi-mfcall"
LINK = ["-fuse-ld=lld", "-stdlib=libstdc++", "-rtlib=libgcc", "-unwindlib=libgcc"]
TRAPS = {-signal.SIGILL, -signal.SIGTRAP}


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs a program and returns what it did."""
    return subprocess.run(command, capture_output=True, text=True, check=False)


def build(source: Path, folder: Path, flags: list[str], *, protect: bool) -> Path:
    """Compiles a source, lowers it with typemeta if it is to be protected, and links it."""
    compiler = TOOLS / ("clang" if source.suffix == ".c" else "clang++")
    language = [] if source.suffix == ".c" else ["-std=c++17", "-stdlib=libstdc++"]
    made, program = folder / f"{protect}.o", folder / f"program-{protect}"
    checks = ["-flto", "-fvisibility=hidden", f"-fsanitize={CHECKS}"] if protect else []
    subprocess.run([compiler, *language, *flags, *checks, "-c", source, "-o", made], check=True)
    if protect:
        module = read_module([str(made)])
        plan = lower_module(module)
        module.verify()
        assert plan.resolutions
        made.write_bytes(write_module(module, OutputKind.OBJECT))
    subprocess.run([TOOLS / "clang++", *LINK, made, "-o", program], check=True)
    return program


@pytest.mark.parametrize("optimization", ["-O0", "-O2"])
@pytest.mark.parametrize("name", ["functions.cpp", "classes.cpp"])
def test_a_program_does_the_same(name: str, optimization: str, tmp_path: Path) -> None:
    """A program that breaks no rule prints the same with its tests lowered as without any."""
    protected, plain = (
        run(build(SOURCES / name, tmp_path, [optimization, "-w"], protect=protect))
        for protect in (True, False)
    )
    assert plain.returncode == 0
    assert plain.stdout
    assert (protected.returncode, protected.stdout) == (0, plain.stdout)


@pytest.mark.parametrize("flags", [["-O1"], ["-O1", "-fcf-protection=branch"]])
@pytest.mark.parametrize("name", ["wrong_class.cpp", "wrong_function.c"])
def test_a_violation_is_stopped(name: str, flags: list[str], tmp_path: Path) -> None:
    """A program that breaks a rule dies by the check's trap before it goes through; unprotected it goes."""
    protected, plain = (
        run(build(SOURCES / name, tmp_path, flags, protect=protect)) for protect in (True, False)
    )
    assert plain.returncode == 0
    assert "went through" in plain.stdout
    assert protected.returncode in TRAPS
    assert protected.stdout == plain.stdout.splitlines(keepends=True)[0]
