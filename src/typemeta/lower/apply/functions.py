"""Redirects functions to jump tables.

    define void @f() !type !0 { ... }         ; and its address is taken somewhere

    define hidden void @f.cfi() !type !0 { ... }
    @f = alias [8 x i8], ptr @.cfi.jumptable  ; canonical: the entry takes over the name
    define private void @.cfi.jumptable() naked { call void asm "jmp ${0:c}@plt...", "s"(ptr @f.cfi) ... }

Every use of the address goes through the table. These do not: direct calls (unless the function can be
replaced at run time), block addresses, `no_cfi`, aliases of the function, resolvers of ifuncs,
`llvm.used`, `llvm.compiler.used` and `llvm.global.annotations`, which speak of the body.

Metadata goes on speaking of the function itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from typemeta.llvm.arrays import append_constructor, array_rows, put_pointers, set_array_rows, take_array
from typemeta.llvm.constants import Replacement, variables_using
from typemeta.llvm.edit import (
    EXTERN_WEAK_LINKAGE,
    HIDDEN,
    ICMP_NE,
    INTERNAL_LINKAGE,
    PRIVATE_LINKAGE,
    Editor,
)
from typemeta.llvm.functions import find_dso_local, has_enum_attribute, is_direct_call, is_no_cfi, users
from typemeta.lower.plan import JumpTable, JumpTableArch
from typemeta.lower.plan.jump_tables import entry_text, table_attributes
from typemeta.model.read import Anchors

_USED = ("llvm.used", "llvm.compiler.used")
_ANNOTATIONS = "llvm.global.annotations"
_CONSTRUCTOR = "__cfi_global_var_init"


@dataclass(frozen=True, slots=True)
class JumpTableFunction:
    """A jump table that has no entries yet."""

    table: JumpTable
    members: tuple[int, ...]
    function: int

    @property
    def canonical(self) -> tuple[bool, ...]:
        """Whether the entry of each member takes over its name."""
        return self.table.canonical


def create_jump_table(editor: Editor, anchors: Anchors, table: JumpTable) -> JumpTableFunction:
    """Adds the function that will hold the entries; the members stay as they are."""
    type_ = editor.function_type(editor.void_type, [])
    function = editor.add_function(type_, ".cfi.jumptable", linkage=PRIVATE_LINKAGE)
    return JumpTableFunction(table, tuple(anchors.globals[m] for m in table.members), function)


def redirect_functions(editor: Editor, tables: list[JumpTableFunction]) -> None:
    """Sends every use of the members' addresses through their tables, and writes the tables."""
    functions = [member for table in tables for member in table.members]
    kept = _keeps_direct_calls(editor, tables)
    with _set_aside(editor, frozenset(functions)) as used:
        names: dict[int, int] = {}  # function -> what an address of it becomes
        entries: dict[int, int] = {}  # function -> the entry itself
        for table in tables:
            for position, (member, canonical) in enumerate(zip(table.members, table.canonical, strict=True)):
                entries[member] = address = _entry_address(editor, table, position)
                alias = _name_entry(editor, table, member, address, canonical)
                names[member] = alias if canonical else address
                used += [] if canonical else [alias]
        _replace_addresses(editor, names, entries, kept)
    for table in tables:
        for member, canonical in zip(table.members, table.canonical, strict=True):
            if canonical:
                _hide_body(editor, member)
        _write_entries(editor, table)


def _entry_type(editor: Editor, table: JumpTableFunction) -> int:
    return editor.array_type(editor.i8, table.table.entry_size)


def _entry_address(editor: Editor, table: JumpTableFunction, entry: int) -> int:
    type_ = editor.array_type(_entry_type(editor, table), len(table.members))
    return editor.element_address(type_, table.function, entry)


def _keeps_direct_calls(editor: Editor, tables: list[JumpTableFunction]) -> frozenset[int]:
    """Returns the functions whose direct calls go on calling the function itself.

    A call to a function that another module may replace at run time goes by its name, which is now
    that of the table's entry. A name that is not canonical still is the function's.
    """
    c, module = editor.c, editor.module
    members = [(m, canonical) for t in tables for m, canonical in zip(t.members, t.canonical, strict=True)]
    called = [
        member
        for member, canonical in members
        if canonical and any(is_direct_call(c, user, member) for user in users(module, member))
    ]
    return find_dso_local(module, called) | {member for member, canonical in members if not canonical}


@contextmanager
def _set_aside(editor: Editor, functions: frozenset[int]) -> Iterator[list[int]]:
    """Keeps lists that speak of the bodies out of the way; yields the elements of `llvm.used`."""
    lists = {name: take_array(editor, name) or [] for name in _USED}
    annotated = array_rows(editor, _ANNOTATIONS)
    yield lists["llvm.used"]
    for name, elements in lists.items():
        put_pointers(editor, name, elements)
    restored = {row: function for row, function in enumerate(annotated) if function in functions}
    set_array_rows(editor, _ANNOTATIONS, restored)


def _name_entry(
    editor: Editor, table: JumpTableFunction, function: int, address: int, canonical: bool
) -> int:
    """Adds the alias of an entry: under the function's name, which gets `.cfi`, or with `.cfi_jt`."""
    name = editor.name(function)
    type_ = _entry_type(editor, table)
    if not canonical:
        entry_name = (name + b".cfi_jt").decode(errors="surrogateescape")
        return editor.add_alias(type_, address, entry_name, linkage=INTERNAL_LINKAGE)
    alias = editor.replace_by_alias(function, type_, address)
    if name:
        editor.rename(function, name + b".cfi")
    return alias


def _replace_addresses(
    editor: Editor, names: dict[int, int], entries: dict[int, int], kept: frozenset[int]
) -> None:
    """Replaces the functions by their entries wherever their address is meant.

    A function that may be missing is replaced by `function ? entry : null`, computed at each use: no
    relocation can say that, so variables that hold its address get it from a constructor.
    """
    c, module = editor.c, editor.module
    weak = [function for function in names if c.LLVMGetLinkage(function) == EXTERN_WEAK_LINKAGE]
    for function in weak:
        for variable in variables_using(editor, function):
            if editor.name(variable) != _ANNOTATIONS.encode():
                _initialize_at_start(editor, variable)
    null = editor.null(editor.pointer_type)

    def entry_if_there(function: int) -> int:
        return editor.select(editor.compare(ICMP_NE, function, null), entries[function], null)

    def replace_opaque(constant: int, function: int) -> int | None:
        if function not in entries or is_no_cfi(module, constant):
            return None  # the body is meant
        return entries[function]  # dso_local_equivalent: the entry cannot be replaced at run time

    Replacement(
        editor,
        constants={function: name for function, name in names.items() if function not in weak},
        computed={function: partial(entry_if_there, function) for function in weak},
        kept=kept,
        opaque=replace_opaque,
    ).run()


def _hide_body(editor: Editor, function: int) -> None:
    c = editor.c
    if c.LLVMGetLinkage(function) not in (INTERNAL_LINKAGE, PRIVATE_LINKAGE):
        c.LLVMSetVisibility(function, HIDDEN)
        # A linker that keeps another object's group of this name would drop the body, which only the
        # entry in this object refers to.
        c.LLVMSetComdat(function, 0)


def _initialize_at_start(editor: Editor, variable: int) -> None:
    """Moves a variable's initializer into a constructor that runs before all others."""
    c, module = editor.c, editor.module
    constructor = c.LLVMGetNamedFunction(module.ref, _CONSTRUCTOR.encode())
    if not constructor:
        type_ = editor.function_type(editor.void_type, [])
        constructor = editor.add_function(type_, _CONSTRUCTOR, linkage=INTERNAL_LINKAGE)
        editor.append_block(constructor, "entry")
        editor.return_void()
        c.LLVMSetSection(constructor, b".text.startup")
        append_constructor(editor, constructor, priority=0)
    editor.position_before(c.LLVMGetBasicBlockTerminator(c.LLVMGetEntryBasicBlock(constructor)))
    contents = editor.initializer(variable)
    store = editor.store(contents, variable)
    c.LLVMSetAlignment(store, c.LLVMGetAlignment(variable) or 1)
    c.LLVMSetGlobalConstant(variable, 0)
    editor.set_initializer(variable, editor.null(c.LLVMTypeOf(contents)))


def _write_entries(editor: Editor, table: JumpTableFunction) -> None:
    """Writes the table's body: a naked function with one inline-asm branch for each member."""
    plan = table.table
    attributes = ["naked", "noinline"]
    if plan.arch in (JumpTableArch.X86, JumpTableArch.X86_64):
        attributes.append("nocf_check")  # the entries bring their own landing pads
    if all(has_enum_attribute(editor.module, member, "nounwind") for member in table.members):
        attributes.append("nounwind")  # then it needs no unwind table
    for attribute in attributes:
        editor.add_attribute(table.function, attribute)
    for key, value in table_attributes(plan).items():
        editor.add_string_attribute(table.function, key, value)
    editor.c.LLVMSetAlignment(table.function, plan.entry_size)
    editor.append_block(table.function, "entry")
    type_ = editor.function_type(editor.void_type, [editor.pointer_type])
    branch = editor.inline_asm(type_, entry_text(plan), "s")
    for member in table.members:
        editor.call(type_, branch, [member])
    editor.unreachable()
