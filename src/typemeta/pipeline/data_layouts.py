"""Data layouts of targets that a libLLVM may lack: those that have jump tables.

LLVM 23 and later know the layout of every triple; their C interface tells it only of a target that the
library can generate code for. Taken from what `opt -mtriple=` of LLVM 23 prints.
"""

from __future__ import annotations

import re
from typing import Final

_AARCH64: Final = "p270:32:32-p271:32:32-p272:64:64"
_FORMATS: Final = ((re.compile("windows|win32|uefi"), "w"), (re.compile("apple|darwin|macos|ios"), "o"))


def known_layout(triple: str) -> str:
    """Returns the data layout of a normalized triple; empty if it is none of these targets."""
    arch = triple.partition("-")[0]
    mangling = next((letter for system, letter in _FORMATS if system.search(triple)), "e")
    if re.match("(aarch64|arm64)", arch):
        return _aarch64(arch, mangling, triple)
    if re.match("(arm|thumb|xscale)", arch):
        return _arm(arch, mangling, triple)
    if arch in ("wasm32", "wasm64"):
        bits = arch.removeprefix("wasm")
        wide = "-f128:64" if "emscripten" in triple else ""
        return f"e-m:e-p:{bits}:{bits}-p10:8:8-p20:8:8-i64:64-i128:128{wide}-n32:64-S128-ni:1:10:20"
    return _OTHERS.get(arch, "")


_OTHERS: Final = {
    "riscv32": "e-m:e-p:32:32-i64:64-n32-S128",
    "riscv64": "e-m:e-p:64:64-i64:64-i128:128-n32:64-S128",
    "loongarch32": "e-m:e-p:32:32-i64:64-n32-S128",
    "loongarch64": "e-m:e-p:64:64-i64:64-i128:128-n32:64-S128",
    "hexagon": (
        "e-m:e-p:32:32:32-a:0-n16:32-i64:64:64-i32:32:32-i16:16:16-i1:8:8-f32:32:32-f64:64:64-"
        "v32:32:32-v64:64:64-v512:512:512-v1024:1024:1024-v2048:2048:2048"
    ),
}


def _aarch64(arch: str, mangling: str, triple: str) -> str:
    end = "E" if arch.endswith("_be") else "e"
    narrow = "-p:32:32" if triple.endswith("_ilp32") or arch == "arm64_32" else ""
    tail = "i64:64-i128:128-n32:64-S128-Fn32"
    if mangling == "o":
        return f"{end}-m:o{narrow}-{_AARCH64}-{tail}"
    if mangling == "w":
        return f"{end}-m:w-{_AARCH64}-p:64:64-i32:32-{tail}"
    return f"{end}-m:e{narrow}-{_AARCH64}-i8:8:32-i16:16:32-{tail}"


def _arm(arch: str, mangling: str, triple: str) -> str:
    if mangling == "o" or "netbsd" in triple:
        return ""  # their layouts depend on the version of the architecture
    end = "E" if "eb" in arch else "e"
    return f"{end}-m:{mangling}-p:32:32-Fi8-i64:64-v128:64:128-a:0:32-n32-S64"
