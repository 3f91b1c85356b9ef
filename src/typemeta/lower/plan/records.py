"""The lowering plan: what every global, type identifier and call site becomes. Pure data."""

from __future__ import annotations

import enum
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Final, Self

from typemeta.errors import PlanError
from typemeta.layout import BitSet, ByteArrayPlace
from typemeta.model import GlobalIndex, TypeIndex

SCHEMA: Final = "typemeta.lower-plan/1"


class ResolutionKind(enum.StrEnum):
    """How a type identifier is tested; LLVM's words (`TypeTestResolution`)."""

    UNSAT = "unsat"
    SINGLE = "single"
    ALL_ONES = "allOnes"
    INLINE = "inline"
    BYTE_ARRAY = "byteArray"


class JumpTableArch(enum.StrEnum):
    """Instruction sets that have jump-table entries; LLVM's words (`Triple::ArchType`)."""

    X86 = "i386"
    X86_64 = "x86_64"
    ARM = "arm"
    THUMB = "thumb"
    AARCH64 = "aarch64"
    RISCV32 = "riscv32"
    RISCV64 = "riscv64"
    LOONGARCH64 = "loongarch64"


class SiteDecision(enum.IntEnum):
    """What becomes of a call site."""

    KEEP = 0  # not a type test: its lowering is another pass's
    FOLD_FALSE = 1  # the set is empty
    FOLD_TRUE = 2  # the pointer is known to be a member, or the test is public and not to be checked
    TEST = 3  # code is emitted
    DROP = 4  # only told the optimizer something: it goes, with its llvm.assume


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableRegion:
    """Variables that become one combined global.

    Attributes:
        members: in layout order.
        offsets: byte offset of each in the combined global.
        size: bytes of the combined global.
        alignment: bytes.
        constant: True if no member is ever written.
    """

    members: tuple[GlobalIndex, ...]
    offsets: tuple[int, ...]
    size: int
    alignment: int
    constant: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class JumpTable:
    """Functions that are called through one jump table.

    Attributes:
        members: in the order of the entries.
        arch: the entries' instruction set.
        entry_size: bytes of an entry, also the table's alignment.
        landing_pads: True if entries begin with an instruction that marks where an indirect branch may
            land (`endbr`, `bti`).
        wide_branch: for Thumb, True if entries may use the 4-byte `b.w`.
        canonical: for each member, whether its entry takes over its name.
        exported: for each member, whether other modules of a ThinLTO link refer to its entry.
    """

    members: tuple[GlobalIndex, ...]
    arch: JumpTableArch
    entry_size: int
    landing_pads: bool
    wide_branch: bool
    canonical: tuple[bool, ...]
    exported: tuple[bool, ...]

    @property
    def offsets(self) -> tuple[int, ...]:
        """Byte offset of each entry."""
        return tuple(index * self.entry_size for index in range(len(self.members)))


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionIndices:
    """Functions of WebAssembly, whose addresses are indices into the table of indirect functions.

    Attributes:
        members: in the order of their indices.
        first: index of the first.
    """

    members: tuple[GlobalIndex, ...]
    first: int

    @property
    def offsets(self) -> tuple[int, ...]:
        """The index of each function."""
        return tuple(range(self.first, self.first + len(self.members)))


Region = VariableRegion | JumpTable | FunctionIndices
"""What the members of one disjoint set become."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """How one tested type identifier is tested.

    Attributes:
        type: the identifier.
        kind: the form of the test.
        region: index into `LowerPlan.regions`, None for `unsat`.
        bit_set: the members as offsets in the region.
        byte_array: where the bits are, for `byteArray`.
        call_sites: tests of this identifier that do not just feed `llvm.assume`.
        exported: True if other modules of a ThinLTO link test it too.
    """

    type: TypeIndex
    kind: ResolutionKind
    region: int | None
    bit_set: BitSet
    byte_array: ByteArrayPlace | None
    call_sites: int
    exported: bool = False


@dataclass(frozen=True, kw_only=True)
class LowerPlan:
    """Everything that lowering decides.

    Attributes:
        fingerprint: of the model it was made for.
        layout: `llvm`.
        regions: combined globals, jump tables and function indices, in the order in which they are made.
        resolutions: one for each tested type identifier, by region.
        decisions: one SiteDecision a byte, by SiteIndex.
        byte_array: contents of the byte array; empty if no identifier needs it.
    """

    fingerprint: str
    layout: str
    regions: tuple[Region, ...]
    resolutions: tuple[Resolution, ...]
    decisions: bytes
    byte_array: bytes

    @cached_property
    def place(self) -> Mapping[GlobalIndex, tuple[int, int]]:
        """Region and byte offset of each global that is laid out."""
        return {
            member: (index, offset)
            for index, region in enumerate(self.regions)
            for member, offset in zip(region.members, region.offsets, strict=True)
        }

    @cached_property
    def by_type(self) -> Mapping[TypeIndex, Resolution]:
        """Resolutions by type identifier; an identifier that nothing tests has none."""
        return {resolution.type: resolution for resolution in self.resolutions}

    def contains(self, type_: TypeIndex, global_: GlobalIndex, offset: int) -> bool:
        """Returns what the code of a test will answer for an address: the plan's meaning.

        Computed as the code computes it: distance from the last member, rotated, compared, and
        looked up.
        """
        resolution = self.by_type[type_]
        place = self.place.get(global_)
        if resolution.region is None or place is None or place[0] != resolution.region:
            return False
        bits = resolution.bit_set
        distance = bits.last - (place[1] + offset)
        if distance % (1 << bits.align_log2) or not 0 <= distance >> bits.align_log2 < bits.size:
            return False
        bit = distance >> bits.align_log2
        if resolution.byte_array is not None:
            return bool(self.byte_array[resolution.byte_array.offset + bit] & resolution.byte_array.mask)
        return bool(bits.mask >> bit & 1)

    def to_json(self) -> str:
        """Returns the plan as a JSON document."""
        regions = [{"kind": _REGION_KINDS[type(region)], **asdict(region)} for region in self.regions]
        document = {
            "schema": SCHEMA,
            "fingerprint": self.fingerprint,
            "layout": self.layout,
            "regions": regions,
            "resolutions": [asdict(resolution) for resolution in self.resolutions],
            "decisions": self.decisions.hex(),
            "byte_array": self.byte_array.hex(),
        }
        return json.dumps(document, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Reads what `to_json` wrote.

        Raises:
            PlanError: the document is not a lowering plan of this schema.
        """
        try:
            document = json.loads(text)
            if document["schema"] != SCHEMA:
                raise PlanError(f"this is a {document['schema']}, not a {SCHEMA}")
            return cls(
                fingerprint=document["fingerprint"],
                layout=document["layout"],
                regions=tuple(_region(entry) for entry in document["regions"]),
                resolutions=tuple(_resolution(entry) for entry in document["resolutions"]),
                decisions=bytes.fromhex(document["decisions"]),
                byte_array=bytes.fromhex(document["byte_array"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise PlanError(f"not a lowering plan: {error!r}") from error


_REGION_KINDS: Final[Mapping[type[Region], str]] = {
    VariableRegion: "variables",
    JumpTable: "jump-table",
    FunctionIndices: "function-indices",
}


def _region(entry: dict[str, Any]) -> Region:
    members = tuple(GlobalIndex(index) for index in entry["members"])
    if entry["kind"] == "variables":
        return VariableRegion(
            members=members,
            offsets=tuple(entry["offsets"]),
            size=entry["size"],
            alignment=entry["alignment"],
            constant=entry["constant"],
        )
    if entry["kind"] == "function-indices":
        return FunctionIndices(members=members, first=entry["first"])
    return JumpTable(
        members=members,
        arch=JumpTableArch(entry["arch"]),
        entry_size=entry["entry_size"],
        landing_pads=entry["landing_pads"],
        wide_branch=entry["wide_branch"],
        canonical=tuple(entry["canonical"]),
        exported=tuple(entry["exported"]),
    )


def _resolution(entry: dict[str, Any]) -> Resolution:
    bits, place = entry["bit_set"], entry["byte_array"]
    return Resolution(
        type=TypeIndex(entry["type"]),
        kind=ResolutionKind(entry["kind"]),
        region=entry["region"],
        bit_set=BitSet(bits["first"], bits["align_log2"], bits["size"], tuple(bits["bits"])),
        byte_array=None if place is None else ByteArrayPlace(place["offset"], place["mask"]),
        call_sites=entry["call_sites"],
        exported=entry["exported"],
    )
