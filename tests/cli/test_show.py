"""`typemeta show`: text for people, JSON for scripts."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.command import TARGET, Typemeta

EVERYTHING = f"""{TARGET}
$_ZTV1B = comdat any
@_ZTV1B = linkonce_odr constant [4 x ptr] zeroinitializer, comdat, !type !2, !type !0, !vcall_visibility !8
@_ZTV1A = constant [3 x ptr] zeroinitializer, !type !0, !type !1, !type !0, !vcall_visibility !7
@local = internal constant [2 x i64] zeroinitializer, !type !4, !type !3, !vcall_visibility !9
@elsewhere = external constant [3 x ptr], !type !0
@plain = global i32 0

define void @f() !type !5 {{
  %t1 = call i1 @llvm.type.test(ptr @_ZTV1A, metadata !"_ZTS1A")
  %t2 = call i1 @llvm.type.test(ptr @local, metadata !10)
  %p1 = call i1 @llvm.public.type.test(ptr @_ZTV1A, metadata !"_ZTS1A")
  %l1 = call {{ ptr, i1 }} @llvm.type.checked.load(ptr @_ZTV1A, i32 0, metadata !"_ZTS1A")
  %l2 = call {{ ptr, i1 }} @llvm.type.checked.load(ptr @_ZTV1B, i32 0, metadata !"_ZTS1B")
  %l3 = call {{ ptr, i1 }} @llvm.type.checked.load.relative(ptr @_ZTV1B, i32 0, metadata !"_ZTS1B")
  %t3 = call i1 @llvm.type.test(ptr @_ZTV1A, metadata !"untouched")
  ret void
}}
declare !type !5 void @g()
declare i1 @llvm.type.test(ptr, metadata)
declare i1 @llvm.public.type.test(ptr, metadata)
declare {{ ptr, i1 }} @llvm.type.checked.load(ptr, i32, metadata)
declare {{ ptr, i1 }} @llvm.type.checked.load.relative(ptr, i32, metadata)

!0 = !{{i64 16, !"_ZTS1A"}}
!1 = !{{i64 16, !11}}
!2 = !{{i64 24, !"_ZTS1B"}}
!3 = !{{i64 0, !10}}
!4 = !{{i64 8, !10}}
!5 = !{{i64 0, !"_ZTSFvvE"}}
!7 = !{{i64 0}}
!8 = !{{i64 1}}
!9 = !{{i64 2}}
!10 = distinct !{{}}
!11 = distinct !{{}}
!llvm.module.flags = !{{!12, !13}}
!12 = !{{i32 4, !"CFI Canonical Jump Tables", i32 0}}
!13 = !{{i32 1, !"words", !"not a number"}}
"""


def member(global_: str, offset: int) -> dict[str, object]:
    """One entry of `members`."""
    return {"global": global_, "offset": offset}


def type_(id_: str, *members: dict[str, object], counts: tuple[int, int, int]) -> dict[str, object]:
    """One entry of `types`; the counts are those of type tests, checked loads, and public type tests."""
    return {
        "id": id_,
        "distinct": id_.startswith("!"),
        "members": list(members),
        "type_tests": counts[0],
        "checked_loads": counts[1],
        "public_type_tests": counts[2],
    }


def global_(name: str, kind: str, **facts: object) -> dict[str, object]:
    """One entry of `globals`; the types are given as pairs."""
    types = facts.pop("types")
    assert isinstance(types, list)
    return {
        "name": name,
        "kind": kind,
        "declaration": False,
        "linkage": "external",
        "vcall_visibility": "public",
        **facts,
        "types": [{"id": id_, "offset": offset} for id_, offset in types],
    }


def test_json_is_the_documented_document(typemeta: Typemeta) -> None:
    """`--json` prints one document of the contract's shape: every field, every order."""
    typemeta.write("everything.ll", EVERYTHING)
    document = json.loads(typemeta.prints("show", "everything.ll", "--json"))
    types = {entry["id"]: entry for entry in document["types"]}
    assert re.fullmatch(r"\d+\.\d+\.\d+", document.pop("llvm"))
    assert document.pop("types") == list(types.values())
    assert document.pop("globals") == [
        global_("f", "function", size=0, types=[("_ZTSFvvE", 0)]),
        global_("g", "function", size=0, declaration=True, types=[("_ZTSFvvE", 0)]),
        global_(
            "_ZTV1B",
            "variable",
            size=32,
            linkage="linkonce_odr",
            vcall_visibility="linkage-unit",
            types=[("_ZTS1B", 24), ("_ZTS1A", 16)],
        ),
        global_("_ZTV1A", "variable", size=24, types=[("_ZTS1A", 16), ("!0", 16), ("_ZTS1A", 16)]),
        global_(
            "local",
            "variable",
            size=16,
            linkage="internal",
            vcall_visibility="translation-unit",
            types=[("!1", 8), ("!1", 0)],
        ),
        global_("elsewhere", "variable", size=24, declaration=True, types=[("_ZTS1A", 16)]),
    ]
    assert types == {
        "_ZTSFvvE": type_("_ZTSFvvE", member("f", 0), member("g", 0), counts=(0, 0, 0)),
        "_ZTS1B": type_("_ZTS1B", member("_ZTV1B", 24), counts=(0, 2, 0)),
        "_ZTS1A": type_(
            "_ZTS1A", member("_ZTV1A", 16), member("_ZTV1B", 16), member("elsewhere", 16), counts=(1, 1, 1)
        ),
        "!0": type_("!0", member("_ZTV1A", 16), counts=(0, 0, 0)),
        "!1": type_("!1", member("local", 0), member("local", 8), counts=(1, 0, 0)),
        "untouched": type_("untouched", counts=(1, 0, 0)),
    }
    assert document == {
        "schema": "typemeta.show/1",
        "inputs": ["everything.ll"],
        "triple": "x86_64-unknown-linux-gnu",
        "flags": {"CFI Canonical Jump Tables": 0, "words": None},
    }


def test_nodes_are_numbered_by_first_appearance(typemeta: Typemeta) -> None:
    """The types come in the order in which the globals name them, and nodes are numbered in it."""
    typemeta.write("everything.ll", EVERYTHING)
    types = json.loads(typemeta.prints("show", "everything.ll", "--json"))["types"]
    named = [entry["id"] for entry in types]
    assert named[:5] == ["_ZTSFvvE", "_ZTS1B", "_ZTS1A", "!0", "!1"]


def test_text(typemeta: Typemeta) -> None:
    """The summary: counts, and the sets by size, then by tests."""
    lines = typemeta.prints("show", "sets.ll").splitlines()
    assert re.fullmatch(r"sets\.ll: x86_64-unknown-linux-gnu, LLVM \d+\.\d+\.\d+", lines.pop(0))
    assert lines == [
        "4 type identifiers, 7 members, 6 globals with type metadata; 4 type tests, 0 checked loads, "
        "0 public type tests",
        "",
        "members  tests  loads  type identifier",
        "      3      1      0  typeid2",
        "      2      1      0  typeid3",
        "      2      1      0  typeid1",
        "      0      1      0  typeid4",
    ]


def test_text_shows_flags(typemeta: Typemeta) -> None:
    """Module flags are shown; one that is not a number is said to be none."""
    typemeta.write("everything.ll", EVERYTHING)
    text = typemeta.prints("show", "everything.ll")
    assert "flag CFI Canonical Jump Tables = 0\n" in text
    assert "flag words = (not an integer)\n" in text


@pytest.mark.parametrize(("limit", "shown", "rest"), [("1", 1, 3), ("3", 3, 1), ("4", 4, 0), ("0", 4, 0)])
def test_limit(typemeta: Typemeta, limit: str, shown: int, rest: int) -> None:
    """`--limit N` lists N identifiers and says how many there are more; 0 lists all."""
    text = typemeta.prints("show", "sets.ll", "--limit", limit)
    assert len(re.findall(r"^ +\d+ +\d+ +\d+  typeid\d$", text, re.MULTILINE)) == shown
    more = re.findall(r"^\.\.\. and (\d+) more; --limit 0 lists all$", text, re.MULTILINE)
    assert more == ([str(rest)] if rest else [])


@pytest.mark.parametrize("limit", ["-1", "x", "1.5"])
def test_limit_is_a_count(typemeta: Typemeta, limit: str) -> None:
    """What is no count is refused."""
    assert "-n/--limit" in typemeta.refuses("show", "sets.ll", "-n", limit)


def test_type(typemeta: Typemeta) -> None:
    """`--type` lists a set, in the order of names and offsets."""
    assert typemeta.prints("show", "sets.ll", "--type", "typeid2") == (
        "typeid2: 3 members; 1 llvm.type.test\n  @b+0\n  @c+0\n  @d+4\n"
    )
    assert typemeta.prints("show", "sets.ll", "--type", "typeid3") == (
        "typeid3: 2 members; 1 llvm.type.test\n  @e+0\n  @g+0  (declaration)\n"
    )


def test_type_of_a_node(typemeta: Typemeta) -> None:
    """A node without a name is asked for by its number; every kind of call site is counted."""
    typemeta.write("everything.ll", EVERYTHING)
    assert typemeta.prints("show", "everything.ll", "--type", "!1") == (
        "!1: 2 members; 1 llvm.type.test\n  @local+0\n  @local+8\n"
    )
    first = typemeta.prints("show", "everything.ll", "--type", "_ZTS1B").splitlines()[0]
    assert first == "_ZTS1B: 1 members; 1 llvm.type.checked.load, 1 llvm.type.checked.load.relative"
    assert "no call sites" in typemeta.prints("show", "everything.ll", "--type", "!0")


def test_unknown_type(typemeta: Typemeta) -> None:
    """An unknown identifier is refused, with those that are spelled like it."""
    assert typemeta.refuses("show", "sets.ll", "--type", "typeidl").startswith(
        "no type identifier typeidl; did you mean typeid"
    )
    assert typemeta.refuses("show", "sets.ll", "--type", "") == "no type identifier"


@pytest.mark.parametrize("name", ["b", "@b"])
def test_global(typemeta: Typemeta, name: str) -> None:
    """`--global` lists the types of a global, with or without the `@`."""
    assert typemeta.prints("show", "sets.ll", "--global", name) == (
        "@b: variable, 4 bytes, internal, vcall visibility public\n  +0  typeid1\n  +0  typeid2\n"
    )


def test_global_functions_and_declarations(typemeta: Typemeta) -> None:
    """A function has no size, and what is only declared is said to be."""
    defined = typemeta.prints("show", "sets.ll", "--global", "e").splitlines()[0]
    assert defined == "@e: function, defined, external, vcall visibility public"
    declared = typemeta.prints("show", "sets.ll", "--global", "g").splitlines()[0]
    assert declared == "@g: function, declaration, external, vcall visibility public"


def test_unknown_global(typemeta: Typemeta) -> None:
    """A global without type metadata is refused, with those that are spelled like it."""
    assert typemeta.refuses("show", "sets.ll", "--global", "dd") == (
        "no global @dd with type metadata; did you mean d?"
    )
    assert typemeta.refuses("show", "sets.ll", "--global", "untyped") == (
        "no global @untyped with type metadata"
    )


@pytest.mark.parametrize(
    "choices",
    [("--type", "typeid1", "--json"), ("--global", "a", "--json"), ("--type", "x", "--global", "a")],
)
def test_one_question_at_a_time(typemeta: Typemeta, choices: tuple[str, ...]) -> None:
    """What would leave one of the options unheard is refused."""
    assert "not allowed with argument" in typemeta.refuses("show", "sets.ll", *choices)


def test_several_inputs_are_linked(typemeta: Typemeta) -> None:
    """Several inputs make one module, as LTO would see it; JSON names them all."""
    typemeta.write("x.ll", f'{TARGET}@x = global i32 0, !type !0\n!0 = !{{i64 0, !"typeid1"}}\n')
    document = json.loads(typemeta.prints("show", "sets.ll", "x.ll", "--json"))
    assert document["inputs"] == ["sets.ll", "x.ll"]
    [found] = [entry for entry in document["types"] if entry["id"] == "typeid1"]
    assert found["members"] == [member("a", 0), member("b", 0), member("x", 0)]
    assert typemeta.prints("show", "sets.ll", "x.ll").startswith("sets.ll x.ll: ")


def test_options_between_inputs(typemeta: Typemeta) -> None:
    """An option may stand between the inputs."""
    typemeta.write("x.ll", f"{TARGET}@x = global i32 0\n")
    document = json.loads(typemeta.prints("show", "sets.ll", "--json", "x.ll"))
    assert document["inputs"] == ["sets.ll", "x.ll"]


def test_standard_input(typemeta: Typemeta) -> None:
    """`-` reads standard input."""
    text = (typemeta.folder / "sets.ll").read_text()
    document = json.loads(typemeta.prints("show", "-", "--json", stdin=text))
    assert document["inputs"] == ["-"]
    assert len(document["types"]) == 4


@pytest.mark.parametrize("name", ["shapes.o", "fat.o", "shapes.a"])
def test_objects_and_archives(typemeta: Typemeta, objects: Path, name: str) -> None:
    """An LTO object, a fat object and an archive of objects hold the same sets."""
    document = json.loads(typemeta.prints("show", objects / name, "--json"))
    [shape] = [entry for entry in document["types"] if entry["id"] == "_ZTS5Shape"]
    assert shape["members"] == [
        member("_ZTV5Shape", 16),
        member("_ZTV6Circle", 16),
        member("_ZTV6Square", 16),
    ]
    assert shape["type_tests"] > 0
    assert document["flags"]["CFI Canonical Jump Tables"] == 1


def test_module_without_metadata(typemeta: Typemeta) -> None:
    """A module without type metadata is no error: there is nothing, and no table."""
    typemeta.write("none.ll", "define void @f() {\n  ret void\n}\n")
    lines = typemeta.prints("show", "none.ll").splitlines()
    assert lines[0].startswith("none.ll: no target triple, LLVM ")
    assert lines[1].startswith("0 type identifiers, 0 members, 0 globals")
    assert len(lines) == 2
    document = json.loads(typemeta.prints("show", "none.ll", "--json"))
    assert (document["types"], document["globals"], document["triple"]) == ([], [], "")


def test_no_colour_codes_in_a_pipe(typemeta: Typemeta) -> None:
    """Nothing is coloured that is no terminal, unless it is asked for."""
    for question in ((), ("--type", "typeid1"), ("--global", "a"), ("--limit", "1")):
        assert "\x1b" not in typemeta.prints("show", "sets.ll", *question)
        assert "\x1b" not in typemeta.prints("show", "sets.ll", *question, "--color", "never")
        coloured = typemeta.prints("show", "sets.ll", *question, "--color", "always")
        assert coloured.startswith("\x1b[1m")
    assert "\x1b" not in typemeta.prints("show", "sets.ll", "--json", "--color", "always")


def test_names_cannot_command_the_terminal(typemeta: Typemeta) -> None:
    """Names may hold any byte; in text those that are no printable characters are escaped."""
    typemeta.write("x.ll", '@"n\\1B[2J\\0A" = global i8 0, !type !0\n!0 = !{i64 0, !"T\\1B[31m\\0A"}\n')
    assert r"  T\x1b[31m\n" in typemeta.prints("show", "x.ll")
    assert typemeta.prints("show", "x.ll", "--type", "T\x1b[31m\n") == (
        "T\\x1b[31m\\n: 1 members; no call sites\n  @n\\x1b[2J\\n+0\n"
    )
    assert typemeta.prints("show", "x.ll", "--global", "n\x1b[2J\n").startswith(r"@n\x1b[2J\n: variable")
    document = json.loads(typemeta.prints("show", "x.ll", "--json"))
    assert document["types"][0]["id"] == "T\x1b[31m\n"
