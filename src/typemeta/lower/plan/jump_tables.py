"""Chooses how a jump table is written: instruction set, size of an entry, and the text of an entry.

    f:  jmp f.cfi ; int3 ; int3 ; int3        x86, 8 bytes
    g:  bti c ; b g.cfi                       AArch64 with landing pads, 8 bytes

Entries are equally far apart, a power of two, so that a test of a function pointer is the same
arithmetic as one of a vtable pointer. Sizes and sequences are those of LLVM's LowerTypeTests pass.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from typemeta.errors import MetadataError
from typemeta.lower.plan.exports import Exports
from typemeta.lower.plan.records import FunctionIndices, JumpTable, JumpTableArch
from typemeta.model import GlobalIndex, TypeModel

_LANDING_PAD_FLAGS: Final = {
    JumpTableArch.X86: "cf-protection-branch",
    JumpTableArch.X86_64: "cf-protection-branch",
    JumpTableArch.THUMB: "branch-target-enforcement",
    JumpTableArch.AARCH64: "branch-target-enforcement",
}
_ENTRY_SIZES: Final = {  # bytes without and with a landing pad
    JumpTableArch.X86: (8, 16),
    JumpTableArch.X86_64: (8, 16),
    JumpTableArch.ARM: (4, 4),
    JumpTableArch.THUMB: (4, 8),
    JumpTableArch.AARCH64: (4, 8),
    JumpTableArch.RISCV32: (8, 8),
    JumpTableArch.RISCV64: (8, 8),
    JumpTableArch.LOONGARCH64: (8, 8),
}
_NARROW_THUMB_ENTRY_SIZE: Final = 16
_ARCHS: Final = (  # by the first component of a target triple
    (re.compile(r"i[3-9]86"), JumpTableArch.X86),
    (re.compile(r"x86_64h?|amd64"), JumpTableArch.X86_64),
    (re.compile(r"aarch64|arm64e?"), JumpTableArch.AARCH64),
    (re.compile(r"arm(v[\w.]+)?|xscale"), JumpTableArch.ARM),
    (re.compile(r"thumb(v[\w.]+)?"), JumpTableArch.THUMB),
    (re.compile(r"riscv32"), JumpTableArch.RISCV32),
    (re.compile(r"riscv64"), JumpTableArch.RISCV64),
    (re.compile(r"loongarch64"), JumpTableArch.LOONGARCH64),
)
_WASM: Final = re.compile(r"wasm(32|64)")


def plan_functions(
    model: TypeModel, ordered: tuple[GlobalIndex, ...], exports: Exports, first_index: int
) -> JumpTable | FunctionIndices:
    """Returns what the functions of one disjoint set become.

    Args:
        model: the model.
        ordered: the functions, in layout order.
        exports: what other modules of a ThinLTO link need.
        first_index: for WebAssembly the first free index in the table of indirect functions.

    Raises:
        MetadataError: LLVM has no jump table for the target.
    """
    component = model.triple.split("-", 1)[0]
    if _WASM.fullmatch(component):
        return FunctionIndices(members=ordered, first=first_index)
    for pattern, arch in _ARCHS:
        if pattern.fullmatch(component):
            return _plan_jump_table(model, _encoding(model, arch, ordered, exports), ordered, exports)
    target = f"target triple '{model.triple}'" if model.triple else "a module without a target triple"
    names = ", ".join([*JumpTableArch, "wasm32 and wasm64"])
    raise MetadataError(
        f"@{model.globals[ordered[0]].name}",
        f"functions need a jump table, and there is none for {target}; there is one for {names}",
    )


def _plan_jump_table(
    model: TypeModel, arch: JumpTableArch, ordered: tuple[GlobalIndex, ...], exports: Exports
) -> JumpTable:
    flag = _LANDING_PAD_FLAGS.get(arch)
    wide = arch is not JumpTableArch.THUMB or model.arm_branches.thumb
    landing_pads = bool(flag and model.flags.get(flag)) and wide
    return JumpTable(
        members=ordered,
        arch=arch,
        entry_size=_ENTRY_SIZES[arch][landing_pads] if wide else _NARROW_THUMB_ENTRY_SIZE,
        landing_pads=landing_pads,
        wide_branch=wide,
        canonical=tuple(exports.is_canonical(model, member) for member in ordered),
        exported=tuple(member in exports.functions for member in ordered),
    )


def _encoding(
    model: TypeModel, arch: JumpTableArch, ordered: Sequence[GlobalIndex], exports: Exports
) -> JumpTableArch:
    """Returns ARM or Thumb for a table on 32-bit ARM, by what its members are; other targets unchanged.

    A table is of one kind as a whole. A member of the other kind costs a veneer in the linker.
    """
    if arch not in (JumpTableArch.ARM, JumpTableArch.THUMB):
        return arch
    if model.arm_branches.arm and not model.arm_branches.thumb:
        return JumpTableArch.ARM  # a Thumb-1 entry is large and slow
    thumb = sum(exports.is_canonical(model, member) and model.globals[member].thumb for member in ordered)
    return JumpTableArch.ARM if len(ordered) - thumb > thumb else JumpTableArch.THUMB


def entry_text(table: JumpTable) -> str:
    """Returns the assembly of one entry; operand 0 is the function."""
    match table.arch:
        case JumpTableArch.X86 | JumpTableArch.X86_64:
            if not table.landing_pads:
                return "jmp ${0:c}@plt\nint3\nint3\nint3\n"
            landing_pad = "endbr64" if table.arch is JumpTableArch.X86_64 else "endbr32"
            return f"{landing_pad}\njmp ${{0:c}}@plt\n.balign 16, 0xcc\n"
        case JumpTableArch.ARM:
            return "b $0\n"
        case JumpTableArch.AARCH64:
            return "bti c\nb $0\n" if table.landing_pads else "b $0\n"
        case JumpTableArch.THUMB if table.wide_branch:
            return "bti\nb.w $0\n" if table.landing_pads else "b.w $0\n"
        case JumpTableArch.THUMB:
            # Armv6-M cannot branch far without a register. The distance is added to pc in r0, which is
            # then popped into pc while r0 gets its old value back. 16 bytes with the distance.
            return (
                "push {r0,r1}\nldr r0, 1f\n0: add r0, r0, pc\nstr r0, [sp, #4]\npop {r0,pc}\n"
                ".balign 4\n1: .word $0 - (0b + 4)\n"
            )
        case JumpTableArch.RISCV32 | JumpTableArch.RISCV64:
            return "tail $0@plt\n"
        case JumpTableArch.LOONGARCH64:
            return "pcalau12i $$t0, %pc_hi20($0)\njirl $$r0, $$t0, %pc_lo12($0)\n"


def table_attributes(table: JumpTable) -> dict[str, str]:
    """Returns the string attributes that the function holding a table needs to be assembled as written."""
    match table.arch:
        case JumpTableArch.ARM:
            return {"target-features": "-thumb-mode"}
        case JumpTableArch.THUMB if table.landing_pads:
            return {"target-features": "+thumb-mode,+pacbti"}
        case JumpTableArch.THUMB if table.wide_branch:
            return {"target-features": "+thumb-mode", "target-cpu": "cortex-a8"}
        case JumpTableArch.THUMB:
            return {"target-features": "+thumb-mode"}
        case JumpTableArch.RISCV32 | JumpTableArch.RISCV64:
            return {"target-features": "-c,-relax"}  # entries must keep their size
        case _:
            return {}
