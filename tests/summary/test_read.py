from __future__ import annotations

import pytest

from typemeta.errors import InputError
from typemeta.summary import (
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
    cfi_function,
)
from typemeta.summary.read import read_summary


def only_value(text: str) -> GlobalValueSummary:
    """Returns the value of a summary that has one, with these fields."""
    ((value,),) = read_summary(f"GlobalValueMap: {{ 42: [ {{ {text} }} ] }}", "s.yaml").global_values.values()
    return value


def test_fields_of_a_function() -> None:
    """Each key of LLVM's has its field."""
    value = only_value(
        "Linkage: 7, Visibility: 1, NotEligibleToImport: true, Live: true, Local: true, CanAutoHide: true,"
        "ImportType: 1, NoRenameOnPromotion: true, Refs: [1], TypeTests: [2, 3],"
        "TypeTestAssumeVCalls: [{GUID: 4, Offset: 5}], TypeCheckedLoadVCalls: [{GUID: 6}],"
        "TypeTestAssumeConstVCalls: [{VFunc: {GUID: 7, Offset: 8}, Args: [9, 10]}],"
        "TypeCheckedLoadConstVCalls: [{Args: [11]}]"
    )
    assert value == GlobalValueSummary(
        linkage=7,
        visibility=1,
        not_eligible_to_import=True,
        live=True,
        local=True,
        can_auto_hide=True,
        import_type=1,
        no_rename_on_promotion=True,
        refs=[1],
        type_tests=[2, 3],
        type_test_assume_vcalls=[VFuncId(4, 5)],
        type_checked_load_vcalls=[VFuncId(6, 0)],
        type_test_assume_const_vcalls=[ConstVCall(VFuncId(7, 8), (9, 10))],
        type_checked_load_const_vcalls=[ConstVCall(VFuncId(0, 0), (11,))],
    )


def test_an_alias_has_no_references() -> None:
    """LLVM drops them too."""
    assert only_value("Live: true, Aliasee: 7, Refs: [1], TypeTests: [2]") == GlobalValueSummary(
        live=True, aliasee=7
    )
    assert only_value("Aliasee: <none>, Refs: [1]") == GlobalValueSummary(refs=[1])


def test_fields_of_a_type_identifier() -> None:
    """How it is tested, and what becomes of calls."""
    summary = read_summary(
        """
        TypeIdMap:
          _ZTS1A:
            TTRes: { Kind: ByteArray, SizeM1BitWidth: 7, AlignLog2: 3, SizeM1: 99, BitMask: 4, InlineBits: 1 }
            WPDRes:
              16:
                Kind: SingleImpl
                SingleImplName: f
                ResByArg:
                  1,0x10: { Kind: UniqueRetVal, Info: 1, Byte: 2, Bit: 3 }
                  '': {}
              0x20: { Kind: BranchFunnel }
          empty:
        """,
        "s.yaml",
    )
    type_test = TypeTestResolution(
        kind=ResolutionKind.BYTE_ARRAY,
        size_m1_bit_width=7,
        align_log2=3,
        size_m1=99,
        bit_mask=4,
        inline_bits=1,
    )
    by_arg = {
        (1, 16): ByArgResolution(kind=ByArgKind.UNIQUE_RET_VAL, info=1, byte=2, bit=3),
        (): ByArgResolution(),
    }
    single = WholeProgramDevirtResolution(
        kind=WholeProgramDevirtKind.SINGLE_IMPL, single_impl_name="f", by_arg=by_arg
    )
    funnel = WholeProgramDevirtResolution(kind=WholeProgramDevirtKind.BRANCH_FUNNEL)
    assert summary.type_ids == {
        "_ZTS1A": TypeIdSummary(type_test=type_test, devirtualization={16: single, 32: funnel}),
        "empty": TypeIdSummary(),
    }


def test_functions_of_llvm_22_and_23() -> None:
    """Names, or names with GUIDs."""
    summary = read_summary('CfiFunctionDefs: [f, "\\x01g"]\nCfiFunctionDecls: [{Name: f, GUID: 7}]', "s.yaml")
    assert summary.cfi_function_defs == {cfi_function("f"), cfi_function("\x01g")}
    assert summary.cfi_function_decls == {CfiFunction("f", 7)}


@pytest.mark.parametrize("text", ["", "\n", "# nothing\n", "---\n...\n", "{}", b"", b"\xef\xbb\xbf{}"])
def test_nothing_is_an_empty_summary(text: str | bytes) -> None:
    """A file may be empty, have a comment, or a byte-order mark."""
    assert read_summary(text, "s.yaml") == ModuleSummary()


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("18446744073709551615", 2**64 - 1),
        ("0x1F", 31),
        ("0X1f", 31),
        ("0b101", 5),
        ("0o17", 15),
        ("017", 15),
        ("'12'", 12),
    ],
)
def test_numbers(text: str, number: int) -> None:
    """Everything that LLVM takes for a number."""
    assert only_value(f"Refs: [{text}]").refs == [number]


@pytest.mark.parametrize(
    "text", ["18446744073709551616", "-1", "+1", "08", "0x", "1_0", "1.0", "x", "''", "9" * 5000]
)
def test_no_numbers(text: str) -> None:
    """Everything else, with what was expected."""
    with pytest.raises(
        InputError, match=r"^s.yaml:1:34: expected a number from 0 to 18446744073709551615, not '"
    ) as caught:
        only_value(f"Refs: [{text}]")
    assert len(str(caught.value)) < 160


@pytest.mark.parametrize(
    ("text", "value"), [("true", True), ("YES", True), ("y", True), ("Off", False), ("n", False)]
)
def test_truth_values(text: str, value: bool) -> None:
    """LLVM's words for them."""
    assert only_value(f"Live: {text}").live is value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Foo: 1", r"1:1: unknown key 'Foo'; expected one of GlobalValueMap, TypeIdMap, With"),
        (
            "GlobalValueMap:\n  1:\n    - Live: true\n      Life: true",
            r"4:7: unknown key 'Life'; expected one of Linkage, ",
        ),
        ("TypeIdMap: { a: {}, a: {} }", r"1:21: the key 'a' is there twice"),
        ("GlobalValueMap: { 42: [], 0x2a: [] }", r"1:27: the key 42 is there twice, written in two ways"),
        (
            "TypeIdMap: {a: {WPDRes: {1: {ResByArg: {'1': {}, '01': {}}}}}}",
            r"the arguments 1 are there twice",
        ),
        ("GlobalValueMap: { f: [] }", r"1:19: expected a key of numbers from 0 to 18446744073709551615"),
        ("TypeIdMap: {a: {WPDRes: {1: {ResByArg: {'1,,2': {}}}}}}", r"1:41: expected a key of numbers"),
        ("[]", r"1:1: expected a mapping"),
        ("hello", r"1:1: expected a mapping"),
        ("TypeIdMap: []", r"1:12: expected a mapping"),
        ("GlobalValueMap: { 1: {} }", r"1:22: expected a sequence"),
        ("GlobalValueMap: { 1: [{Live: []}] }", r"1:30: expected a single value"),
        ("GlobalValueMap: { 1: [{Live: }] }", r"1:29: the value is missing"),
        ("GlobalValueMap: { 1: [{Live: maybe}] }", r"1:30: expected true or false, not 'maybe'"),
        ("GlobalValueMap: { 1: [{Linkage: 11}] }", r"1:33: expected a number from 0 to 10, not '11'"),
        ("GlobalValueMap: { 1: [{Visibility: 3}] }", r"expected a number from 0 to 2, not '3'"),
        ("TypeIdMap: { a: {TTRes: {BitMask: 256}} }", r"expected a number from 0 to 255, not '256'"),
        (
            "TypeIdMap: { a: {TTRes: {Kind: byteArray}} }",
            r"expected one of Unknown, .*ByteArray, not 'byteArray'",
        ),
        ("CfiFunctionDefs: [{Name: f}]", r"1:19: the key GUID is missing"),
        ("CfiFunctionDefs: [{GUID: 1}]", r"1:19: the key Name is missing"),
        ("CfiFunctionDefs: [[f]]", r"1:19: expected a single value"),
    ],
)
def test_what_is_no_summary(text: str, message: str) -> None:
    """Each fault is reported with file, line and column, and what was expected there."""
    with pytest.raises(InputError, match=rf"^s\.yaml:.*{message}"):
        read_summary(text, "s.yaml")


def test_an_error_knows_its_place() -> None:
    """For programs, as attributes."""
    with pytest.raises(InputError) as caught:
        read_summary("GlobalValueMap:\n  1:\n    - Live: perhaps", "s.yaml")
    assert (caught.value.path, caught.value.line, caught.value.column) == ("s.yaml", 3, 13)
