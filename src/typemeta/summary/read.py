"""Module summaries from YAML, in the forms of LLVM 22 and 23."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from typemeta.summary.guid import cfi_function
from typemeta.summary.records import (
    ByArgKind,
    ByArgResolution,
    CfiFunction,
    ConstVCall,
    GlobalValueSummary,
    ModuleSummary,
    ResolutionKind,
    TypeIdSummary,
    TypeTestResolution,
    VFuncId,
    WholeProgramDevirtKind,
    WholeProgramDevirtResolution,
)
from typemeta.summary.yaml_nodes import Node, parse_number, parse_yaml

Value = TypeVar("Value")
Kind = TypeVar("Kind", bound=enum.StrEnum)
Readers = Mapping[str, tuple[str, Callable[[Node], object]]]

MAXIMUM_64: Final = 2**64 - 1


def read_summary(text: str | bytes, name: str) -> ModuleSummary:
    """Reads a summary from YAML (`llvm/IR/ModuleSummaryIndexYAML.h`).

    Every key may be missing and then has LLVM's default. Functions of CFI may be names (LLVM 22) or
    names with GUIDs (LLVM 23). Fields that an alias does not have are dropped, as LLVM does.

    Args:
        text: the contents of the file.
        name: the file as the user named it, for messages.

    Raises:
        InputError: this is no such summary; says in which line, and what was expected there.
    """
    root = parse_yaml(text, name)
    return ModuleSummary() if root is None else _build(ModuleSummary, root, _SUMMARY)


def _build(record: Callable[..., Value], node: Node, readers: Readers) -> Value:
    fields: dict[str, Any] = node.fields(readers)
    return record(**fields)


def _up_to(maximum: int) -> Callable[[Node], int]:
    return lambda node: node.number(maximum)


_number = _up_to(MAXIMUM_64)


def _list_of(read: Callable[[Node], Value]) -> Callable[[Node], list[Value]]:
    return lambda node: [read(item) for item in node.items()]


def _by_number(read: Callable[[Node], Value]) -> Callable[[Node], dict[int, Value]]:
    """Returns a reader of mappings from 64-bit numbers."""

    def read_mapping(node: Node) -> dict[int, Value]:
        found: dict[int, Value] = {}
        for key, value in node.entries():
            number = _key_number(key, key.key())
            if number in found:
                key.fail(f"the key {number} is there twice, written in two ways")
            found[number] = read(value)
        return found

    return read_mapping


def _key_number(key: Node, text: str) -> int:
    number = parse_number(text)
    if number is None or number > MAXIMUM_64:
        key.fail(f"expected a key of numbers from 0 to {MAXIMUM_64}")
    return number


def _kind_of(kinds: type[Kind]) -> Callable[[Node], Kind]:
    words = {kind.value[0].upper() + kind.value[1:]: kind for kind in kinds}
    return lambda node: node.choice(words)


def _vfunc(node: Node) -> VFuncId:
    return _build(VFuncId, node, _VFUNC)


def _const_vcall(node: Node) -> ConstVCall:
    return _build(ConstVCall, node, _CONST_VCALL)


def _global_value(node: Node) -> GlobalValueSummary:
    value = _build(GlobalValueSummary, node, _GLOBAL_VALUE)
    if value.aliasee is not None:
        value.refs = []
        value.type_tests = []
        value.type_test_assume_vcalls, value.type_checked_load_vcalls = [], []
        value.type_test_assume_const_vcalls, value.type_checked_load_const_vcalls = [], []
    return value


def _aliasee(node: Node) -> int | None:
    return None if not node.is_empty and node.text() == "<none>" else node.number(MAXIMUM_64)


def _type_ids(node: Node) -> dict[str, TypeIdSummary]:
    return {key.key(): _build(TypeIdSummary, value, _TYPE_ID) for key, value in node.entries()}


def _by_arg(node: Node) -> dict[tuple[int, ...], ByArgResolution]:
    found: dict[tuple[int, ...], ByArgResolution] = {}
    for key, value in node.entries():
        numbers = key.key().split(",")
        if not numbers[-1]:
            del numbers[-1]  # no arguments at all, or a comma behind the last
        args = tuple(_key_number(key, number) for number in numbers)
        if args in found:
            key.fail(f"the arguments {','.join(map(str, args))} are there twice, written in two ways")
        found[args] = _build(ByArgResolution, value, _BY_ARG)
    return found


def _cfi_functions(node: Node) -> set[CfiFunction]:
    return {_cfi_function(item) for item in node.items()}


def _cfi_function(node: Node) -> CfiFunction:
    if not node.is_mapping:
        return cfi_function(node.text())
    fields: dict[str, Any] = node.fields(_CFI_FUNCTION)
    for key, (field, _) in _CFI_FUNCTION.items():
        if field not in fields:
            node.fail(f"the key {key} is missing")
    return CfiFunction(**fields)


_VFUNC: Final[Readers] = {"GUID": ("guid", _number), "Offset": ("offset", _number)}
_CONST_VCALL: Final[Readers] = {
    "VFunc": ("vfunc", _vfunc),
    "Args": ("args", lambda node: tuple(map(_number, node.items()))),
}
_GLOBAL_VALUE: Final[Readers] = {
    "Linkage": ("linkage", _up_to(10)),
    "Visibility": ("visibility", _up_to(2)),
    "NotEligibleToImport": ("not_eligible_to_import", Node.flag),
    "Live": ("live", Node.flag),
    "Local": ("local", Node.flag),
    "CanAutoHide": ("can_auto_hide", Node.flag),
    "ImportType": ("import_type", _up_to(1)),
    "NoRenameOnPromotion": ("no_rename_on_promotion", Node.flag),
    "Aliasee": ("aliasee", _aliasee),
    "Refs": ("refs", _list_of(_number)),
    "TypeTests": ("type_tests", _list_of(_number)),
    "TypeTestAssumeVCalls": ("type_test_assume_vcalls", _list_of(_vfunc)),
    "TypeCheckedLoadVCalls": ("type_checked_load_vcalls", _list_of(_vfunc)),
    "TypeTestAssumeConstVCalls": ("type_test_assume_const_vcalls", _list_of(_const_vcall)),
    "TypeCheckedLoadConstVCalls": ("type_checked_load_const_vcalls", _list_of(_const_vcall)),
}
_TYPE_TEST: Final[Readers] = {
    "Kind": ("kind", _kind_of(ResolutionKind)),
    "SizeM1BitWidth": ("size_m1_bit_width", _up_to(2**32 - 1)),
    "AlignLog2": ("align_log2", _number),
    "SizeM1": ("size_m1", _number),
    "BitMask": ("bit_mask", _up_to(0xFF)),
    "InlineBits": ("inline_bits", _number),
}
_BY_ARG: Final[Readers] = {
    "Kind": ("kind", _kind_of(ByArgKind)),
    "Info": ("info", _number),
    "Byte": ("byte", _up_to(2**32 - 1)),
    "Bit": ("bit", _up_to(2**32 - 1)),
}
_DEVIRTUALIZATION: Final[Readers] = {
    "Kind": ("kind", _kind_of(WholeProgramDevirtKind)),
    "SingleImplName": ("single_impl_name", Node.text),
    "ResByArg": ("by_arg", _by_arg),
}
_TYPE_ID: Final[Readers] = {
    "TTRes": ("type_test", lambda node: _build(TypeTestResolution, node, _TYPE_TEST)),
    "WPDRes": (
        "devirtualization",
        _by_number(lambda node: _build(WholeProgramDevirtResolution, node, _DEVIRTUALIZATION)),
    ),
}
_CFI_FUNCTION: Final[Readers] = {"Name": ("name", Node.text), "GUID": ("guid", _number)}
_SUMMARY: Final[Readers] = {
    "GlobalValueMap": ("global_values", _by_number(_list_of(_global_value))),
    "TypeIdMap": ("type_ids", _type_ids),
    "WithGlobalValueDeadStripping": ("with_global_value_dead_stripping", Node.flag),
    "CfiFunctionDefs": ("cfi_function_defs", _cfi_functions),
    "CfiFunctionDecls": ("cfi_function_decls", _cfi_functions),
}
