"""Under LLVM's layout, layouts and resolutions are those of LLVM's own pass.

Two differences are intended, and kept out of the modules here: where a set has an address outside of its
variable LLVM lets it collide with the next one's, and typemeta does not; and a combined global that holds
a writable variable is writable, where LLVM makes it constant (and so the constructor crashes that LLVM
itself adds where a variable points to a function that may be missing).
"""

from __future__ import annotations

import hashlib
import re
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.differential.lowered_code import BytePlace, LoweredCode, TestCode
from tests.ir import AARCH64, RISCV64, X86_64, parse
from tests.property.counterexamples import BOUNDARIES
from tests.property.execution import Lowered, check_answers, find_probes, lower_spec, running
from tests.property.ir_text import module_text
from tests.property.specs import Definition, ModuleSpec, Test, TypeName
from tests.property.strategies import law, modules
from typemeta.lower.plan import ResolutionKind

OPT = Path(sys.executable).parent / "opt"
OPTIONS = ["-S", "-passes=lowertypetests"]
KINDS = {
    "Unsat": ResolutionKind.UNSAT,
    "Single": ResolutionKind.SINGLE,
    "AllOnes": ResolutionKind.ALL_ONES,
    "Inline": ResolutionKind.INLINE,
    "ByteArray": ResolutionKind.BYTE_ARRAY,
}


def run_opt(text: str, *options: str | Path) -> str:
    """Returns what `opt` makes of a module."""
    done = subprocess.run([OPT, *OPTIONS, *options], input=text, capture_output=True, text=True, check=True)
    return done.stdout


def plain(spec: ModuleSpec) -> ModuleSpec:
    """Returns a module whose tests all are functions that only return the test."""
    types = [*(test.type for test in spec.tests), *(test.type for test in spec.known)]
    return replace(spec, tests=tuple(map(Test, types)))


def without_constructors(spec: ModuleSpec) -> ModuleSpec:
    """Returns a module whose variables do not point to functions that may be missing."""
    weak = {f.name for f in spec.functions if f.defined in (Definition.WEAKLY, Definition.NOWHERE)}
    return replace(
        spec,
        variables=tuple(
            replace(v, pointers=tuple(p for p in v.pointers if p.target not in weak)) for v in spec.variables
        ),
    )


def names_of(spec: ModuleSpec) -> list[str]:
    """Returns the names of the globals."""
    return [*(v.name for v in spec.variables), *(f.name for f in spec.functions)]


def byte_places(code: LoweredCode) -> set[tuple[int, BytePlace]]:
    """Returns the places taken in the byte array, each with the places of its bit set."""
    return {(code.tests[number].size_m1, place) for number, place in code.places.items()}


def planned(lowered: Lowered, code: LoweredCode) -> dict[int, TestCode]:
    """Returns what the code of each test should say according to the plan."""
    found = {}
    starts = {region.members[0]: region for region in code.regions.values()}
    for index, test in enumerate(lowered.spec.tests):
        resolution = lowered.plan.by_type[lowered.type_of[test.type]]
        kind, bits = resolution.kind, resolution.bit_set
        if resolution.region is None:
            found[index] = TestCode(kind)
            continue
        first = lowered.model.globals[lowered.plan.regions[resolution.region].members[0]].name
        width = (32 if bits.size <= 32 else 64) if kind is ResolutionKind.INLINE else 0
        region = starts[0, first]
        found[index] = TestCode(kind, region, bits.last, bits.align_log2, bits.size - 1, width, bits.mask)
    return found


@pytest.mark.parametrize("target", [X86_64, AARCH64, RISCV64], ids=["x86_64", "aarch64", "riscv64"])
@law(70)
@example(BOUNDARIES, frozenset())
@given(
    modules(like_llvm=True).map(plain),
    st.frozensets(st.sampled_from(["Cross-DSO CFI", "branch-target-enforcement"])),
)
def test_the_same_as_opt(target: str, spec: ModuleSpec, flags: frozenset[str]) -> None:
    """The same order and places, and for each test the same kind, size, alignment, bits and byte array.

    Under cross-DSO CFI functions count that only others can call.
    """
    spec = replace(spec, flags=spec.flags | dict.fromkeys(sorted(flags), 1))
    lowered = lower_spec(spec, target)
    ours = LoweredCode(lowered.module, names_of(spec))
    theirs = LoweredCode(parse(run_opt(module_text(spec, target))), names_of(spec))
    assert set(ours.regions.values()) == set(theirs.regions.values())
    assert len(theirs.tests) == len(spec.tests)
    assert ours.tests == theirs.tests
    assert ours.tests == planned(lowered, ours)
    assert byte_places(ours) == byte_places(theirs)
    assert ours.byte_array == (lowered.plan.byte_array if ours.places else b"")
    assert ours.byte_array == theirs.byte_array


@law(20)
@given(modules(like_llvm=True).map(plain).map(without_constructors))
def test_opts_code_answers_alike(spec: ModuleSpec) -> None:
    """What `opt` makes of a module, executed, answers as the sets say: the law holds for LLVM too."""
    lowered = lower_spec(spec)
    theirs = replace(lowered, module=parse(run_opt(module_text(spec))))
    with running(theirs) as program:
        check_answers(program, find_probes(program, theirs))


@law(15)
@given(modules(like_llvm=True).map(plain))
def test_the_same_as_in_opts_summary(tmp_path_factory: pytest.TempPathFactory, spec: ModuleSpec) -> None:
    """The resolutions that `opt` exports for other modules are those of the plan."""
    spec = replace(spec, types=tuple(TypeName(f"t{i}", t.distinct) for i, t in enumerate(spec.types)))
    lowered = lower_spec(spec)
    exported = export_resolutions(spec, tmp_path_factory.mktemp("summary"))
    planned = {}
    for type_, index in lowered.type_of.items():
        resolution = lowered.plan.by_type[index]
        bits, kind = resolution.bit_set, resolution.kind
        has_range = kind not in (ResolutionKind.UNSAT, ResolutionKind.SINGLE)
        planned[type_] = Exported(
            kind,
            align_log2=bits.align_log2 if has_range else None,
            size_m1=bits.size - 1 if has_range else None,
            inline_bits=bits.mask if kind is ResolutionKind.INLINE else None,
        )
    assert exported == {type_: entry for type_, entry in planned.items() if not spec.types[type_].distinct}


@dataclass(frozen=True, slots=True)
class Exported:
    """A resolution as LLVM's summary and the symbols beside it say it."""

    kind: ResolutionKind
    align_log2: int | None
    size_m1: int | None
    inline_bits: int | None


def export_resolutions(spec: ModuleSpec, folder: Path) -> dict[int, Exported]:
    """Has `opt` export the resolutions of the tested types that have a name."""
    tested = sorted({test.type for test in spec.tests if not spec.types[test.type].distinct})
    asked, answered = folder / "asked.yaml", folder / "answered.yaml"
    guids = ", ".join(str(guid(spec.types[type_].text)) for type_ in tested)
    asked.write_text(f"---\nGlobalValueMap:\n  1:\n    - Live: true\n      TypeTests: [ {guids} ]\n...\n")
    text = run_opt(
        module_text(spec),
        "-disable-verify",  # LLVM writes an alignment of 0 as an alias of null, which is not valid
        "-lowertypetests-summary-action=export",
        f"-lowertypetests-read-summary={asked}",
        f"-lowertypetests-write-summary={answered}",
    )
    kinds = dict(
        re.findall(r"^  (\w+):\n    TTRes:\n      Kind: +(\w+)$", answered.read_text(), re.MULTILINE)
    )
    found = {}
    for type_ in tested:
        name = spec.types[type_].text
        entries = re.findall(
            rf"^@__typeid_{name}_(\w+) = .* alias i8, (?:inttoptr \(i\d+ (-?\d+) to ptr\)|ptr null)$",
            text,
            re.MULTILINE,
        )
        symbols = {entry: int(value or 0) for entry, value in entries}
        kind = KINDS[kinds[name]]
        found[type_] = Exported(
            kind,
            align_log2=symbols.get("align"),
            size_m1=symbols.get("size_m1"),
            inline_bits=unsigned(symbols.get("inline_bits"), symbols.get("size_m1")),
        )
    return found


def guid(name: str) -> int:
    """Returns LLVM's number of a name: the first eight bytes of its MD5."""
    return int.from_bytes(hashlib.md5(name.encode()).digest()[:8], "little")


def unsigned(value: int | None, last_bit: int | None) -> int | None:
    """Returns a number that LLVM printed signed, given the number of its last bit."""
    if value is None or last_bit is None:
        return None
    return value & ((1 << (last_bit + 1)) - 1)
