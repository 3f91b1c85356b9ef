"""What a module summary says of type metadata. Pure data, edited in place by the passes that export to it.

Global values and type identifiers are known by GUID, a number of 64 bits: see `typemeta.summary.guid`.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Final, NamedTuple


class ResolutionKind(enum.StrEnum):
    """How a type identifier is tested; LLVM's words (`TypeTestResolution::Kind`)."""

    UNKNOWN = "unknown"  # nobody looked: tests stay as they are
    UNSAT = "unsat"
    SINGLE = "single"
    ALL_ONES = "allOnes"
    INLINE = "inline"
    BYTE_ARRAY = "byteArray"


@dataclass(slots=True, kw_only=True)
class TypeTestResolution:
    """How one type identifier is tested in every module of a link (`TypeTestResolution`).

    The last four are 0 where the target keeps such constants in absolute symbols (x86 with ELF).

    Attributes:
        kind: the form of the test.
        size_m1_bit_width: bits that suffice for `size_m1`.
        align_log2: the members' common alignment, as a power of 2; 64 bits.
        size_m1: size of the bit set less 1; 64 bits.
        bit_mask: the bit in the byte array, for `byteArray`; 8 bits.
        inline_bits: the bit set, for `inline`; 64 bits.
    """

    kind: ResolutionKind = ResolutionKind.UNKNOWN
    size_m1_bit_width: int = 0
    align_log2: int = 0
    size_m1: int = 0
    bit_mask: int = 0
    inline_bits: int = 0


class ByArgKind(enum.StrEnum):
    """What becomes of virtual calls with certain constant arguments; LLVM's words."""

    INDIR = "indir"
    UNIFORM_RET_VAL = "uniformRetVal"
    UNIQUE_RET_VAL = "uniqueRetVal"
    VIRTUAL_CONST_PROP = "virtualConstProp"


@dataclass(slots=True, kw_only=True)
class ByArgResolution:
    """What becomes of the calls of one virtual function with certain constant arguments.

    Attributes:
        kind: the form of the call.
        info: the uniform return value, or the one (0 or 1) that only one vtable's function returns; 64 bits.
        byte: place of the constant relative to the vtable, in bytes; 32 bits.
        bit: the bit in that byte; 32 bits.
    """

    kind: ByArgKind = ByArgKind.INDIR
    info: int = 0
    byte: int = 0
    bit: int = 0


class WholeProgramDevirtKind(enum.StrEnum):
    """What becomes of virtual calls; LLVM's words (`WholeProgramDevirtResolution::Kind`)."""

    INDIR = "indir"
    SINGLE_IMPL = "singleImpl"
    BRANCH_FUNNEL = "branchFunnel"


@dataclass(slots=True, kw_only=True)
class WholeProgramDevirtResolution:
    """What becomes of the calls through one slot of the vtables of a type identifier.

    Attributes:
        kind: the form of the calls.
        single_impl_name: the function that is called, for `singleImpl`.
        by_arg: by the values of the constant arguments, without `this`; 64 bits each.
    """

    kind: WholeProgramDevirtKind = WholeProgramDevirtKind.INDIR
    single_impl_name: str = ""
    by_arg: dict[tuple[int, ...], ByArgResolution] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class TypeIdSummary:
    """What is known of a type identifier in the whole link (`TypeIdSummary`).

    Attributes:
        type_test: how it is tested.
        devirtualization: by byte offset of the vtable's slot.
    """

    type_test: TypeTestResolution = field(default_factory=TypeTestResolution)
    devirtualization: dict[int, WholeProgramDevirtResolution] = field(default_factory=dict)


class VFuncId(NamedTuple):
    """A slot of the vtables of a type identifier.

    Attributes:
        guid: of the type identifier.
        offset: of the slot, in bytes.
    """

    guid: int = 0
    offset: int = 0


class ConstVCall(NamedTuple):
    """A virtual call whose arguments all are constant integers.

    Attributes:
        vfunc: what is called.
        args: the arguments, without `this`; 64 bits each.
    """

    vfunc: VFuncId = VFuncId()
    args: tuple[int, ...] = ()


LOCAL_LINKAGES: Final = frozenset((7, 8))
"""LLVM's numbers for `internal` and `private`."""


@dataclass(slots=True, kw_only=True)
class GlobalValueSummary:
    """A function or an alias as one module of the link has it (`FunctionSummary`, `AliasSummary`).

    An alias has nothing but its flags and `aliasee`.

    Attributes:
        linkage: LLVM's number, 0 (`external`) to 10 (`common`).
        visibility: LLVM's number: 0 default, 1 hidden, 2 protected.
        not_eligible_to_import: True if other modules cannot import its definition.
        live: True if something that runs needs it; says nothing before dead stripping.
        local: True if the linker resolved it to a definition in the same linkage unit.
        can_auto_hide: True if it may become hidden.
        import_type: 0 if its definition is to be imported, 1 if only its declaration.
        no_rename_on_promotion: True if it keeps its name when it stops being local (LLVM 23).
        aliasee: GUID of what an alias stands for; None for a function.
        refs: GUIDs of the global values it refers to other than by calling them.
        type_tests: GUIDs of the type identifiers it tests.
        type_test_assume_vcalls: virtual calls behind `llvm.assume` of a test.
        type_checked_load_vcalls: virtual calls behind `llvm.type.checked.load`.
        type_test_assume_const_vcalls: the same with constant arguments.
        type_checked_load_const_vcalls: the same with constant arguments.
    """

    linkage: int = 0
    visibility: int = 0
    not_eligible_to_import: bool = False
    live: bool = False
    local: bool = False
    can_auto_hide: bool = False
    import_type: int = 0
    no_rename_on_promotion: bool = False
    aliasee: int | None = None
    refs: list[int] = field(default_factory=list)
    type_tests: list[int] = field(default_factory=list)
    type_test_assume_vcalls: list[VFuncId] = field(default_factory=list)
    type_checked_load_vcalls: list[VFuncId] = field(default_factory=list)
    type_test_assume_const_vcalls: list[ConstVCall] = field(default_factory=list)
    type_checked_load_const_vcalls: list[ConstVCall] = field(default_factory=list)

    @property
    def has_local_linkage(self) -> bool:
        """True if no other module can name it."""
        return self.linkage in LOCAL_LINKAGES


class CfiFunction(NamedTuple):
    r"""A function with a jump-table entry that other modules refer to.

    Attributes:
        name: as in the module, with the `\1` that keeps the mangler away if it has one.
        guid: of the function, which the name alone does not tell for one that was local.
    """

    name: str
    guid: int


@dataclass(slots=True, kw_only=True)
class ModuleSummary:
    """The summary of one module, or of all modules of a link (`ModuleSummaryIndex`).

    Attributes:
        global_values: by GUID, one summary for each module that has the value.
        type_ids: by type identifier.
        with_global_value_dead_stripping: True if `live` of the summaries was computed.
        cfi_function_defs: functions whose jump-table entry takes over their name.
        cfi_function_decls: functions whose jump-table entry has a name of its own (`.cfi_jt`).
    """

    global_values: dict[int, list[GlobalValueSummary]] = field(default_factory=dict)
    type_ids: dict[str, TypeIdSummary] = field(default_factory=dict)
    with_global_value_dead_stripping: bool = False
    cfi_function_defs: set[CfiFunction] = field(default_factory=set)
    cfi_function_decls: set[CfiFunction] = field(default_factory=set)

    def get_or_insert_type_id(self, name: str) -> TypeIdSummary:
        """Returns what is known of a type identifier, to be filled in (`getOrInsertTypeIdSummary`)."""
        return self.type_ids.setdefault(name, TypeIdSummary())
