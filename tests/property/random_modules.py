"""Random modules with type metadata, as IR text, and what their sets hold."""

from __future__ import annotations

import os
import random
from dataclasses import dataclass, field

from hypothesis import HealthCheck, settings, strategies

HEAD = """\
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
declare i1 @llvm.type.test(ptr, metadata)
"""

LONG_RUN = os.environ.get("TYPEMETA_FUZZ") == "1"
SETTINGS = settings(
    deadline=None,
    derandomize=not LONG_RUN,
    max_examples=3000 if LONG_RUN else 50,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
FEW = settings(SETTINGS, max_examples=600 if LONG_RUN else 40)


@dataclass(slots=True)
class RandomModule:
    """A module's text and its truth.

    Attributes:
        lines: of the text, metadata left out.
        nodes: the metadata nodes, by number.
        sizes: bytes of each global; 1 for functions.
        members: (global, offset) of each type identifier, by number.
        types: number of type identifiers.
    """

    lines: list[str] = field(default_factory=list)
    nodes: list[str] = field(default_factory=list)
    sizes: dict[str, int] = field(default_factory=dict)
    members: dict[int, set[tuple[str, int]]] = field(default_factory=dict)
    types: int = 0

    def attach(self, name: str, offset: int, type_: int) -> str:
        """Adds a member; returns the attachment's text."""
        self.members.setdefault(type_, set()).add((name, offset))
        self.nodes.append(f"!{{i64 {offset}, {identifier(type_)}}}")
        return f"!type !{len(self.nodes) - 1}"

    @property
    def text(self) -> str:
        """The module's text: globals, a test function `@test<N>` for each type, `@candidates`."""
        distinct = [f"!{distinct_number(t)} = distinct !{{}}" for t in range(self.types) if is_distinct(t)]
        tests = [TEST.format(number=t, identifier=identifier(t)) for t in range(self.types)]
        pointers = ", ".join(f"ptr @{name}" for name in self.sizes)
        table = f"@candidates = global [{len(self.sizes)} x ptr] [{pointers}]"
        nodes = [f"!{number} = {node}" for number, node in enumerate(self.nodes)]
        return "\n".join([HEAD, *self.lines, table, *tests, *nodes, *distinct, ""])


TEST = """define i1 @test{number}(ptr %p) {{
  %x = call i1 @llvm.type.test(ptr %p, metadata {identifier})
  ret i1 %x
}}"""


def is_distinct(type_: int) -> bool:
    """Every fifth type identifier is a distinct node."""
    return type_ % 5 == 4


def distinct_number(type_: int) -> int:
    """Number of a distinct node, behind all others."""
    return 100_000 + type_


def identifier(type_: int) -> str:
    """A type identifier as it stands in metadata and in calls."""
    return f"!{distinct_number(type_)}" if is_distinct(type_) else f'!"t{type_}"'


@strategies.composite
def modules(draw: strategies.DrawFn, *, past_the_end: bool = True) -> RandomModule:
    """Draws a module; `past_the_end` allows empty variables and members at or behind a variable's end."""
    rng = draw(strategies.randoms(use_true_random=False))
    module = RandomModule(types=rng.randint(1, 7))
    is_large = rng.random() < 0.2  # enough members for bit sets in memory
    variables = rng.randint(70, 110) if is_large else rng.randint(1, 14)
    functions = rng.randint(0, 8)
    of_variables = [t for t in range(module.types) if rng.random() < 0.7]
    of_functions = [t for t in range(module.types) if t not in of_variables]
    for number in range(variables):
        _add_variable(module, rng, number, variables, functions, of_variables, past_the_end)
    for number in range(functions):
        _add_function(module, rng, number, of_functions)
    return module


def _add_variable(
    module: RandomModule,
    rng: random.Random,
    number: int,
    variables: int,
    functions: int,
    types: list[int],
    past_the_end: bool,
) -> None:
    name = f"v{number}"
    count = rng.choice([1, 2, 3, 4, 5, 6, 8, 12, 17, 40, *([0] if past_the_end else [])])
    holds_pointers = rng.random() < 0.6
    size = count * (8 if holds_pointers else 4)
    attachments = ""
    for type_ in types:
        for _ in range(rng.randint(1, 2) if rng.random() < 0.45 else 0):
            offset = _offset(rng, size, past_the_end)
            attachments += ", " + module.attach(name, offset, type_)
    elements = ", ".join(_element(rng, variables, functions) for _ in range(count))
    contents = f"[{elements}]" if holds_pointers and count else "zeroinitializer"
    linkage = rng.choice(["internal", "", "hidden", "linkonce_odr", "weak_odr hidden", "private"])
    mutability = rng.choice(["constant", "constant", "constant", "global"])
    alignment = rng.choice(["", ", align 8", ", align 16", ", align 64"])
    type_text = f"[{count} x {'ptr' if holds_pointers else 'i32'}]"
    module.lines.append(f"@{name} = {linkage} {mutability} {type_text} {contents}{alignment}{attachments}")
    module.sizes[name] = size


def _offset(rng: random.Random, size: int, past_the_end: bool) -> int:
    if past_the_end and (size == 0 or rng.random() < 0.1):
        return size + rng.choice([0, 0, 4, 8])
    aligned = rng.randrange(max(size // 4, 1)) * 4
    return min(aligned + rng.choice([1, 2]), size - 1) if rng.random() < 0.1 else aligned


def _element(rng: random.Random, variables: int, functions: int) -> str:
    choice = rng.random()
    if choice < 0.2:
        return f"ptr @v{rng.randrange(variables)}"
    if choice < 0.4 and functions:
        return f"ptr @f{rng.randrange(functions)}"
    return "ptr null"


def _add_function(module: RandomModule, rng: random.Random, number: int, types: list[int]) -> None:
    name = f"f{number}"
    chosen = [t for t in types if rng.random() < 0.5]
    attachments = "".join(" " + module.attach(name, 0, t) for t in chosen)
    form = rng.random()
    if form < 0.2:
        line = f"declare{attachments} void @{name}()"
    elif form < 0.3:
        line = f"declare{attachments} extern_weak void @{name}()"
    else:
        linkage = rng.choice(["", "internal ", "hidden ", "dso_local "])
        line = f"define {linkage}void @{name}(){attachments} {{\n  ret void\n}}"
    module.lines.append(line)
    module.sizes[name] = 1
