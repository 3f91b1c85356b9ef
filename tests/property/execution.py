"""Runs every test of a module on every address that could go wrong, in this process."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from hypothesis import note

from tests.ir import X86_64, parse
from tests.property.ir_text import companion_text, module_text
from tests.property.specs import Definition, ModuleSpec, Pointer
from typemeta.execute.entry import add_constructor_calls, add_entry_point
from typemeta.llvm.edit import EXTERNAL_LINKAGE
from typemeta.llvm.jit import Jit, call_void, read_memory
from typemeta.llvm.module import Module
from typemeta.llvm.target import live_type_intrinsics
from typemeta.lower.apply import apply_lowering
from typemeta.lower.plan import JumpTable, LowerPlan, VariableRegion, plan_lowering
from typemeta.model import TypeIndex, TypeModel
from typemeta.model.read import Anchors, read_type_model

Addresses = npt.NDArray[np.uint64]
Answers = npt.NDArray[np.bool_]

_ALL_ONES = (1 << 64) - 1
_MARGIN = 64
_LONGEST_SCAN = 1 << 14
_FAR = [0, 1, 7, 8, (1 << 64) - 1, (1 << 64) - 8, 1 << 63, 1 << 47]


@dataclass(frozen=True)
class Lowered:
    """A module of a spec, lowered."""

    spec: ModuleSpec
    module: Module
    model: TypeModel
    plan: LowerPlan
    type_of: dict[int, TypeIndex]
    """The model's type of each of the spec's types that is tested."""


def lower_spec(spec: ModuleSpec, target: str = X86_64) -> Lowered:
    """Lowers a module; the verifier must accept it, and no test may be left."""
    text = module_text(spec, target)
    note(f"{text}\n; companion\n{companion_text(spec)}")
    module = parse(text)
    model, anchors = read_type_model(module)
    type_of = _types_of_tests(spec, module, model, anchors)
    plan = plan_lowering(model)
    apply_lowering(module, model, anchors, plan)
    module.verify()
    assert live_type_intrinsics(module) == {}
    return Lowered(spec, module, model, plan, type_of)


def _types_of_tests(
    spec: ModuleSpec, module: Module, model: TypeModel, anchors: Anchors
) -> dict[int, TypeIndex]:
    """Finds the model's number of each tested type by the function that a test stands in."""
    c = module.c
    tests = {f"test.{index}": test.type for index, test in enumerate(spec.tests)}
    functions = {value.ref: tests[value.name] for value in module.functions() if value.name in tests}
    found = {}
    for site, call in enumerate(anchors.sites):
        function = int(c.LLVMGetBasicBlockParent(c.LLVMGetInstructionParent(call)))
        if function in functions:
            found[functions[function]] = TypeIndex(int(model.site_type[site]))
    return found


class Program:
    """A compiled module: where its globals are, what its tests and functions answer.

    Attributes:
        spec: its spec.
        bases: the address of each global, as the program sees it.
        bodies: where functions really are, behind their jump-table entries.
        places: as `bases`, but a missing function is where its entry is, which no address leads to.
    """

    def __init__(self, spec: ModuleSpec, jit: Jit, entries: dict[str, str]) -> None:
        self.spec = spec
        self._jit = jit
        self.bases = self._read_table("bases", spec.bases)
        self.bodies = self._read_table("bodies", spec.bodies)
        self.places = self.bases | {name: self.symbol(symbol) for name, symbol in entries.items()}

    def symbol(self, name: str) -> int:
        """Returns the address of a symbol."""
        return self._jit.address(name)

    def address_of(self, pointer: Pointer) -> int:
        """Returns what a pointer in the module holds at run time."""
        return (self.bases[pointer.target] + pointer.offset) & _ALL_ONES

    def answers(self, probes: Addresses) -> Answers:
        """Returns what each test says about each probe: (number of probes, number of tests)."""
        results = np.full((len(probes), len(self.spec.tests)), 0xAA, np.uint8)
        drive = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p)(
            self.symbol("drive")
        )
        drive(probes.ctypes.data, len(probes), results.ctypes.data)
        assert results.max(initial=0) <= 1, "an answer is true or false"
        return results.astype(np.bool_)

    def known_answers(self) -> Answers:
        """Returns the answers for addresses known when compiling: (number of them, 2)."""
        results = np.full((len(self.spec.known), 2), 0xAA, np.uint8)
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.symbol("drive.known"))(results.ctypes.data)
        assert results.max(initial=0) <= 1
        return results.astype(np.bool_)

    def member_addresses(self, type_: int) -> Addresses:
        """Returns the addresses in a type's set."""
        counted = self.spec.counted(type_)
        return _wrapped([self.places[m.owner] + m.offset for m in counted if self.places[m.owner]])

    def describe(self, address: int) -> str:
        """Returns an address as a distance from the closest global below it."""
        below = [(address - base, name) for name, base in self.bases.items() if base and base <= address]
        distance, name = min(below, default=(address, ""))
        return f"@{name}+{distance}"

    def _read_table(self, name: str, names: tuple[str, ...]) -> dict[str, int]:
        memory = read_memory(self._jit.address(name), 8 * len(names)) if names else b""
        return dict(zip(names, np.frombuffer(memory, np.uint64).tolist(), strict=True))


@contextmanager
def running(lowered: Lowered) -> Iterator[Program]:
    """Compiles a lowered module with its companion and runs its constructors."""
    spec, module = lowered.spec, lowered.module
    entries = _expose_entries(spec, module)
    entry = add_entry_point(module, "start", [])
    add_constructor_calls(module, entry)
    with Jit(module.library) as jit:
        jit.add(module)
        jit.add(parse(companion_text(spec), "companion.ll", context=module.context))
        call_void(jit.address(entry.name))
        yield Program(spec, jit, entries)


def _expose_entries(spec: ModuleSpec, module: Module) -> dict[str, str]:
    """Gives the jump-table entries of missing functions symbols that the JIT can look up."""
    missing = [f.name for f in spec.functions if f.defined is Definition.NOWHERE]
    exposed = {}
    for name in missing:
        alias = module.find(f"{name}.cfi_jt")
        if alias is not None:
            exposed[name] = alias.name
            module.c.LLVMSetLinkage(alias.ref, EXTERNAL_LINKAGE)
    return exposed


def check_answers(program: Program, probes: Addresses) -> None:
    """Compares what each test answers with its set."""
    answers = program.answers(probes)
    wrong = []
    for index, test in enumerate(program.spec.tests):
        expected = np.isin(probes, program.member_addresses(test.type))
        for probe in probes[answers[:, index] != expected].tolist():
            said = "true" if answers[probes == probe, index] else "false"
            wrong.append(f"@test.{index} says {said} for {program.describe(probe)}")
    assert not wrong, "\n".join(wrong[:20])


def call_function(address: int) -> int:
    """Calls an `i32 ()` function."""
    return int(ctypes.CFUNCTYPE(ctypes.c_int32)(address)())


def find_probes(program: Program, lowered: Lowered | None = None) -> Addresses:
    """Returns every address that a wrong test might take for a member or miss.

    These are the starts of all globals, all offsets from them that are in any set, first and last
    bytes, and their neighbours; every byte of what the plan laid out, and one stride beyond on both
    sides; and addresses that differ from members in high bits only.
    """
    spec = program.spec
    points = list(_FAR)
    sizes = {variable.name: variable.size for variable in spec.variables}
    offsets = sorted({member.offset for member in spec.members})
    for name, base in program.bases.items():
        points += [base, base + sizes.get(name, 8) - 1, base + sizes.get(name, 8)]
        points += [base + offset for offset in offsets]
    points += program.bodies.values()
    if lowered:
        points += _region_points(program, lowered)
    for type_ in range(len(spec.types)):
        members = program.member_addresses(type_).tolist()
        points += [address ^ (1 << bit) for address in members[:20] for bit in range(3, 64)]
    near = np.unique(_wrapped(points))
    neighbours = [near, near + np.uint64(1), near - np.uint64(1)]
    return np.unique(np.concatenate(neighbours))


def _region_points(program: Program, lowered: Lowered) -> Iterator[int]:
    model, plan = lowered.model, lowered.plan
    starts = {}
    for index, region in enumerate(plan.regions):
        for member, offset in zip(region.members, region.offsets, strict=True):
            base = program.bases.get(model.globals[member].name, 0)
            if base:
                starts[index] = base - offset
        if index not in starts:
            continue
        entry_size = region.entry_size if isinstance(region, JumpTable) else 1
        size = region.size if isinstance(region, VariableRegion) else region.offsets[-1] + entry_size
        yield from range(starts[index] - _MARGIN, starts[index] + min(size, _LONGEST_SCAN) + _MARGIN)
    for resolution in plan.resolutions:
        start = starts.get(-1 if resolution.region is None else resolution.region)
        if start is None:
            continue
        bits = resolution.bit_set
        stride = 1 << bits.align_log2
        yield from (start + bits.first - stride, start + bits.last + stride, start + bits.last - bits.size)
        yield from (start + bits.first + place * stride for place in range(min(bits.size, _LONGEST_SCAN)))


def _wrapped(addresses: list[int]) -> Addresses:
    return np.array([address & _ALL_ONES for address in addresses], np.uint64)
