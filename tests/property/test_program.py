"""What a program can see of its globals is the same after lowering: contents, places, names, calls."""

from __future__ import annotations

import ctypes
import os

from hypothesis import given

from tests.property.execution import call_function, lower_spec, running
from tests.property.specs import POINTER_SIZE, Definition, ModuleSpec
from tests.property.strategies import law, modules
from typemeta.llvm.jit import read_memory

LOCAL = ("internal", "private")


def is_writable(address: int) -> bool:
    """Tells whether the program may write a byte, which stays as it is: a kernel call does not crash."""
    reader, writer = os.pipe()
    try:
        os.write(writer, read_memory(address, 1))
        return bool(ctypes.CDLL(None).read(reader, ctypes.c_void_p(address), 1) == 1)
    finally:
        os.close(reader)
        os.close(writer)


@law()
@given(modules())
def test_variables(spec: ModuleSpec) -> None:
    """A variable holds what it held, is aligned as it was, writable if it was, and keeps its name."""
    lowered = lower_spec(spec)
    with running(lowered) as program:
        for variable in spec.variables:
            address = program.bases[variable.name]
            assert address % variable.least_alignment == 0
            if variable.linkage not in LOCAL:
                assert program.symbol(variable.name) == address
            if variable.defined is not Definition.HERE:
                continue
            pointers = b"".join(
                program.address_of(p).to_bytes(POINTER_SIZE, "little") for p in variable.pointers
            )
            assert read_memory(address, variable.size) == pointers + variable.filling
            assert variable.constant or not variable.size or is_writable(address)
            if variable.alias is not None:
                assert program.bases[f"alias.{variable.name}"] == address + variable.alias


@law()
@given(modules())
def test_functions(spec: ModuleSpec) -> None:
    """A function is reached through its entry, directly, behind its entry, and under its name."""
    lowered = lower_spec(spec)
    laid_out = {lowered.model.globals[index] for index in lowered.plan.place}
    entries = {record.name: record.canonical for record in laid_out}
    with running(lowered) as program:
        for function in spec.taken_functions:
            address = program.bases[function.name]
            if function.defined is Definition.NOWHERE:
                assert address == 0
                continue
            assert call_function(address) == function.value
            if function.name not in program.bodies:
                continue
            body = program.bodies[function.name]
            assert (body != address) == (function.name in entries)
            assert call_function(body) == function.value
            if function.linkage not in LOCAL:
                named = address if entries.get(function.name, True) else body
                assert program.symbol(function.name) == named
            if function.alias:
                assert program.bases[f"alias.{function.name}"] == body
        for function in spec.functions:
            if function.called and function.defined is not Definition.NOWHERE:
                assert call_function(program.symbol(f"call.{function.name}")) == function.value
