"""Numeric identifiers are clang's, and triples are read as LLVM reads them."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.cross_dso.opt import TOOLS
from typemeta.cross_dso.identifiers import hash_identifier, is_arm_triple
from typemeta.llvm.module import Module
from typemeta.llvm.passes import run_passes

SOURCE = """\
struct A { virtual void f(); virtual ~A(); };
namespace n { struct B : A { void f() override; }; template <class T> struct C : B { void f() override {} }; }
void A::f() {}
A::~A() {}
void n::B::f() {}
template struct n::C<int (*)(char, ...)>;
int one(int x) { return x; }
void two(const char *p, n::B &b, double) {}
"""
FLAG = '!llvm.module.flags = !{!0}\n!0 = !{i32 4, !"Cross-DSO CFI", i32 1}\n'
_ATTACHED = re.compile(r"!type !(\d+)")
_NODE = re.compile(r'^!(\d+) = !\{i64 (\d+), (?:!"(?P<name>[^"]+)"|i64 (?P<number>-?\d+))\}$', re.MULTILINE)


def test_numbers_are_those_of_clang(tmp_path: Path) -> None:
    """Every number that clang emits is the hash of a name beside it; every plain name has its number."""
    (tmp_path / "a.cpp").write_text(SOURCE)
    checks = ["-fsanitize=cfi-icall,cfi-vcall", "-fsanitize-cfi-cross-dso"]
    flags = ["-flto", "-fPIC", "-fvisibility=hidden", *checks, "-S", "-emit-llvm", "-o", "-"]
    done = subprocess.run(
        [TOOLS / "clang++", *flags, "a.cpp"], cwd=tmp_path, check=True, capture_output=True, text=True
    )
    nodes = {match[1]: match for match in _NODE.finditer(done.stdout)}
    attached = [nodes[number] for number in dict.fromkeys(_ATTACHED.findall(done.stdout)) if number in nodes]
    names = {match["name"] for match in attached if match["name"]}
    numbers = {int(match["number"]) % 2**64 for match in attached if match["number"]}
    assert len(numbers) >= 5
    assert numbers <= {hash_identifier(name) for name in names}
    plain = {name for name in names if not name.endswith((".generalized", ".virtual"))}
    assert {hash_identifier(name) for name in plain} <= numbers


def test_a_number_that_is_known() -> None:
    """The digest's bytes are taken from the front, lowest first; names are bytes in UTF-8."""
    assert hash_identifier("") == 0x04B2008FD98C1DD4  # MD5 of nothing: d41d8cd98f00b204...
    assert hash_identifier("_ZTSFiiE") == 5174074510188755522
    assert hash_identifier("_ZTSFvPcE") == -6918733895931723487 % 2**64
    assert hash_identifier("é") == hash_identifier(b"\xc3\xa9") != hash_identifier(b"\xe9")


ARCHITECTURES = (
    *("arm", "armeb", "thumb", "thumbeb", "armv7", "armv7a", "thumbv7", "armv6m", "armv8m.base", "armebv7"),
    *("armv7eb", "thumbv8.1m.main", "xscale", "xscaleeb", "armv2", "armv9-a", "armv4t", "armv7k", "thumbv4t"),
    *("arm64", "arm64_32", "arm64e", "arm64ec", "aarch64", "aarch64_be", "aarch64_32", "armfoo", "thumbfoo"),
    *(
        "ARM",
        "Arm",
        "iwmmxt",
        "amdgcn",
        "i386",
        "x86_64",
        "riscv32",
        "wasm32",
        "hexagon",
        "loongarch64",
        "avr",
    ),
)


@pytest.mark.parametrize("triple", [f"{name}-unknown-linux" for name in ARCHITECTURES] + ["", "arm", "x"])
def test_triples_as_llvm_reads_them(triple: str) -> None:
    """LLVM's pass makes `__cfi_check` Thumb code on just those triples."""
    module = Module.parse(f'target triple = "{triple}"\n{FLAG}'.encode(), "test.ll")
    run_passes(module, "cross-dso-cfi")
    assert is_arm_triple(triple) == ('"target-features"="+thumb-mode"' in module.print())
