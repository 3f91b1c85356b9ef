"""`typemeta test`: the answer is the exit code, and a line or a document that says it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import TARGET, Typemeta

MEMBERS = [
    ("typeid1", "@a"),
    ("typeid1", "@b"),
    ("typeid1", "@a+0"),
    ("typeid2", "@b"),
    ("typeid2", "@c"),
    ("typeid2", "@d+4"),
    ("typeid2", "@d+0x4"),
    ("typeid2", "@behind_d"),
    ("typeid3", "@e"),
    ("typeid3", "@g"),
]
OTHERS = [
    ("typeid1", "@c"),
    ("typeid1", "@a+4"),
    ("typeid1", "@a+1"),
    ("typeid2", "@a"),
    ("typeid2", "@d"),
    ("typeid2", "@d+8"),
    ("typeid2", "@behind_d+4"),
    ("typeid3", "@f"),
    ("typeid3", "@e+1"),
    ("typeid1", "@untyped"),
    ("typeid4", "@a"),
]


@pytest.mark.parametrize(("type_", "address"), MEMBERS)
def test_member(typemeta: Typemeta, type_: str, address: str) -> None:
    """A member: exit code 0, and a line that says so."""
    shown = address.replace("+0x4", "+4").removesuffix("+0")
    assert typemeta.prints("test", "sets.ll", type_, address) == f"true: {shown} is in {type_}\n"


@pytest.mark.parametrize(("type_", "address"), OTHERS)
def test_no_member(typemeta: Typemeta, type_: str, address: str) -> None:
    """No member: exit code 1, and a line that says so; nothing is wrong with the question."""
    done = typemeta("test", "sets.ll", type_, address)
    assert (done.returncode, done.stdout, done.stderr) == (1, f"false: {address} is not in {type_}\n", "")


def test_node_without_a_name(typemeta: Typemeta) -> None:
    """A node is asked for by the number that `show` gives it."""
    typemeta.write(
        "nodes.ll",
        f"{TARGET}@x = global i64 0, !type !0\n@y = global i64 0, !type !1\n"
        "!0 = !{i64 0, !2}\n!1 = !{i64 4, !3}\n!2 = distinct !{}\n!3 = distinct !{}\n",
    )
    assert typemeta("test", "nodes.ll", "!0", "@x").returncode == 0
    assert typemeta("test", "nodes.ll", "!1", "@x").returncode == 1
    assert typemeta("test", "nodes.ll", "!1", "@y+4").returncode == 0
    assert typemeta.refuses("test", "nodes.ll", "!2", "@y") == "no type identifier !2"


def test_json(typemeta: Typemeta) -> None:
    """`--json` prints one document; the exit code is the same."""
    done = typemeta("test", "sets.ll", "typeid2", "@d+4", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout) == {
        "schema": "typemeta.test/1",
        "type": "typeid2",
        "global": "d",
        "offset": 4,
        "member": True,
    }
    done = typemeta("test", "sets.ll", "typeid2", "@behind_d+4", "--json")
    assert (done.returncode, done.stderr) == (1, "")
    facts = json.loads(done.stdout)
    assert (facts["global"], facts["offset"], facts["member"]) == ("behind_d", 4, False)


def test_unknown_type(typemeta: Typemeta) -> None:
    """An unknown identifier is no "false": it is refused, with a suggestion."""
    assert typemeta.refuses("test", "sets.ll", "type1", "@a").startswith(
        "no type identifier type1; did you mean typeid"
    )


def test_unknown_global(typemeta: Typemeta) -> None:
    """An unknown global is refused, with a suggestion where there is one."""
    message = typemeta.refuses("test", "sets.ll", "typeid1", "@dd")
    assert message == "no global @dd with type metadata; did you mean d?"
    message = typemeta.refuses("test", "sets.ll", "typeid1", "@nothing_like_it")
    assert message == "no global @nothing_like_it with type metadata"


@pytest.mark.parametrize("address", ["a", "@", "@+4", "@a+", "@a+4x", "@a+-4", "", "4", "@a+ 4"])
def test_bad_address(typemeta: Typemeta, address: str) -> None:
    """What is no address is refused before any file is read, and shown how to write."""
    message = typemeta.refuses("test", "no-such-file.ll", "typeid1", address)
    assert message == f"{address!r} is no address; write @NAME or @NAME+OFFSET, such as @_ZTV1A+16"


def test_several_inputs(typemeta: Typemeta) -> None:
    """The last two words are the question, however many inputs and options there are."""
    typemeta.write("x.ll", f'{TARGET}@x = global i32 0, !type !0\n!0 = !{{i64 0, !"typeid1"}}\n')
    assert typemeta("test", "sets.ll", "x.ll", "typeid1", "@x").returncode == 0
    assert typemeta("test", "sets.ll", "--color", "never", "x.ll", "typeid1", "-q", "@a").returncode == 0


def test_quoted_name(typemeta: Typemeta) -> None:
    """A name that holds a plus sign is quoted."""
    typemeta.write("x.ll", f'{TARGET}@"a+b" = global i64 0, !type !0\n!0 = !{{i64 4, !"T"}}\n')
    assert typemeta("test", "x.ll", "T", '@"a+b"+4').returncode == 0
    assert typemeta("test", "x.ll", "T", '@"a+b"').returncode == 1


def test_a_real_object(typemeta: Typemeta, objects: Path) -> None:
    """An address point of a derived class is in its base's set, and the base's is not in its own."""
    assert typemeta("test", objects / "shapes.o", "_ZTS5Shape", "@_ZTV6Square+16").returncode == 0
    assert typemeta("test", objects / "shapes.o", "_ZTS6Square", "@_ZTV5Shape+16").returncode == 1


def test_colours(typemeta: Typemeta) -> None:
    """Green for yes, red for no, if asked for."""
    assert typemeta.prints("test", "sets.ll", "typeid1", "@a", "--color", "always").startswith("\x1b[32mtrue")
    done = typemeta("test", "sets.ll", "typeid1", "@c", "--color", "always")
    assert done.stdout.startswith("\x1b[31mfalse\x1b[0m: ")


def test_incomplete_question(typemeta: Typemeta) -> None:
    """Without an address nothing is asked; the message says what is missing."""
    assert "ADDRESS" in typemeta.refuses("test", "sets.ll", "typeid1")
