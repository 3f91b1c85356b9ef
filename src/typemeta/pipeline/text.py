"""Pipelines as `opt -passes=` takes them, cut into what typemeta does and what is left to LLVM.

    globaldce,module(lowertypetests,verify),function(instcombine)
    [LLVMPasses("globaldce"), OurPass("lowertypetests"), LLVMPasses("module(verify,function(instcombine))")]

Only our own passes are looked for. All else is LLVM's to understand, and to complain about.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from typemeta.errors import TypemetaError

LOWER: Final = "lowertypetests"
DROP: Final = "drop-type-tests"
OURS: Final = (LOWER, DROP)
"""The passes that typemeta does itself."""

_DROP_PARAMETERS: Final = ("assume", "all")
_OPENING, _CLOSING = "(<", ")>"


@dataclass(frozen=True, slots=True)
class OurPass:
    """A pass that typemeta does; `parameter` is what stands in `<...>`."""

    name: str
    parameter: str = ""


@dataclass(frozen=True, slots=True)
class LLVMPasses:
    """A run of other passes, as text for LLVM."""

    text: str


def parse_pipeline(text: str) -> list[OurPass | LLVMPasses]:
    """Cuts a pipeline at our passes; a pipeline without any is LLVM's as it stands.

    Raises:
        TypemetaError: a pass of ours has a parameter that it does not take.
    """
    elements = list(_flatten(text))
    if not any(isinstance(element, OurPass) for element in elements):
        return [LLVMPasses(text)] if text else []
    steps: list[OurPass | LLVMPasses] = []
    for ours, group in groupby(elements, key=lambda element: isinstance(element, OurPass)):
        if ours:
            steps += group
        else:
            run = ",".join(element.text for element in group if isinstance(element, LLVMPasses))
            # LLVM takes the level of a pipeline from its first pass; one that goes on is at module level.
            steps.append(LLVMPasses(f"module({run})" if steps else run))
    return steps


def _flatten(text: str) -> Iterable[OurPass | LLVMPasses]:
    """Yields the passes of a pipeline in order; `module(...)` that holds one of ours is opened."""
    for element in _split(text):
        name, bracket, rest = element.partition("(")
        if bracket and name == "module" and rest.endswith(")"):
            inner = list(_flatten(rest[:-1]))
            if any(isinstance(each, OurPass) for each in inner):
                yield from inner
                continue
        yield _our_pass(element) or LLVMPasses(element)


def _split(text: str) -> Iterable[str]:
    """Yields the elements between commas that are in no bracket; unbalanced text is one element."""
    depth, start = 0, 0
    pieces = []
    for place, char in enumerate(text):
        depth += (char in _OPENING) - (char in _CLOSING)
        if depth < 0:
            return [text]
        if char == "," and not depth:
            pieces.append(text[start:place])
            start = place + 1
    return [text] if depth else [*pieces, text[start:]]


def _our_pass(element: str) -> OurPass | None:
    if element in OURS:
        return OurPass(element)
    name, bracket, rest = element.partition("<")
    if name != DROP or not bracket or not rest.endswith(">"):
        return None
    parameter = rest.removesuffix(">")
    if parameter and parameter not in _DROP_PARAMETERS:
        raise TypemetaError(f"the pass {DROP} takes <assume> or <all>, not <{parameter}>")
    return OurPass(DROP, parameter)
