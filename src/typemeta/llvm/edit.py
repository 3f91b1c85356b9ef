"""Editing sessions: the verbs that change a module.

Inside `with edit(module) as editor:` the module is pinned, and handles are plain integers, which makes
a call about as cheap as the C call itself. When the session ends every handle found before or in it
is stale. Nothing here decides anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from typemeta.llvm._cdef import ffi
from typemeta.llvm.module import Module

FUNCTION_ATTRIBUTES: Final = 0xFFFFFFFF  # LLVMAttributeFunctionIndex
ICMP_EQ, ICMP_NE, ICMP_ULE = 32, 33, 37  # LLVMIntPredicate
HIDDEN: Final = 1  # LLVMVisibility
EXTERNAL_LINKAGE, APPENDING_LINKAGE, INTERNAL_LINKAGE, PRIVATE_LINKAGE, EXTERN_WEAK_LINKAGE = 0, 7, 8, 9, 12
_NO_NAME: Final = b""
_ZEXT: Final = 31  # LLVMZExt


@contextmanager
def edit(module: Module) -> Iterator[Editor]:
    """Opens an editing session; the module counts as changed when it ends, however it ends."""
    editor = Editor(module)
    try:
        yield editor
    finally:
        editor.close()
        module.changed()


class Editor:
    """The verbs of an editing session. Handles are those of values, types and blocks of its module."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.c = c = module.c
        self._context = module.context.ref
        self._builder = c.LLVMCreateBuilderInContext(self._context)
        self._module = module.ref
        self._layout = c.LLVMGetModuleDataLayout(module.ref)
        self.pointer_type: int = c.LLVMPointerTypeInContext(self._context, 0)
        self.void_type: int = c.LLVMVoidTypeInContext(self._context)
        self.int_ptr_type = self.int_type(module.pointer_bits)
        self._fshr = self._fshr_type = 0
        self._three = ffi.new("LLVMValueRef[3]")
        self.i1, self.i8, self.i32 = self.int_type(1), self.int_type(8), self.int_type(32)

    def close(self) -> None:
        """Frees the builder."""
        if self._builder:
            self.c.LLVMDisposeBuilder(self._builder)
            self._builder = 0

    # Types and constants

    def int_type(self, bits: int) -> int:
        """Returns `iN`."""
        return self.c.LLVMIntTypeInContext(self._context, bits)

    def array_type(self, element: int, count: int) -> int:
        """Returns `[count x element]`."""
        return self.c.LLVMArrayType2(element, count)

    def struct_type(self, elements: Sequence[int]) -> int:
        """Returns `{ elements }`."""
        return self.c.LLVMStructTypeInContext(self._context, elements, len(elements), 0)

    def packed_struct_type(self, elements: Sequence[int]) -> int:
        """Returns `<{ elements }>`."""
        return self.c.LLVMStructTypeInContext(self._context, elements, len(elements), 1)

    def function_type(self, result: int, parameters: Sequence[int]) -> int:
        """Returns a function type without varargs."""
        return self.c.LLVMFunctionType(result, parameters, len(parameters), 0)

    def parameter_types(self, function_type: int) -> list[int]:
        """Returns the types of a function type's parameters."""
        count = self.c.LLVMCountParamTypes(function_type)
        types = ffi.new("LLVMTypeRef[]", max(count, 1))
        self.c.LLVMGetParamTypes(function_type, types)
        return [types[index] for index in range(count)]

    def value_type(self, global_: int) -> int:
        """Returns the type of what a global holds."""
        return self.c.LLVMGlobalGetValueType(global_)

    def constant(self, type_: int, value: int) -> int:
        """Returns an integer constant of up to 64 bits: `value` modulo its type's size."""
        bits = min(self.c.LLVMGetIntTypeWidth(type_), 64)  # bits beyond would stay in it, unseen in its text
        return self.c.LLVMConstInt(type_, value & ((1 << bits) - 1), 0)

    def null(self, type_: int) -> int:
        """Returns the zero of a type."""
        return self.c.LLVMConstNull(type_)

    def byte_constant(self, data: bytes) -> int:
        """Returns `[n x i8] c"..."`."""
        return self.c.LLVMConstStringInContext2(self._context, data, len(data), 1)

    def packed_struct(self, elements: Sequence[int]) -> int:
        """Returns a packed struct constant."""
        return self.c.LLVMConstStructInContext(self._context, elements, len(elements), 1)

    def struct(self, elements: Sequence[int]) -> int:
        """Returns a struct constant with natural padding."""
        return self.c.LLVMConstStructInContext(self._context, elements, len(elements), 0)

    def pointer_array(self, elements: Sequence[int]) -> int:
        """Returns a constant array of pointers."""
        return self.c.LLVMConstArray2(self.pointer_type, elements, len(elements))

    def array(self, element_type: int, elements: Sequence[int]) -> int:
        """Returns a constant array."""
        return self.c.LLVMConstArray2(element_type, elements, len(elements))

    def byte_offset(self, base: int, offset: int) -> int:
        """Returns the constant `base + offset bytes`; `base` itself for offset 0."""
        if offset == 0:
            return base
        index = ffi.new("LLVMValueRef[1]", [self.constant(self.int_ptr_type, offset)])
        return self.c.LLVMConstGEP2(self.i8, base, index, 1)

    def element_address(self, type_: int, base: int, index: int, *, wide: bool = False) -> int:
        """Returns the constant address of an element of an aggregate of `type_` at `base`.

        Its indices are `i32`, which those of a struct must be, or (`wide`) as wide as a pointer.
        """
        integer = self.int_ptr_type if wide else self.i32
        indices = ffi.new("LLVMValueRef[2]", [self.constant(integer, 0), self.constant(integer, index)])
        return self.c.LLVMConstInBoundsGEP2(type_, base, indices, 2)

    def pointer_as_integer(self, constant: int) -> int:
        """Returns the constant `ptrtoint`, as wide as a pointer."""
        return self.c.LLVMConstPtrToInt(constant, self.int_ptr_type)

    def integer_as_pointer(self, constant: int, type_: int) -> int:
        """Returns the constant `inttoptr`."""
        return self.c.LLVMConstIntToPtr(constant, type_)

    def constant_as_metadata(self, type_: int, value: int) -> int:
        """Returns an integer constant as an argument of an intrinsic that takes metadata."""
        metadata = self.c.LLVMValueAsMetadata(self.constant(type_, value))
        return self.c.LLVMMetadataAsValue(self._context, metadata)

    # Globals

    def add_variable(self, type_: int, name: str, *, constant: bool, linkage: int, alignment: int = 0) -> int:
        """Adds a variable without an initializer."""
        variable = self.c.LLVMAddGlobal(self._module, type_, name.encode(errors="surrogateescape"))
        self.c.LLVMSetGlobalConstant(variable, constant)
        self.c.LLVMSetLinkage(variable, linkage)
        if alignment:
            self.c.LLVMSetAlignment(variable, alignment)
        return int(variable)

    def add_function(self, type_: int, name: str, *, linkage: int) -> int:
        """Adds a function without a body."""
        function = self.c.LLVMAddFunction(self._module, name.encode(errors="surrogateescape"), type_)
        self.c.LLVMSetLinkage(function, linkage)
        return int(function)

    def declare(self, name: str, type_: int) -> int:
        """Returns the function of a name, declared if the module has none."""
        found = self.c.LLVMGetNamedFunction(self._module, name.encode(errors="surrogateescape"))
        return int(found) or self.add_function(type_, name, linkage=EXTERNAL_LINKAGE)

    def add_alias(self, type_: int, target: int, name: str, *, linkage: int, visibility: int = 0) -> int:
        """Adds an alias of a constant address."""
        alias = self.c.LLVMAddAlias2(self._module, type_, 0, target, name.encode(errors="surrogateescape"))
        self.c.LLVMSetLinkage(alias, linkage)
        self.c.LLVMSetVisibility(alias, visibility)
        return int(alias)

    def replace_by_alias(self, old: int, type_: int, target: int) -> int:
        """Adds an alias with the name, linkage and visibility of `old`, whose name is taken away."""
        alias = self.add_alias(
            type_, target, "", linkage=self.c.LLVMGetLinkage(old), visibility=self.c.LLVMGetVisibility(old)
        )
        name = self.name(old)
        self.rename(old, b"")
        self.rename(alias, name)
        return alias

    def initializer(self, variable: int) -> int:
        """Returns a variable's initializer, 0 for a declaration."""
        return self.c.LLVMGetInitializer(variable)

    def set_initializer(self, variable: int, constant: int) -> None:
        """Gives a variable its contents."""
        self.c.LLVMSetInitializer(variable, constant)

    def name(self, value: int) -> bytes:
        """Returns a value's name."""
        length = ffi.new("size_t *")
        name = self.c.LLVMGetValueName2(value, length)
        return bytes(ffi.buffer(name, length[0]))

    def rename(self, value: int, name: bytes) -> None:
        """Names a value; LLVM appends a number if the name is taken."""
        self.c.LLVMSetValueName2(value, name, len(name))

    def delete_variable(self, variable: int) -> None:
        """Removes a variable that nothing uses."""
        self.c.LLVMDeleteGlobal(variable)

    def delete_function(self, function: int) -> None:
        """Removes a function that nothing uses."""
        self.c.LLVMDeleteFunction(function)

    def add_attribute(self, function: int, name: str) -> None:
        """Adds an attribute without a value, such as `naked`, to a function."""
        kind = self.c.LLVMGetEnumAttributeKindForName(name.encode(errors="surrogateescape"), len(name))
        attribute = self.c.LLVMCreateEnumAttribute(self._context, kind, 0)
        self.c.LLVMAddAttributeAtIndex(function, FUNCTION_ATTRIBUTES, attribute)

    def add_string_attribute(self, function: int, key: str, value: str) -> None:
        """Adds an attribute such as `"target-cpu"="cortex-a8"` to a function."""
        encoded, text = key.encode(), value.encode()
        attribute = self.c.LLVMCreateStringAttribute(self._context, encoded, len(encoded), text, len(text))
        self.c.LLVMAddAttributeAtIndex(function, FUNCTION_ATTRIBUTES, attribute)

    def erase_metadata(self, global_: int, kind: str) -> None:
        """Removes all attachments of a kind."""
        self.c.LLVMGlobalEraseMetadata(global_, self.module.context.metadata_kind(kind))

    def set_integer_metadata(self, global_: int, kind: str, value: int) -> None:
        """Attaches `!{i64 value}` to a global, in place of its attachments of that kind."""
        operand = self.c.LLVMValueAsMetadata(self.constant(self.int_type(64), value))
        node = self.c.LLVMMDNodeInContext2(self._context, [operand], 1)
        self.c.LLVMGlobalSetMetadata(global_, self.module.context.metadata_kind(kind), node)

    # Uses

    def replace_uses(self, old: int, new: int) -> None:
        """Makes every use of `old` one of `new`, in constants too."""
        self.c.LLVMReplaceAllUsesWith(old, new)

    def erase(self, instruction: int) -> None:
        """Removes an instruction that nothing uses."""
        self.c.LLVMInstructionEraseFromParent(instruction)

    # Instructions

    def position_before(self, instruction: int) -> None:
        """New instructions go before this one and take over its source position."""
        self.c.LLVMPositionBuilderBefore(self._builder, instruction)

    def append_block(self, function: int, name: str) -> int:
        """Adds a block and positions the builder at its end."""
        block = self.c.LLVMAppendBasicBlockInContext(
            self._context, function, name.encode(errors="surrogateescape")
        )
        self.c.LLVMPositionBuilderAtEnd(self._builder, block)
        return int(block)

    def insert_block(self, before: int) -> int:
        """Adds a block without a name in front of another."""
        return self.c.LLVMInsertBasicBlockInContext(self._context, before, _NO_NAME)

    def position_at_end(self, block: int) -> None:
        """New instructions go to the end of a block; their source position stays that of before."""
        self.c.LLVMPositionBuilderAtEnd(self._builder, block)

    def append_moved(self, block: int, instructions: Sequence[int]) -> None:
        """Puts instructions that were taken out of their block at the end of one, as they are."""
        self.c.LLVMPositionBuilderAtEnd(self._builder, block)
        self.c.LLVMSetCurrentDebugLocation2(self._builder, 0)  # else they would get the builder's own
        for instruction in instructions:
            self.c.LLVMInsertIntoBuilder(self._builder, instruction)

    def branch(self, target: int) -> int:
        """Builds `br`."""
        return self.c.LLVMBuildBr(self._builder, target)

    def branch_if(self, condition: int, then: int, otherwise: int) -> int:
        """Builds a conditional `br`."""
        return self.c.LLVMBuildCondBr(self._builder, condition, then, otherwise)

    def switch(self, value: int, otherwise: int, cases: int) -> int:
        """Builds `switch` without cases, with room for as many: growing would reorder use lists."""
        return self.c.LLVMBuildSwitch(self._builder, value, otherwise, cases)

    def add_case(self, switch: int, constant: int, target: int) -> None:
        """Adds a case behind the others."""
        self.c.LLVMAddCase(switch, constant, target)

    def phi(self, type_: int) -> int:
        """Builds `phi` without values."""
        return self.c.LLVMBuildPhi(self._builder, type_, _NO_NAME)

    def add_incoming(self, phi: int, value: int, block: int) -> None:
        """Gives a phi its value for one predecessor."""
        self.c.LLVMAddIncoming(phi, [value], [block], 1)

    def copy_metadata(self, source: int, target: int, kind: str) -> None:
        """Attaches an instruction's metadata of a kind to another one, if there is any."""
        number = self.module.context.metadata_kind(kind)
        node = self.c.LLVMGetMetadata(source, number)
        if node:
            self.c.LLVMSetMetadata(target, number, node)

    def set_branch_weights(self, branch: int, weights: Sequence[int]) -> None:
        """Attaches `!prof !{!"branch_weights", i32 ...}` to a branch."""
        name = "branch_weights"
        operands = [self.c.LLVMMDStringInContext2(self._context, name.encode(), len(name))]
        operands += [self.c.LLVMValueAsMetadata(self.constant(self.i32, weight)) for weight in weights]
        node = self.c.LLVMMDNodeInContext2(self._context, operands, len(operands))
        value = self.c.LLVMMetadataAsValue(self._context, node)
        self.c.LLVMSetMetadata(branch, self.module.context.metadata_kind("prof"), value)

    def to_integer(self, pointer: int) -> int:
        """Builds `ptrtoint`, as wide as a pointer."""
        return self.c.LLVMBuildPtrToInt(self._builder, pointer, self.int_ptr_type, _NO_NAME)

    def subtract(self, left: int, right: int) -> int:
        """Builds `sub`."""
        return self.c.LLVMBuildSub(self._builder, left, right, _NO_NAME)

    def shift_left(self, value: int, amount: int) -> int:
        """Builds `shl`."""
        return self.c.LLVMBuildShl(self._builder, value, amount, _NO_NAME)

    def bit_and(self, left: int, right: int) -> int:
        """Builds `and`."""
        return self.c.LLVMBuildAnd(self._builder, left, right, _NO_NAME)

    def zero_extend(self, value: int, type_: int) -> int:
        """Builds `zext`."""
        return self.cast(_ZEXT, value, type_)

    def truncate(self, value: int, type_: int) -> int:
        """Builds `trunc`."""
        return self.c.LLVMBuildTrunc(self._builder, value, type_, _NO_NAME)

    def compare(self, predicate: int, left: int, right: int) -> int:
        """Builds `icmp`."""
        return self.c.LLVMBuildICmp(self._builder, predicate, left, right, _NO_NAME)

    def rotate_right(self, value: int, amount: int) -> int:
        """Builds `llvm.fshr` of a value with itself, as wide as a pointer."""
        if not self._fshr:
            integer = self.int_ptr_type
            self._fshr = self.intrinsic("llvm.fshr", [integer])
            self._fshr_type = self.function_type(integer, [integer] * 3)
        arguments = self._three
        arguments[0] = arguments[1] = value
        arguments[2] = amount
        return self.c.LLVMBuildCall2(self._builder, self._fshr_type, self._fshr, arguments, 3, _NO_NAME)

    def select(self, condition: int, then: int, otherwise: int) -> int:
        """Builds `select`."""
        return self.c.LLVMBuildSelect(self._builder, condition, then, otherwise, _NO_NAME)

    def load(self, type_: int, pointer: int) -> int:
        """Builds `load`."""
        return self.c.LLVMBuildLoad2(self._builder, type_, pointer, _NO_NAME)

    def store(self, value: int, pointer: int) -> int:
        """Builds `store`."""
        return self.c.LLVMBuildStore(self._builder, value, pointer)

    def byte_address(self, base: int, index: int) -> int:
        """Builds `getelementptr i8, base, index`."""
        return self.c.LLVMBuildGEP2(self._builder, self.i8, base, [index], 1, _NO_NAME)

    def call(self, type_: int, function: int, arguments: Sequence[int]) -> int:
        """Builds `call`."""
        return self.c.LLVMBuildCall2(self._builder, type_, function, arguments, len(arguments), _NO_NAME)

    def call_as_declared(self, type_: int, function: int, arguments: Sequence[int]) -> int:
        """Builds `call` with the function's own calling convention and parameter attributes."""
        call = self.call(type_, function, arguments)
        self.c.LLVMSetInstructionCallConv(call, self.c.LLVMGetFunctionCallConv(function))
        for index in range(self.c.LLVMCountParamTypes(type_) + 1):  # 0 is the result
            count = self.c.LLVMGetAttributeCountAtIndex(function, index)
            attributes = ffi.new("LLVMAttributeRef[]", max(count, 1))
            self.c.LLVMGetAttributesAtIndex(function, index, attributes)
            for attribute in attributes[0:count]:
                self.c.LLVMAddCallSiteAttribute(call, index, attribute)
        return call

    def insert_value(self, aggregate: int, element: int, index: int) -> int:
        """Builds `insertvalue`."""
        return self.c.LLVMBuildInsertValue(self._builder, aggregate, element, index, _NO_NAME)

    def insert_element(self, vector: int, element: int, index: int) -> int:
        """Builds `insertelement`."""
        return self.c.LLVMBuildInsertElement(self._builder, vector, element, index, _NO_NAME)

    def extract_element(self, vector: int, index: int) -> int:
        """Builds `extractelement`."""
        return self.c.LLVMBuildExtractElement(self._builder, vector, index, _NO_NAME)

    def get_element(self, type_: int, base: int, indices: Sequence[int], flags: int = 0) -> int:
        """Builds `getelementptr`, with LLVM's no-wrap flags."""
        return self.c.LLVMBuildGEPWithNoWrapFlags(
            self._builder, type_, base, indices, len(indices), _NO_NAME, flags
        )

    def cast(self, opcode: int, value: int, type_: int) -> int:
        """Builds a cast, by LLVMOpcode."""
        return self.c.LLVMBuildCast(self._builder, opcode, value, type_, _NO_NAME)

    def binary(self, opcode: int, left: int, right: int) -> int:
        """Builds a binary operation, by LLVMOpcode."""
        return self.c.LLVMBuildBinOp(self._builder, opcode, left, right, _NO_NAME)

    def return_void(self) -> int:
        """Builds `ret void`."""
        return self.c.LLVMBuildRetVoid(self._builder)

    def return_value(self, value: int) -> int:
        """Builds `ret value`."""
        return self.c.LLVMBuildRet(self._builder, value)

    def unreachable(self) -> int:
        """Builds `unreachable`."""
        return self.c.LLVMBuildUnreachable(self._builder)

    def intrinsic(self, name: str, types: Sequence[int]) -> int:
        """Returns the declaration of an overloaded intrinsic, added if it is not there."""
        number = self.c.LLVMLookupIntrinsicID(name.encode(errors="surrogateescape"), len(name))
        return self.c.LLVMGetIntrinsicDeclaration(self._module, number, types, len(types))

    def inline_asm(self, type_: int, text: str, constraints: str) -> int:
        """Returns an inline-assembly callee with side effects, AT&T dialect."""
        code, operands = text.encode(), constraints.encode()
        return self.c.LLVMGetInlineAsm(type_, code, len(code), operands, len(operands), 1, 0, 0, 0)
