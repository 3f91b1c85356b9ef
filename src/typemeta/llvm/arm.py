"""What 32-bit ARM functions can branch with: a question to LLVM's assembler.

LLVM's C API does not tell the features of a processor, so a one-instruction function with the
attributes in question is assembled.
"""

from __future__ import annotations

from typing import Final

from typemeta.errors import LLVMError
from typemeta.llvm.context import Context
from typemeta.llvm.functions import string_attribute
from typemeta.llvm.module import Module
from typemeta.llvm.target import OBJECT, generate_code, has_target

_ARM_BRANCH: Final = r".arm\0Ab probe"
_WIDE_THUMB_BRANCH: Final = r"b.w probe"


def read_arm_branches(module: Module) -> tuple[bool, bool]:
    """Tells whether a function of the module can execute ARM's `b`, and one Thumb's 4-byte `b.w`.

    Answers as LLVM's pass does when this LLVM cannot target ARM: only by the module's triple.
    """
    is_arm_triple = module.triple.startswith(("arm", "xscale"))
    arm, thumb = is_arm_triple, False
    if not has_target(module.library, module.triple):
        return arm, thumb
    asked: dict[tuple[str, str, bool], tuple[bool, bool]] = {}
    for function in module.functions():
        if not function.is_declaration:
            key = (
                string_attribute(module, function.ref, "target-cpu"),
                string_attribute(module, function.ref, "target-features"),
                is_thumb(module, function.ref),
            )
            if key not in asked:
                asked[key] = _branches(module, *key)
            arm, thumb = arm or asked[key][0], thumb or asked[key][1]
    return arm, thumb


def is_thumb(module: Module, function: int) -> bool:
    """Tells whether a function is Thumb code, by its target features or else by the module's triple."""
    features = string_attribute(module, function, "target-features").split(",")
    modes = [feature for feature in features if feature in ("+thumb-mode", "-thumb-mode")]
    return modes[0] == "+thumb-mode" if modes else module.triple.startswith("thumb")


def _branches(module: Module, cpu: str, features: str, thumb: bool) -> tuple[bool, bool]:
    thumb_features = ",".join(filter(None, [features, "+thumb-mode"]))
    arm = _assembles(module, cpu, thumb_features, _ARM_BRANCH)
    return arm, thumb and _assembles(module, cpu, thumb_features, _WIDE_THUMB_BRANCH)


def _assembles(module: Module, cpu: str, features: str, text: str) -> bool:
    attributes = f'"target-cpu"="{cpu}" ' if cpu else ""
    ir = (
        f'target triple = "{module.triple}"\n'
        f'define void @probe() naked {attributes}"target-features"="{features}" {{\n'
        f'  call void asm sideeffect "{text}", ""()\n  unreachable\n}}\n'
    )
    with Context(module.library) as context:
        try:
            generate_code(Module.parse(ir.encode(), "probe", context=context), OBJECT)
        except LLVMError:
            return False
    return True
