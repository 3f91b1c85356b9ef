"""Executes the lowered test of every type identifier on candidate addresses, and compares with the sets."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from typemeta.execute.stubs import add_stubs
from typemeta.execute.verify.probes import DRIVER, Probes, add_probes
from typemeta.llvm.jit import Jit, read_memory
from typemeta.llvm.module import Module
from typemeta.llvm.target import adopt_host_target
from typemeta.lower.pipeline import lower_module
from typemeta.lower.plan.members import find_live_members
from typemeta.model import TypeModel
from typemeta.model.read import read_type_model

__all__ = ["Difference", "Verification", "verify_module"]

Addresses = npt.NDArray[np.uint64]
_FAR: Final = (0, 1, 7, 8, (1 << 64) - 1, (1 << 64) - 8, 1 << 63, 1 << 47)
_NEAR: Final = (0, 1, -1, 8, -8)
_ALL_ONES: Final = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Difference:
    """A lowered test that says something else than its set.

    Attributes:
        type: the type identifier.
        address: the tested address as a distance in bytes from the closest global below, `@a+8`.
        expected: what the set says.
        got: what the lowered test says.
    """

    type: str
    address: str
    expected: bool
    got: bool


@dataclass(frozen=True, slots=True)
class Verification:
    """What was executed, and where it differs.

    Attributes:
        types: number of type identifiers whose test was executed.
        unprobed: type identifiers without one: nodes that nothing tests.
        addresses: number of different addresses, the same for each type.
        differences: wrong answers, by type and address.
    """

    types: int
    unprobed: int
    addresses: int
    differences: tuple[Difference, ...]

    @property
    def answers(self) -> int:
        """Number of executed tests."""
        return self.types * self.addresses


def verify_module(module: Module, lower: Callable[[Module], object] = lower_module) -> Verification:
    """Lowers a module, executes its type tests, and compares the answers with the sets.

    The module is changed. Each type identifier gets a probe that tests it, so types that nothing
    tests are lowered too. Nothing of the program's own code runs, its constructors neither.

    Args:
        module: the module; one without a target triple gets the host's.
        lower: changes the module, or returns another one in its place.

    Raises:
        MetadataError: the module cannot be lowered.
        LLVMError: the lowered code cannot be compiled for this machine.
    """
    adopt_host_target(module)
    model, anchors = read_type_model(module)
    probes = add_probes(module, model, anchors)
    result = lower(module)
    lowered = result if isinstance(result, Module) else module
    lowered.verify()
    add_stubs(lowered)
    with Jit(lowered.library) as jit:
        jit.add(lowered)
        jit.add(Module.parse(DRIVER.encode(), "driver.ll", context=lowered.context))
        return _compare(jit, model, probes)


def _compare(jit: Jit, model: TypeModel, probes: Probes) -> Verification:
    memory = read_memory(jit.address(probes.table), 8 * len(probes.names)) if probes.names else b""
    bases = np.frombuffer(memory, np.uint64)
    candidates = _candidates(bases, probes, model)
    base_of = dict(zip(probes.names, bases.tolist(), strict=True))
    drive = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p)(
        jit.address("typemeta.drive")
    )
    rows = find_live_members(model).rows
    differences: list[Difference] = []
    answers = np.zeros(len(candidates), np.uint8)
    for type_, probe in probes.functions.items():
        drive(jit.address(probe), candidates.ctypes.data, len(candidates), answers.ctypes.data)
        members = [
            (base_of.get(model.globals[g].name, 0), offset)
            for g, offset in zip(
                model.member_global[rows[type_]].tolist(),
                model.member_offset[rows[type_]].tolist(),
                strict=True,
            )
        ]
        inside = np.array([(base + offset) & _ALL_ONES for base, offset in members if base], np.uint64)
        expected = np.isin(candidates, inside)
        for place in np.flatnonzero(expected != (answers != 0)).tolist():
            address = _describe(int(candidates[place]), base_of)
            wanted = bool(expected[place])
            differences.append(Difference(model.types[type_].id, address, wanted, not wanted))
    unprobed = len(model.types) - len(probes.functions)
    return Verification(len(probes.functions), unprobed, len(candidates), tuple(differences))


def _candidates(bases: Addresses, probes: Probes, model: TypeModel) -> Addresses:
    """Returns every global at every offset of any member, first and last bytes, and their neighbours."""
    known = bases[bases != 0]
    sizes = np.array(probes.sizes, np.uint64)[bases != 0]
    offsets = np.unique(np.concatenate([model.member_offset.astype(np.uint64), np.zeros(1, np.uint64)]))
    points = np.concatenate(
        [
            (known[:, None] + offsets[None, :]).ravel(),
            known + sizes,
            np.array(_FAR, np.uint64),
        ]
    )
    near = np.array([step & _ALL_ONES for step in _NEAR], np.uint64)
    return np.unique((points[:, None] + near[None, :]).ravel())


def _describe(address: int, bases: dict[str, int]) -> str:
    below = [(address - base, name) for name, base in bases.items() if base and base <= address]
    if not below:
        return f"{address:#x}"
    distance, name = min(below)
    return f"@{name}+{distance}"
