"""Generates class hierarchies as LLVM IR text: trees of vtables with `!type` metadata and type tests.

A class inherits from one class that came before it, so its vtable is a member of its own set and of those
of all its ancestors, as clang writes it:

    @_ZTV5C0007 = constant { [4 x ptr] } ..., !type !0, !type !3, !type !7
    !7 = !{i64 16, !"_ZTS5C0007"}

and each class has one function with as many checked virtual calls as were asked for. The text is the same
in every run for the same numbers.
"""

import random
from pathlib import Path
from typing import TextIO

CLASSES_PER_TREE = 60
NEW_SLOTS = 2

HEAD = """\
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"

declare i1 @llvm.type.test(ptr, metadata)
declare void @llvm.ubsantrap(i8)

"""

CALL = """\
  %vtable{n} = load ptr, ptr %object
  %in{n} = call i1 @llvm.type.test(ptr %vtable{n}, metadata !"{type_id}")
  br i1 %in{n}, label %go{n}, label %stop{n}
stop{n}:
  call void @llvm.ubsantrap(i8 2)
  unreachable
go{n}:
  %slot{n} = getelementptr ptr, ptr %vtable{n}, i64 {slot}
  %callee{n} = load ptr, ptr %slot{n}
  call void %callee{n}(ptr %object)
"""


def write_hierarchy(output: Path, *, classes: int, tests_per_class: int, seed: int = 1) -> int:
    """Writes a module with that many classes.

    Args:
        output: the `.ll` file.
        classes: number of classes, at least 1, each with a vtable of its own.
        tests_per_class: type tests in the function of each class.
        seed: chooses the shape of the trees and what is tested.

    Returns:
        The number of memberships, that is of `!type` attachments.
    """
    chosen = random.Random(seed)
    parents = _choose_parents(classes, chosen)
    ancestors: list[list[int]] = []
    for number, parent in enumerate(parents):
        ancestors.append([number] if parent is None else [*ancestors[parent], number])

    with output.open("w") as text:
        text.write(HEAD)
        for number in range(classes):
            _write_vtable(text, number, ancestors[number])
        for number in range(classes):
            _write_function(text, number, ancestors, tests_per_class, chosen)
        for number in range(classes):
            text.write(f'!{number} = !{{i64 16, !"_ZTS{_name(number)}"}}\n')
    return sum(len(line) for line in ancestors)


def _choose_parents(classes: int, chosen: random.Random) -> list[int | None]:
    """Chooses a parent for each class: an earlier one of its tree, or none for the first of a tree."""
    parents: list[int | None] = []
    for number in range(classes):
        first = number - number % CLASSES_PER_TREE
        parents.append(None if number == first else chosen.randrange(first, number))
    return parents


def _name(number: int) -> str:
    digits = f"C{number:04}"
    return f"{len(digits)}{digits}"


def _write_vtable(text: TextIO, number: int, line: list[int]) -> None:
    """Writes one vtable: no offset, no type information, `NEW_SLOTS` slots for each class of its line."""
    slots = ", ".join(f"ptr @f{owner}" for owner in line for _ in range(NEW_SLOTS))
    size = 2 + NEW_SLOTS * len(line)
    types = ", ".join(f"!type !{owner}" for owner in line)
    text.write(f"@_ZTV{_name(number)} = hidden constant {{ [{size} x ptr] }} ")
    text.write(f"{{ [{size} x ptr] [ptr null, ptr null, {slots}] }}, align 8, {types}\n")


def _write_function(
    text: TextIO, number: int, ancestors: list[list[int]], tests: int, chosen: random.Random
) -> None:
    """Writes the function of one class: virtual calls through static types of its own tree."""
    first = number - number % CLASSES_PER_TREE
    last = min(first + CLASSES_PER_TREE, len(ancestors))
    text.write(f"\ndefine hidden void @f{number}(ptr %object) {{\n")
    for n in range(tests):
        static_type = chosen.randrange(first, last)
        slot = chosen.randrange(NEW_SLOTS * len(ancestors[static_type]))
        text.write(CALL.format(n=n, type_id=f"_ZTS{_name(static_type)}", slot=slot))
    text.write("  ret void\n}\n")
