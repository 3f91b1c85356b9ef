"""Real programs, compiled by clang under control-flow integrity, lowered by typemeta, linked and run."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from typemeta.llvm.passes import run_passes
from typemeta.llvm.reading import read_module
from typemeta.llvm.target import live_type_intrinsics
from typemeta.llvm.writing import OutputKind, write_module
from typemeta.lower.pipeline import lower_module

SOURCES = Path(__file__).parent / "sources"
TOOLS = Path(sys.executable).parent
CHECKS = "cfi-vcall,cfi-icall,cfi-nvcall,cfi-derived-cast,cfi-unrelated-cast,cfi-mfcall"
LINK = ["-fuse-ld=lld", "-stdlib=libstdc++", "-rtlib=libgcc", "-unwindlib=libgcc", "-pthread"]
TRAPS = {-signal.SIGILL, -signal.SIGTRAP}
PROGRAMS = {
    "functions": ["functions.cpp"],
    "callbacks": ["callbacks.c"],
    "classes": ["classes.cpp"],
    "inheritance": ["inheritance.cpp"],
    "parts": ["parts_main.cpp", "parts_other.cpp"],
}
VIOLATIONS = sorted(path.name for path in SOURCES.glob("wrong_*"))


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs a program and returns what it did."""
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


def build(
    sources: Sequence[str], folder: Path, flags: list[str], *, protect: bool, optimization: str = ""
) -> Path:
    """Compiles sources, lowers them together with typemeta if they are to be protected, and links."""
    program = folder / ("protected" if protect else "plain")
    checks = ["-flto", "-fvisibility=hidden", f"-fsanitize={CHECKS}"] if protect else []
    objects = []
    for source in sources:
        is_c = source.endswith(".c")
        language = [] if is_c else ["-std=c++17", "-stdlib=libstdc++"]
        objects.append(program.with_suffix(f".{source}.o"))
        compiler = TOOLS / ("clang" if is_c else "clang++")
        options = [*language, *flags, *checks, "-c"]
        subprocess.run([compiler, *options, SOURCES / source, "-o", objects[-1]], check=True)
    if protect:
        objects = [lower(objects, folder / "lowered.o", optimization)]
    subprocess.run([TOOLS / "clang++", *LINK, *objects, "-o", program], check=True)
    return program


def lower(objects: Sequence[Path], output: Path, optimization: str) -> Path:
    """Lowers LTO objects into one object of machine code; LLVM's passes may run between the two."""
    module = read_module([str(path) for path in objects])
    assert live_type_intrinsics(module)
    plan = lower_module(module)
    module.verify()
    assert plan.resolutions
    assert live_type_intrinsics(module) == {}
    if optimization:
        run_passes(module, optimization)
    output.write_bytes(write_module(module, OutputKind.OBJECT))
    return output


@pytest.mark.parametrize(
    "flags",
    [
        pytest.param(["-O0"], id="O0"),
        pytest.param(["-O2"], id="O2"),
        pytest.param(["-O2", "-fcf-protection=branch"], id="landing-pads"),
        pytest.param(["-O1", "-fno-sanitize-cfi-canonical-jump-tables"], id="not-canonical"),
    ],
)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_does_the_same(name: str, flags: list[str], tmp_path: Path) -> None:
    """A program that breaks no rule prints the same with its tests lowered as without any."""
    sources = PROGRAMS[name]
    protected, plain = (
        run(build(sources, tmp_path, [*flags, "-w"], protect=protect)) for protect in (True, False)
    )
    assert plain.returncode == 0
    assert plain.stdout
    assert (protected.returncode, protected.stdout) == (0, plain.stdout)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_does_the_same_when_optimized(name: str, tmp_path: Path) -> None:
    """LLVM's optimizer may work on lowered code: the program still prints the same."""
    sources = PROGRAMS[name]
    protected = run(build(sources, tmp_path, ["-O2", "-w"], protect=True, optimization="lto<O2>,default<O2>"))
    plain = run(build(sources, tmp_path, ["-O2", "-w"], protect=False))
    assert (protected.returncode, protected.stdout) == (0, plain.stdout)


@pytest.mark.parametrize("flags", [["-O1"], ["-O2", "-fcf-protection=branch"]], ids=" ".join)
@pytest.mark.parametrize("name", VIOLATIONS)
def test_a_violation_is_stopped(name: str, flags: list[str], tmp_path: Path) -> None:
    """A program that breaks a rule dies by the check's trap before it goes through; unprotected it goes."""
    protected, plain = (run(build([name], tmp_path, flags, protect=protect)) for protect in (True, False))
    assert plain.returncode == 0
    assert "went through" in plain.stdout
    assert protected.returncode in TRAPS
    assert protected.stdout == plain.stdout.splitlines(keepends=True)[0]


def test_every_kind_of_violation_is_there() -> None:
    """No program was lost: the sources have the violations that the checks are about."""
    assert [Path(name).stem for name in VIOLATIONS] == [
        *("wrong_class", "wrong_derived", "wrong_function", "wrong_member", "wrong_object", "wrong_unrelated")
    ]
