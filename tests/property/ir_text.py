"""Writes the modules that the laws talk about as IR text.

    @v0 = internal constant <{ ptr, [9 x i8] }> <{ ptr @f0, [9 x i8] c"..." }>, align 4, !type !0, !type !1
    define i1 @test.0(ptr %p) { ... llvm.type.test ... }     a function for each test, in several shapes
    define i1 @known.0(i1 %c) { ... }                         a function that tests addresses it names
    @bases = global [2 x ptr] [ptr @v0, ptr @f0]              the addresses as the program sees them
    @bodies = global [1 x ptr] [ptr no_cfi @f0]               where the functions really are
    define void @drive(ptr %probes, i64 %count, ptr %out)     every test on every probe: one native call

What a module only declares is defined in its companion.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tests.ir import TYPE_TEST, X86_64
from tests.property.specs import (
    Definition,
    Function,
    KnownTest,
    ModuleSpec,
    Pointer,
    Shape,
    Test,
    Variable,
)


def module_text(spec: ModuleSpec, target: str = X86_64) -> str:
    """Returns a module as IR text, for one of the targets of `tests.ir` with pointers of 64 bits."""
    parts = [
        target,
        TYPE_TEST,
        *(f"{_comdat(entry.name)} = comdat any" for entry in spec.globals if entry.comdat),
        *(_variable(spec, variable) for variable in spec.variables),
        *(_function(spec, function) for function in spec.functions),
        *map(_alias, spec.globals),
        *map(_caller, spec.functions),
        _tables(spec),
        *(_test(spec, index, test) for index, test in enumerate(spec.tests)),
        *(_known(spec, index, test) for index, test in enumerate(spec.known)),
        _NOTHING,
        _driver(len(spec.tests)),
        _known_driver(len(spec.known)),
        *_nodes(spec),
    ]
    return "\n".join(filter(None, parts))


def companion_text(spec: ModuleSpec) -> str:
    """Returns the module that defines what a module only declares."""
    elsewhere = (Definition.ELSEWHERE, Definition.BOTH, Definition.WEAKLY)
    variables = [variable for variable in spec.variables if variable.defined in elsewhere]
    functions = [function for function in spec.functions if function.defined in elsewhere]
    return "\n".join(
        [
            X86_64,
            *(
                f"{_at(v.name)} = global [{max(v.size, 1)} x i8] zeroinitializer, align {v.least_alignment}"
                for v in variables
            ),
            *(f"define i32 {_at(f.name)}() {{\n  ret i32 {f.value}\n}}" for f in functions),
        ]
    )


def _variable(spec: ModuleSpec, variable: Variable) -> str:
    linkage = {
        Definition.HERE: variable.linkage,
        Definition.ELSEWHERE: "external",
        Definition.BOTH: "available_externally",
    }[variable.defined]
    kind = "constant" if variable.constant else "global"
    type_, contents = _type_and_contents(variable)
    initializer = "" if variable.defined is Definition.ELSEWHERE else contents
    parts = [
        f"{_at(variable.name)} = {linkage} {kind} {type_} {initializer}",
        f"comdat({_comdat(variable.name)})" if variable.comdat else "",
        f"align {variable.alignment}" if variable.alignment else "",
        *_attachments(spec, variable.name),
    ]
    return ", ".join(filter(None, parts))


def _type_and_contents(variable: Variable) -> tuple[str, str]:
    filling = "".join(f"\\{byte:02X}" for byte in variable.filling)
    types = ["ptr"] * len(variable.pointers)
    values = [f"ptr {_address(pointer)}" for pointer in variable.pointers]
    if variable.filling or not variable.natural:
        types.append(f"[{len(variable.filling)} x i8]")
        values.append(f'{types[-1]} c"{filling}"')
    opening, closing = ("{", "}") if variable.natural else ("<{", "}>")
    return f"{opening} {', '.join(types)} {closing}", f"{opening} {', '.join(values)} {closing}"


def _function(spec: ModuleSpec, function: Function) -> str:
    attachments, name = " ".join(_attachments(spec, function.name)), _at(function.name)
    match function.defined:
        case Definition.ELSEWHERE:
            return f"declare {attachments} i32 {name}()"
        case Definition.WEAKLY | Definition.NOWHERE:
            return f"declare {attachments} extern_weak i32 {name}()"
        case Definition.HERE:
            linkage = function.linkage
        case Definition.BOTH:
            linkage = "available_externally"
    attribute = '"cfi-canonical-jump-table"' if function.canonical else ""
    group = f"comdat({_comdat(function.name)})" if function.comdat else ""
    body = f"{{\n  ret i32 {function.value}\n}}"
    return f"define {linkage} i32 {name}() {attribute} {group} {attachments} {body}"


def _attachments(spec: ModuleSpec, owner: str) -> list[str]:
    return [f"!type !{index}" for index, member in enumerate(spec.members) if member.owner == owner]


def _alias(entry: Variable | Function) -> str:
    alias = _at(f"alias.{entry.name}")
    if isinstance(entry, Function):
        return f"{alias} = alias i32 (), ptr {_at(entry.name)}" if entry.alias else ""
    if entry.alias is None:
        return ""
    # The JIT's linker gives an alias the size of its aliasee, which may lie behind its end.
    linkage = "private" if entry.alias else "internal" if entry.constant else ""
    return f"{alias} = {linkage} alias i8, ptr {_address(Pointer(entry.name, entry.alias))}"


def _caller(function: Function) -> str:
    if not function.called:
        return ""
    body = f"  %r = call i32 {_at(function.name)}()\n  ret i32 %r"
    return f"define i32 {_at(f'call.{function.name}')}() {{\n{body}\n}}"


def _tables(spec: ModuleSpec) -> str:
    kind = "constant" if spec.constant_bases else "global"
    bases = ", ".join(f"ptr {_at(name)}" for name in spec.bases)
    bodies = ", ".join(f"ptr no_cfi {_at(name)}" for name in spec.bodies)
    return (
        f"@bases = {kind} [{len(spec.bases)} x ptr] [{bases}]\n"
        f"@bodies = global [{len(spec.bodies)} x ptr] [{bodies}]"
    )


def _test(spec: ModuleSpec, index: int, test: Test) -> str:
    body = _SHAPES[test.shape].replace("TYPE", _identifier(spec, test.type))
    personality = "personality ptr @personality " if test.shape is Shape.INVOKE else ""
    return f"define i1 @test.{index}(ptr %p) {personality}{{\n{body}}}"


def _known(spec: ModuleSpec, index: int, test: KnownTest) -> str:
    pointer, choice = _address(test.first), ""
    if test.first != test.second:
        choice = f"  %p = select i1 %c, ptr {pointer}, ptr {_address(test.second)}\n"
        pointer = "%p"
    call = f"call i1 @llvm.type.test(ptr {pointer}, metadata {_identifier(spec, test.type)})"
    return f"define i1 @known.{index}(i1 %c) {{\n{choice}  %x = {call}\n  ret i1 %x\n}}"


def _identifier(spec: ModuleSpec, type_: int) -> str:
    name = spec.types[type_]
    return f"!{len(spec.members) + type_}" if name.distinct else f'!"{_escape(name.text)}"'


def _nodes(spec: ModuleSpec) -> Iterator[str]:
    for index, member in enumerate(spec.members):
        offset = f"i{member.bits} {member.offset & ((1 << member.bits) - 1)}"
        yield f"!{index} = !{{{offset}, {_identifier(spec, member.type)}}}"
    for index, name in enumerate(spec.types, len(spec.members)):
        if name.distinct:
            yield f"!{index} = distinct !{{}}"
    first = len(spec.members) + len(spec.types)
    for index, (key, value) in enumerate(spec.flags.items(), first):
        yield f'!{index} = !{{i32 4, !"{key}", i32 {value}}}'
    if spec.flags:
        numbers = ", ".join(f"!{first + position}" for position in range(len(spec.flags)))
        yield f"!llvm.module.flags = !{{{numbers}}}"


def _address(pointer: Pointer) -> str:
    base = _at(pointer.target)
    return f"getelementptr (i8, ptr {base}, i64 {pointer.offset})" if pointer.offset else base


def _at(name: str) -> str:
    return f'@"{_escape(name)}"'


def _comdat(name: str) -> str:
    return f'$"{_escape(name)}"'


def _escape(text: str) -> str:
    return "".join(
        chr(byte) if 0x20 <= byte < 0x7F and byte not in b'"\\' else f"\\{byte:02X}" for byte in text.encode()
    )


_CALL: Final = "call i1 @llvm.type.test(ptr {}, metadata TYPE)"
_SHAPES: Final = {
    Shape.PLAIN: f"  %x = {_CALL.format('%p')}\n  ret i1 %x\n",
    Shape.BRANCH: f"""\
entry:
  %x = {_CALL.format("%p")}
  br i1 %x, label %yes, label %no
yes:
  %y = phi i1 [ %x, %entry ]
  ret i1 %y
no:
  ret i1 false
""",
    Shape.SELECT: f"""\
  %x = {_CALL.format("%p")}
  %n = select i1 %x, i64 7, i64 3
  %y = icmp eq i64 %n, 7
  ret i1 %y
""",
    Shape.LOOP: f"""\
entry:
  br label %loop
loop:
  %q = phi ptr [ %p, %entry ], [ %r, %loop ]
  %seen = phi i1 [ true, %entry ], [ %all, %loop ]
  %n = phi i64 [ 0, %entry ], [ %m, %loop ]
  %x = {_CALL.format("%q")}
  %r = getelementptr i8, ptr %q, i64 0
  %all = and i1 %seen, %x
  %m = add i64 %n, 1
  %again = icmp ult i64 %m, 3
  br i1 %again, label %loop, label %done
done:
  %y = phi i1 [ %all, %loop ]
  ret i1 %y
""",
    Shape.SWITCH: f"""\
entry:
  %x = {_CALL.format("%p")}
  %n = zext i1 %x to i8
  switch i8 %n, label %no [ i8 1, label %done
                            i8 2, label %no ]
no:
  br label %done
done:
  %y = phi i1 [ %x, %entry ], [ false, %no ]
  ret i1 %y
""",
    Shape.TWICE: f"""\
  %x = {_CALL.format("%p")}
  %q = getelementptr i8, ptr %p, i64 1
  %r = getelementptr i8, ptr %q, i64 -1
  %y = {_CALL.format("%r")}
  %z = and i1 %x, %y
  ret i1 %z
""",
    Shape.INVOKE: f"""\
entry:
  invoke void @start() to label %next unwind label %pad
next:
  %x = {_CALL.format("%p")}
  invoke void @start() to label %done unwind label %pad
pad:
  %caught = landingpad {{ ptr, i32 }} cleanup
  %q = {_CALL.format("%p")}
  br label %done
done:
  %y = phi i1 [ %x, %next ], [ %q, %pad ]
  ret i1 %y
""",
}

_NOTHING: Final = """\
define void @start() {
  ret void
}
define internal i32 @personality(...) {
  ret i32 0
}"""


def _driver(count: int) -> str:
    """Returns `@drive`, which fills a matrix of answers: a row for each probe, a byte for each test."""
    stores = []
    for index in range(count):
        stores.append(f"""\
  %x{index} = call i1 @test.{index}(ptr %p)
  %b{index} = zext i1 %x{index} to i8
  %o{index} = getelementptr i8, ptr %row, i64 {index}
  store i8 %b{index}, ptr %o{index}""")
    return f"""\
define void @drive(ptr %probes, i64 %count, ptr %out) {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %place = getelementptr i64, ptr %probes, i64 %i
  %p = load ptr, ptr %place
  %start = mul i64 %i, {count}
  %row = getelementptr i8, ptr %out, i64 %start
{chr(10).join(stores)}
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, %count
  br i1 %more, label %loop, label %done
done:
  ret void
}}"""


def _known_driver(count: int) -> str:
    """Returns `@drive.known`: two bytes for each test, the answers for its first and second address."""
    lines = []
    for index in range(count):
        for column, condition in enumerate(("true", "false")):
            place = 2 * index + column
            lines.append(f"""\
  %x{place} = call i1 @known.{index}(i1 {condition})
  %b{place} = zext i1 %x{place} to i8
  %o{place} = getelementptr i8, ptr %out, i64 {place}
  store i8 %b{place}, ptr %o{place}""")
    return f"define void @drive.known(ptr %out) {{\n{chr(10).join(lines)}\n  ret void\n}}"
