"""Under LLVM's layout, resolutions and layouts are those of LLVM's own pass."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from hypothesis import given

from tests.property.random_modules import FEW, RandomModule, modules
from typemeta.llvm.module import Module
from typemeta.lower.pipeline import lower_module

OPT = Path(sys.executable).parent / "opt"
BASE = re.compile(r"ptrtoint \(ptr (?:getelementptr \(i8, ptr @[\w.]+, i64 (\d+)\)|@[\w.]+) to i64\)")
ROTATION = re.compile(r"@llvm\.fshr\.i64\(i64 %\d+, i64 %\d+, i64 (\d+)\)")
SIZE = re.compile(r"icmp ule i64 %\d+, (\d+)")
AND = re.compile(r"and i(?:32|64) (?:(-?\d+), %\d+|%\d+, (-?\d+))\n")
ALIAS = re.compile(
    r"^@([vf]\d+(?:\.cfi_jt)?) = .*alias .*ptr (@[\w.]+)(?:, i\d+ 0, i\d+ (\d+)\))?$", re.MULTILINE
)


def resolutions(text: str) -> dict[int, tuple[object, ...]]:
    """Returns what each test function's code says: last member, alignment, size, bits, load, constant."""
    found: dict[int, tuple[object, ...]] = {}
    for number, body in re.findall(r"^define i1 @test(\d+)\(.*?\{\n(.*?)^\}", text, re.MULTILINE | re.DOTALL):
        base, rotation, size = BASE.search(body), ROTATION.search(body), SIZE.search(body)
        found[int(number)] = (
            int(base[1] or 0) if base else None,
            rotation and rotation[1],
            size and size[1],
            sorted(left or right for left, right in AND.findall(body)),
            "load i8" in body,
            re.fullmatch(r"\s*ret i1 (?:true|false)\s*", body) and body.strip(),
        )
    return found


def layouts(text: str) -> list[list[str]]:
    """Returns the names in each combined global and jump table, in order."""
    found: dict[str, list[tuple[int, str]]] = {}
    for name, base, element in ALIAS.findall(text):
        found.setdefault(base, []).append((int(element or 0), name))
    return sorted([name for _, name in sorted(members)] for members in found.values())


@FEW
@given(modules(past_the_end=False))
def test_the_same_as_opt(random_module: RandomModule) -> None:
    """Every test has the same kind, size, alignment and bits as under `opt`, every layout the same order."""
    command = [str(OPT), "-S", "-passes=lowertypetests"]
    theirs = subprocess.run(
        command, input=random_module.text, capture_output=True, text=True, check=True
    ).stdout
    module = Module.parse(random_module.text.encode(), "random.ll")
    lower_module(module)
    ours = module.print()
    assert len(resolutions(ours)) == random_module.types
    assert resolutions(ours) == resolutions(theirs)
    assert layouts(ours) == layouts(theirs)
