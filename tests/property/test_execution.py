"""Executed tests say yes to the members of their set, and to no other address in memory."""

from __future__ import annotations

from hypothesis import example, given

from tests.property.counterexamples import (
    ALIAS_OF_A_MEMBER_FUNCTION,
    ALIAS_OF_A_WEAK_VARIABLE,
    BOUNDARIES,
)
from tests.property.execution import check_answers, find_probes, lower_spec, running
from tests.property.specs import ModuleSpec
from tests.property.strategies import law, modules
from typemeta.llvm.passes import run_passes

# Not all of O2: its renaming of local symbols gives aliases sizes that the JIT's linker refuses.
OPTIMIZATION = (
    "always-inline,cgscc(inline),"
    "function(sroa,instcombine<no-verify-fixpoint>,gvn,simplifycfg,jump-threading,slp-vectorizer)"
)


@law()
@example(ALIAS_OF_A_WEAK_VARIABLE)
@example(BOUNDARIES)
@given(modules())
def test_answers(spec: ModuleSpec) -> None:
    """A test says true for the addresses in its set, and false for all around them."""
    lowered = lower_spec(spec)
    with running(lowered) as program:
        check_answers(program, find_probes(program, lowered))


@law(20)
@given(modules())
def test_answers_of_optimized_code(spec: ModuleSpec) -> None:
    """LLVM's optimizer, run after lowering, changes no answer: the code holds no undefined behavior."""
    lowered = lower_spec(spec)
    run_passes(lowered.module, OPTIMIZATION)
    with running(lowered) as program:
        check_answers(program, find_probes(program, lowered))


@law()
@example(ALIAS_OF_A_MEMBER_FUNCTION)
@given(modules())
def test_answers_for_known_addresses(spec: ModuleSpec) -> None:
    """A test of addresses that are known when compiling, folded or not, answers like any other."""
    lowered = lower_spec(spec)
    with running(lowered) as program:
        answers = program.known_answers()
        for index, test in enumerate(spec.known):
            members = program.member_addresses(test.type)
            expected = [program.address_of(pointer) in members for pointer in (test.first, test.second)]
            assert answers[index].tolist() == expected, f"@known.{index}"
