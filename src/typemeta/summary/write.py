"""A module summary as YAML, byte for byte as LLVM 23 writes it."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence

from typemeta.summary.guid import guid
from typemeta.summary.records import (
    ByArgResolution,
    CfiFunction,
    ConstVCall,
    GlobalValueSummary,
    ModuleSummary,
    TypeIdSummary,
    TypeTestResolution,
    VFuncId,
    WholeProgramDevirtResolution,
)
from typemeta.summary.yaml_text import Items, Mapping, Numbers, Value, document, key_text, scalar_text


def write_summary(summary: ModuleSummary) -> str:
    """Returns a summary as YAML (`llvm/IR/ModuleSummaryIndexYAML.h`).

    An alias of a value that has no summary is left out, as LLVM does.

    Raises:
        OutputError: a name is not UTF-8 text, which is all that YAML can hold; LLVM would write another name.
    """
    entries: list[tuple[str, Value]] = [
        ("GlobalValueMap", _global_values(summary)),
        ("TypeIdMap", _type_ids(summary)),
        ("WithGlobalValueDeadStripping", _flag(summary.with_global_value_dead_stripping)),
        *_optional("CfiFunctionDefs", _cfi_functions(summary.cfi_function_defs)),
        *_optional("CfiFunctionDecls", _cfi_functions(summary.cfi_function_decls)),
    ]
    return document(Mapping(entries))


def _optional(key: str, value: Items | Numbers) -> list[tuple[str, Value]]:
    """Returns an entry for a sequence, or none if it is empty: LLVM writes no empty sequences."""
    count = value.numbers if isinstance(value, Numbers) else value.items
    return [(key, value)] if count else []


def _flag(value: bool) -> str:
    return "true" if value else "false"


def _kind(kind: enum.StrEnum) -> str:
    """Returns LLVM's word as YAML has it, which is with a capital."""
    return kind.value[0].upper() + kind.value[1:]


def _global_values(summary: ModuleSummary) -> Mapping:
    written = {
        number: [copy for copy in copies if copy.aliasee is None or summary.global_values.get(copy.aliasee)]
        for number, copies in sorted(summary.global_values.items(), key=lambda item: item[0])
    }
    return Mapping(
        [(str(n), Items([_global_value(c) for c in copies])) for n, copies in written.items() if copies]
    )


def _global_value(value: GlobalValueSummary) -> Mapping:
    flags = [
        ("Linkage", str(value.linkage)),
        ("Visibility", str(value.visibility)),
        ("NotEligibleToImport", _flag(value.not_eligible_to_import)),
        ("Live", _flag(value.live)),
        ("Local", _flag(value.local)),
        ("CanAutoHide", _flag(value.can_auto_hide)),
        ("ImportType", str(value.import_type)),
        ("NoRenameOnPromotion", _flag(value.no_rename_on_promotion)),
    ]
    if value.aliasee is not None:
        return Mapping([*flags, ("Aliasee", str(value.aliasee))])
    return Mapping(
        [
            *flags,
            *_optional("Refs", Numbers(value.refs)),
            *_optional("TypeTests", Numbers(value.type_tests)),
            *_optional("TypeTestAssumeVCalls", _vcalls(value.type_test_assume_vcalls)),
            *_optional("TypeCheckedLoadVCalls", _vcalls(value.type_checked_load_vcalls)),
            *_optional("TypeTestAssumeConstVCalls", _const_vcalls(value.type_test_assume_const_vcalls)),
            *_optional("TypeCheckedLoadConstVCalls", _const_vcalls(value.type_checked_load_const_vcalls)),
        ]
    )


def _vfunc(vfunc: VFuncId) -> Mapping:
    return Mapping([("GUID", str(vfunc.guid)), ("Offset", str(vfunc.offset))])


def _vcalls(vcalls: Sequence[VFuncId]) -> Items:
    return Items([_vfunc(vfunc) for vfunc in vcalls])


def _const_vcalls(vcalls: Sequence[ConstVCall]) -> Items:
    return Items(
        [Mapping([("VFunc", _vfunc(call.vfunc)), *_optional("Args", Numbers(call.args))]) for call in vcalls]
    )


def _type_ids(summary: ModuleSummary) -> Mapping:
    names = sorted(summary.type_ids, key=guid)
    return Mapping([(key_text(name), _type_id(summary.type_ids[name])) for name in names])


def _type_id(type_id: TypeIdSummary) -> Mapping:
    devirtualization = [
        (str(offset), _devirtualization(resolution))
        for offset, resolution in sorted(type_id.devirtualization.items(), key=lambda item: item[0])
    ]
    return Mapping([("TTRes", _type_test(type_id.type_test)), ("WPDRes", Mapping(devirtualization))])


def _type_test(resolution: TypeTestResolution) -> Mapping:
    return Mapping(
        [
            ("Kind", _kind(resolution.kind)),
            ("SizeM1BitWidth", str(resolution.size_m1_bit_width)),
            ("AlignLog2", str(resolution.align_log2)),
            ("SizeM1", str(resolution.size_m1)),
            ("BitMask", str(resolution.bit_mask)),
            ("InlineBits", str(resolution.inline_bits)),
        ]
    )


def _devirtualization(resolution: WholeProgramDevirtResolution) -> Mapping:
    by_arg = [
        (key_text(",".join(map(str, args))), _by_arg(by_arg))
        for args, by_arg in sorted(resolution.by_arg.items(), key=lambda item: item[0])
    ]
    return Mapping(
        [
            ("Kind", _kind(resolution.kind)),
            ("SingleImplName", scalar_text(resolution.single_impl_name)),
            ("ResByArg", Mapping(by_arg)),
        ]
    )


def _by_arg(resolution: ByArgResolution) -> Mapping:
    return Mapping(
        [
            ("Kind", _kind(resolution.kind)),
            ("Info", str(resolution.info)),
            ("Byte", str(resolution.byte)),
            ("Bit", str(resolution.bit)),
        ]
    )


def _cfi_functions(functions: Iterable[CfiFunction]) -> Items:
    return Items(
        [Mapping([("Name", scalar_text(name)), ("GUID", str(number))]) for name, number in sorted(functions)]
    )
