"""LLVM's own passes on a module."""

from __future__ import annotations

import pytest

from tests.ir import parse
from typemeta.errors import LLVMError, StaleHandleError
from typemeta.llvm.passes import run_passes

TEXT = """
define internal void @dead() {
  ret void
}
define i32 @f() {
  %x = add i32 20, 22
  ret i32 %x
}
"""


def test_passes_run_in_order() -> None:
    """A pipeline does what its passes do, and makes values stale."""
    module = parse(TEXT)
    value = module.find("f")
    assert value is not None
    run_passes(module, "globaldce,function(instsimplify)")
    module.verify()
    assert module.find("dead") is None
    assert "ret i32 42" in module.print()
    with pytest.raises(StaleHandleError):
        assert value.name


def test_a_pass_that_llvm_does_not_know() -> None:
    """The error names the module, the pipeline and LLVM's reason; the module can still be used."""
    module = parse(TEXT)
    with pytest.raises(LLVMError) as caught:
        run_passes(module, "globaldce,no-such-pass")
    assert str(caught.value).startswith("test.ll: passes globaldce,no-such-pass: ")
    assert "no-such-pass" in str(caught.value).removeprefix("test.ll: passes globaldce,no-such-pass: ")
    assert module.find("f") is not None


@pytest.mark.parametrize("pipeline", ["default<O2>", "verify"])
def test_other_pipelines(pipeline: str) -> None:
    """Whole pipelines and single passes are pipelines."""
    module = parse(TEXT)
    run_passes(module, pipeline)
    module.verify()
    assert module.find("f") is not None
