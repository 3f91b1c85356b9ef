"""Executed tests say yes to the members of their set, and to no other address in memory."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from tests.property.execution import Program, describe, find_probes, lower_spec, running
from tests.property.specs import Definition, ModuleSpec
from tests.property.strategies import law, modules
from typemeta.llvm.passes import run_passes


def check_answers(program: Program, probes: np.ndarray) -> None:
    answers = program.answers(probes)
    wrong = []
    for index, test in enumerate(program.spec.tests):
        expected = np.isin(probes, program.member_addresses(test.type))
        for probe in probes[answers[:, index] != expected].tolist():
            wrong.append(f"test.{index} of type {test.type}: {describe(program, probe)} {probe:#x}")
    assert not wrong, "\n".join(wrong[:20])


@law()
@given(modules())
def test_answers(spec: ModuleSpec) -> None:
    """A test says true for the addresses in its set, and false for all around them."""
    lowered = lower_spec(spec)
    with running(spec, lowered.module) as program:
        check_answers(program, find_probes(program, lowered))
