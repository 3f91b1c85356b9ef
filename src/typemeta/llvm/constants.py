"""Replaces global values inside constants, and constants by computed values.

LLVM's C API can replace all uses of a value or none, and replacing all uses changes metadata too, which
speaks of the value itself. So uses are found by walking up from the value through the constants that
hold it, and every instruction, initializer or function at the end of the walk gets a rebuilt operand.
Each constant is rebuilt once, however many of its elements change: linear where replacing uses one by
one is quadratic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from typemeta.llvm.edit import Editor
from typemeta.llvm.functions import is_direct_call, users

_GEP: Final = 29  # LLVMGetElementPtr
_FIRST_CAST, _LAST_CAST = 30, 41  # LLVMTrunc to LLVMBitCast
_EXTRACT_ELEMENT, _INSERT_ELEMENT = 50, 51  # of LLVMOpcode
_LATER_CASTS: Final = frozenset({60, 69})  # LLVMAddrSpaceCast, LLVMPtrToAddr (LLVM 22)


class Replacement:
    """Replaces some global values wherever code or data uses them.

    Args:
        editor: the session.
        constants: what takes a value's place, a constant.
        computed: what takes a value's place, emitted where the editor stands at each use. Initializers
            that hold such a value must be moved into code first (`variables_using`).
        kept: values whose direct calls stay.
        opaque: called for a constant that only LLVM can build anew (`dso_local_equivalent`, `no_cfi`)
            with the constant and the value in it; returns what takes the constant's place, or None to
            leave it.
    """

    def __init__(
        self,
        editor: Editor,
        constants: Mapping[int, int],
        computed: Mapping[int, Callable[[], int]],
        kept: frozenset[int],
        opaque: Callable[[int, int], int | None],
    ) -> None:
        self._editor, self._c = editor, editor.c
        self._constants = dict(constants)
        self._computed = computed
        self._kept = kept
        self._opaque = opaque
        self._affected: dict[int, bool] = {}  # constant -> whether it needs code
        self._rebuilt: dict[int, int] = {}

    def run(self) -> None:
        """Replaces every use, except in aliases and ifuncs."""
        roots = dict.fromkeys(self._walk_up())
        for root in roots:
            if self._c.LLVMIsAInstruction(root):
                self._rewrite_instruction(root)
            elif self._c.LLVMIsAGlobalVariable(root):
                contents = self._editor.initializer(root)
                if not self._affected.get(contents):  # an initializer cannot hold code
                    self._editor.set_initializer(root, self._rebuild(contents))
            elif self._c.LLVMIsAFunction(root):
                self._rewrite_function(root)

    def _walk_up(self) -> Iterator[int]:
        """Marks the constants that hold a replaced value; yields the users that are no constants."""
        c, module = self._c, self._editor.module
        for value in (*self._constants, *self._computed):  # computed ones last: their mark is the stronger
            needs_code = value in self._computed
            self._affected[value] = needs_code
            pending = [value]
            while pending:
                held = pending.pop()
                for user in list(users(module, held)):
                    if c.LLVMIsAInstruction(user) or c.LLVMIsAGlobalValue(user):
                        yield user
                    elif not _can_rebuild(c, user):
                        pending += self._note_opaque(user, held)
                    elif user not in self._affected or (needs_code and not self._affected[user]):
                        self._affected[user] = needs_code
                        pending.append(user)

    def _note_opaque(self, constant: int, held: int) -> list[int]:
        """Asks what takes the place of a constant that cannot be rebuilt; returns it if that is new."""
        if self._c.LLVMIsABlockAddress(constant) or constant in self._constants:
            return []
        substitute = self._opaque(constant, held)
        if substitute is None:
            return []
        self._constants[constant] = substitute
        self._affected[constant] = False
        return [constant]

    def _rewrite_instruction(self, instruction: int) -> None:
        c = self._c
        is_phi = bool(c.LLVMIsAPHINode(instruction))
        arriving: dict[tuple[int, int], int] = {}
        count = c.LLVMGetNumOperands(instruction)
        for index in range(count):
            operand = c.LLVMGetOperand(instruction, index)
            if operand not in self._affected:
                continue
            is_callee = index == count - 1 and is_direct_call(c, instruction, operand)
            if is_callee and operand in self._kept:
                continue
            if not self._affected[operand]:
                c.LLVMSetOperand(instruction, index, self._rebuild(operand))
            elif is_phi:  # a block that arrives twice must bring the same value
                key = (c.LLVMGetIncomingBlock(instruction, index), operand)
                if key not in arriving:
                    self._editor.position_before(c.LLVMGetBasicBlockTerminator(key[0]))
                    arriving[key] = self._rebuild(operand)
                c.LLVMSetOperand(instruction, index, arriving[key])
            else:
                self._editor.position_before(instruction)
                c.LLVMSetOperand(instruction, index, self._rebuild(operand))

    def _rewrite_function(self, function: int) -> None:
        c = self._c
        for has, get, put in (
            (c.LLVMHasPersonalityFn, c.LLVMGetPersonalityFn, c.LLVMSetPersonalityFn),
            (c.LLVMHasPrefixData, c.LLVMGetPrefixData, c.LLVMSetPrefixData),
            (c.LLVMHasPrologueData, c.LLVMGetPrologueData, c.LLVMSetPrologueData),
        ):
            if has(function) and self._affected.get(get(function)) is False:
                put(function, self._rebuild(get(function)))

    def _rebuild(self, value: int) -> int:
        """Returns a constant with its replaced parts, or emits the code that computes it."""
        if value in self._constants:
            return self._constants[value]
        if value in self._computed:
            return self._computed[value]()
        if value not in self._affected:
            return value
        if value in self._rebuilt:
            return self._rebuilt[value]
        c = self._c
        operands = [self._rebuild(c.LLVMGetOperand(value, i)) for i in range(c.LLVMGetNumOperands(value))]
        is_expression = c.LLVMIsAConstantExpr(value)
        result = self._expression(value, operands) if is_expression else self._aggregate(value, operands)
        if not self._affected[value]:
            self._rebuilt[value] = result
        return result

    def _expression(self, value: int, operands: list[int]) -> int:
        """Builds the operation anew; of constants the builder makes a constant again."""
        c, editor = self._c, self._editor
        opcode = c.LLVMGetConstOpcode(value)
        if opcode == _GEP:
            flags = c.LLVMGEPGetNoWrapFlags(value)
            return editor.get_element(c.LLVMGetGEPSourceElementType(value), operands[0], operands[1:], flags)
        if _FIRST_CAST <= opcode <= _LAST_CAST or opcode in _LATER_CASTS:
            return editor.cast(opcode, operands[0], c.LLVMTypeOf(value))
        if opcode == _EXTRACT_ELEMENT:
            return editor.extract_element(*operands)
        if opcode == _INSERT_ELEMENT:
            return editor.insert_element(*operands)
        return editor.binary(opcode, *operands)

    def _aggregate(self, value: int, elements: list[int]) -> int:
        c, editor = self._c, self._editor
        type_ = c.LLVMTypeOf(value)
        is_vector = c.LLVMIsAConstantVector(value)
        if not self._affected[value]:
            if c.LLVMIsAConstantStruct(value):
                return int(c.LLVMConstNamedStruct(type_, elements, len(elements)))
            if is_vector:
                return int(c.LLVMConstVector(elements, len(elements)))
            return editor.array(c.LLVMGetElementType(type_), elements)
        result = int(c.LLVMGetUndef(type_))
        for index, element in enumerate(elements):
            if is_vector:
                result = editor.insert_element(result, element, editor.constant(editor.i32, index))
            else:
                result = editor.insert_value(result, element, index)
        return result


def _can_rebuild(c: Any, constant: int) -> bool:
    return bool(
        c.LLVMIsAConstantExpr(constant)
        or c.LLVMIsAConstantArray(constant)
        or c.LLVMIsAConstantStruct(constant)
        or c.LLVMIsAConstantVector(constant)
    )


def variables_using(editor: Editor, constant: int) -> list[int]:
    """Returns the variables whose initializers hold a constant, directly or inside other constants."""
    c = editor.c
    found: dict[int, None] = {}
    seen: set[int] = set()
    pending = [constant]
    while pending:
        for user in users(editor.module, pending.pop()):
            if c.LLVMIsAGlobalVariable(user):
                found[user] = None
            elif c.LLVMIsConstant(user) and not c.LLVMIsAGlobalValue(user) and user not in seen:
                seen.add(user)
                pending.append(user)
    return list(found)
