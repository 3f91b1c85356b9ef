"""Adds to a module, before it is lowered, what its verification calls and reads.

    define i1 @typemeta.probe.0(ptr %0) {     ; one for each type identifier
      %2 = call i1 @llvm.type.test(ptr %0, metadata !"A")
      ret i1 %2
    }

    @typemeta.addresses = constant [n x ptr] [ptr @a, ...]

The lowering keeps the table right, whatever it does to the globals. A function whose address nothing takes
is not in it: to take its address would make it a member.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from typemeta.llvm.edit import EXTERNAL_LINKAGE, Editor, edit
from typemeta.llvm.functions import has_address_taken
from typemeta.llvm.module import Module
from typemeta.llvm.variables import value_size
from typemeta.model import TypeIndex, TypeModel
from typemeta.model.read import Anchors

DRIVER: Final = """
define void @typemeta.drive(ptr %probe, ptr %addresses, i64 %count, ptr %answers) {
  %none = icmp eq i64 %count, 0
  br i1 %none, label %end, label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %from = getelementptr ptr, ptr %addresses, i64 %i
  %address = load ptr, ptr %from
  %answer = call i1 %probe(ptr %address)
  %byte = zext i1 %answer to i8
  %to = getelementptr i8, ptr %answers, i64 %i
  store i8 %byte, ptr %to
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %count
  br i1 %done, label %end, label %loop
end:
  ret void
}
"""
"""Asks one probe about an array of addresses, a byte for each answer."""


@dataclass(frozen=True, slots=True)
class Probes:
    """What was added.

    Attributes:
        functions: name of the probe of each type identifier that has one.
        table: name of the table of addresses.
        names: the globals in the table, in its order.
        sizes: their sizes in bytes; 0 for functions.
    """

    functions: dict[TypeIndex, str]
    table: str
    names: tuple[str, ...]
    sizes: tuple[int, ...]


def add_probes(module: Module, model: TypeModel, anchors: Anchors) -> Probes:
    """Adds a probe for each type identifier, and the table of addresses."""
    anchors.check(module)
    c = module.c
    nodes = {
        TypeIndex(type_): int(c.LLVMGetOperand(call, 1))
        for type_, call, kind in zip(
            model.site_type.tolist(), anchors.sites, model.site_kind.tolist(), strict=True
        )
        if kind == 0
    }
    variables = [
        v
        for v in module.variables()
        if v.name and not v.name.startswith("llvm.") and _is_plain(module, v.ref)
    ]
    functions = [f for f in module.functions() if f.name and has_address_taken(module, f.ref)]
    names = tuple(value.name for value in [*variables, *functions])
    refs = [value.ref for value in [*variables, *functions]]
    sizes = (*(value_size(module, v.ref) for v in variables), *[0] * len(functions))
    with edit(module) as editor:
        probes = {}
        for index, identifier in enumerate(model.types):
            type_ = TypeIndex(index)
            operand = nodes.get(type_) or (0 if identifier.distinct else _string(editor, identifier.id))
            if operand:
                probes[type_] = _add_probe(editor, index, operand)
        contents = editor.pointer_array(refs)
        array = editor.array_type(editor.pointer_type, len(refs))
        table = editor.add_variable(array, "typemeta.addresses", constant=False, linkage=EXTERNAL_LINKAGE)
        editor.set_initializer(table, contents)
        return Probes(probes, editor.name(table).decode(), names, sizes)


def _is_plain(module: Module, variable: int) -> bool:
    c = module.c
    return not c.LLVMIsThreadLocal(variable) and not c.LLVMGetPointerAddressSpace(c.LLVMTypeOf(variable))


def _string(editor: Editor, text: str) -> int:
    data = text.encode(errors="surrogateescape")
    context = editor.module.context.ref
    string = editor.c.LLVMMDStringInContext2(context, data, len(data))
    return int(editor.c.LLVMMetadataAsValue(context, string))


def _add_probe(editor: Editor, index: int, identifier: int) -> str:
    c = editor.c
    test = editor.intrinsic("llvm.type.test", [])
    type_ = editor.function_type(editor.i1, [editor.pointer_type])
    probe = editor.add_function(type_, f"typemeta.probe.{index}", linkage=EXTERNAL_LINKAGE)
    editor.append_block(probe, "")
    answer = editor.call(editor.value_type(test), test, [c.LLVMGetParam(probe, 0), identifier])
    editor.return_value(answer)
    return editor.name(probe).decode()
