"""Pipelines are cut at our passes; the rest is LLVM's, in the order given."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from typemeta.errors import TypemetaError
from typemeta.pipeline.text import LLVMPasses, OurPass, parse_pipeline

LOWER = OurPass("lowertypetests")


@pytest.mark.parametrize(
    "text",
    [
        "globaldce",
        "default<O3>",
        "globaldce,function(instcombine,loop(licm))",
        "module(globaldce,verify)",
        "function(lowertypetests)",  # there is no function pass of this name: LLVM will say so
        "lowertypetests<all>",
        "xlowertypetests",
        "module(lowertypetests",
        "module(lowertypetests))",
        " lowertypetests",
    ],
)
def test_without_our_passes_it_is_left_as_it_stands(text: str) -> None:
    """A pipeline of LLVM's passes, or one that makes no sense, is LLVM's whole."""
    assert parse_pipeline(text) == [LLVMPasses(text)]


def test_no_pipeline() -> None:
    """Nothing is to be done."""
    assert parse_pipeline("") == []


def test_in_the_order_given() -> None:
    """Passes between ours stay together; a run that is not the first is at module level, as it was."""
    assert parse_pipeline("globaldce,function(a,b),lowertypetests,default<O3>,c<x,y>,lowertypetests") == [
        LLVMPasses("globaldce,function(a,b)"),
        LOWER,
        LLVMPasses("module(default<O3>,c<x,y>)"),
        LOWER,
    ]


def test_ours_alone() -> None:
    """Passes of ours next to each other are each done."""
    assert parse_pipeline("lowertypetests,drop-type-tests") == [LOWER, OurPass("drop-type-tests")]


def test_nested_in_module() -> None:
    """`module(...)` that holds one of ours is opened, however deep; others stay closed."""
    assert parse_pipeline("module(verify,module(lowertypetests),globaldce),module(a)") == [
        LLVMPasses("verify"),
        LOWER,
        LLVMPasses("module(globaldce,module(a))"),
    ]


@pytest.mark.parametrize(
    ("text", "parameter"),
    [
        ("drop-type-tests", ""),
        ("drop-type-tests<>", ""),
        ("drop-type-tests<assume>", "assume"),
        ("drop-type-tests<all>", "all"),
    ],
)
def test_parameters(text: str, parameter: str) -> None:
    """`drop-type-tests` says which."""
    assert parse_pipeline(text) == [OurPass("drop-type-tests", parameter)]


def test_wrong_parameter() -> None:
    """The message names the pass, what it takes, and what it got."""
    with pytest.raises(TypemetaError) as caught:
        parse_pipeline("globaldce,drop-type-tests<most>")
    assert str(caught.value) == "the pass drop-type-tests takes <assume> or <all>, not <most>"


@given(
    st.lists(st.sampled_from(["lowertypetests", "a", "b(c,d)", "e<f;g>", "drop-type-tests<all>"]), min_size=1)
)
def test_nothing_is_lost(names: list[str]) -> None:
    """Put together again, the steps are the pipeline."""
    steps = parse_pipeline(",".join(names))
    texts = []
    for place, step in enumerate(steps):
        if isinstance(step, OurPass):
            texts.append(step.name + (f"<{step.parameter}>" if step.parameter else ""))
        elif place:
            texts.append(step.text.removeprefix("module(").removesuffix(")"))
        else:
            texts.append(step.text)
    assert ",".join(texts) == ",".join(names)


@given(st.text(alphabet="a,()<>lowertypes", max_size=30))
def test_any_text(text: str) -> None:
    """No text makes it fail; what is not ours is handed on."""
    steps = parse_pipeline(text)
    assert bool(steps) == bool(text)
