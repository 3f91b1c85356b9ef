"""`typemeta lower`: what is written, where, and what is refused."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import TARGET, Run, Typemeta, only_line
from typemeta.lower.plan import LowerPlan

DRIVER = """\
#include <stdio.h>
#include <stdlib.h>
int drive(int);
void _ZdlPvm(void *p, unsigned long n) { free(p); }
int main(int argc, char **argv) { printf("%d\\n", drive(atoi(argv[1]))); }
"""
MANY = 100
STEPS = ("parse", "model", "plan", "apply", "verify", "write")


def many_kinds() -> str:
    """A module whose tests resolve to every kind, one of them known to be true."""
    places = {"T.all": range(MANY), "T.large": range(0, MANY, 9), "T.small": (0, 2, 3), "T.one": (5,)}
    nodes = [f', !type !{{i64 {8 * place}, !"{name}"}}' for name in places for place in places[name]]
    lines = [TARGET, f"@table = constant [{MANY} x i64] zeroinitializer{''.join(nodes)}"]
    for name in ("T.all", "T.large", "T.small", "T.one", "T.none"):
        lines += [
            f"define i1 @{name}(ptr %p) {{",
            f'  %x = call i1 @llvm.type.test(ptr %p, metadata !"{name}")',
            "  ret i1 %x",
            "}",
        ]
    lines += [
        "define i1 @known() {",
        '  %x = call i1 @llvm.type.test(ptr getelementptr (i8, ptr @table, i64 40), metadata !"T.one")',
        "  ret i1 %x",
        "}",
        "define void @assumed(ptr %p) {",
        '  %x = call i1 @llvm.type.test(ptr %p, metadata !"T.large")',
        "  call void @llvm.assume(i1 %x)",
        "  ret void",
        "}",
        "declare i1 @llvm.type.test(ptr, metadata)",
        "declare void @llvm.assume(i1)",
    ]
    return "\n".join(lines) + "\n"


def lowers(typemeta: Typemeta, *arguments: str | Path) -> Run:
    """Runs a `lower` that ends well and says nothing."""
    done = typemeta("lower", *arguments)
    assert (done.returncode, done.stderr) == (0, "")
    return done


def contents(typemeta: Typemeta, name: str) -> bytes:
    """What is in a file of the folder."""
    return (typemeta.folder / name).read_bytes()


# What is written


def test_text(typemeta: Typemeta) -> None:
    """`.ll` is IR text in which no type test is left."""
    assert lowers(typemeta, "sets.ll", "-o", "out.ll").stdout == ""
    text = contents(typemeta, "out.ll").decode()
    assert "define i1 @foo(ptr %p)" in text
    assert "llvm.type.test" not in text


@pytest.mark.parametrize(
    ("suffix", "start"),
    [("bc", b"BC\xc0\xde"), ("o", b"\x7fELF"), ("s", b"\t.att_syntax"), ("ll", b"; ModuleID")],
)
def test_kinds(typemeta: Typemeta, suffix: str, start: bytes) -> None:
    """The suffix says what is written; `--emit` says it whatever the suffix."""
    lowers(typemeta, "sets.ll", "-o", f"out.{suffix}")
    assert contents(typemeta, f"out.{suffix}").startswith(start)
    lowers(typemeta, "sets.ll", "-o", "other.txt", "--emit", suffix)
    assert contents(typemeta, "other.txt") == contents(typemeta, f"out.{suffix}")


def test_standard_output(typemeta: Typemeta) -> None:
    """`-o -` writes text to standard output, or what `--emit` says."""
    lowers(typemeta, "sets.ll", "-o", "out.ll")
    lowers(typemeta, "sets.ll", "-o", "out.bc")
    assert lowers(typemeta, "sets.ll", "-o", "-").stdout == contents(typemeta, "out.ll").decode()
    bitcode = lowers(typemeta, "sets.ll", "-o", "-", "--emit", "bc").stdout
    assert bitcode.encode(errors="surrogateescape") == contents(typemeta, "out.bc")


def test_same_input_same_output(typemeta: Typemeta) -> None:
    """Two runs write the same bytes."""
    for suffix in ("ll", "bc", "o"):
        lowers(typemeta, "sets.ll", "-o", f"one.{suffix}")
        lowers(typemeta, "sets.ll", "-o", f"two.{suffix}")
        assert contents(typemeta, f"one.{suffix}") == contents(typemeta, f"two.{suffix}")


def test_lowered_module_has_nothing_to_lower(typemeta: Typemeta) -> None:
    """Lowering what was lowered changes nothing."""
    lowers(typemeta, "sets.ll", "-o", "once.ll")
    lowers(typemeta, "once.ll", "-o", "twice.ll")
    once, twice = (contents(typemeta, name).splitlines() for name in ("once.ll", "twice.ll"))
    assert once[1:] == twice[1:]  # the first line names the input


def test_input_may_be_the_output(typemeta: Typemeta) -> None:
    """The input is read before the output is touched."""
    lowers(typemeta, "sets.ll", "-o", "out.ll")
    lowers(typemeta, "sets.ll", "-o", "sets.ll")
    assert contents(typemeta, "sets.ll") == contents(typemeta, "out.ll")


def test_answers_survive(typemeta: Typemeta) -> None:
    """The lowered module answers as the sets say, through bitcode and through text."""
    for output in ("out.ll", "out.bc"):
        lowers(typemeta, "sets.ll", "-o", output)
        assert typemeta.prints("run", output, "bar", "@d+4") == "1\n"
        assert typemeta.prints("run", output, "bar", "@d") == "0\n"
        assert typemeta.prints("run", output, "baz", "@e") == "1\n"
        assert typemeta.prints("run", output, "no_such_type", "@a") == "0\n"


def test_object_links_and_runs(typemeta: Typemeta, objects: Path, tools: Path) -> None:
    """The object of a C++ program links with another compiler's, works, and stops a forged object."""
    lowers(typemeta, objects / "shapes.o", "-o", "lowered.o")
    typemeta.write("driver.c", DRIVER)
    subprocess.run(
        [tools / "clang", "-fuse-ld=lld", "driver.c", "lowered.o", "-o", "program"],
        cwd=typemeta.folder,
        check=True,
    )
    runs = [
        subprocess.run([typemeta.folder / "program", which], capture_output=True, check=False)
        for which in "0123"
    ]
    assert [(run.returncode, run.stdout) for run in runs[:3]] == [(0, b"11\n"), (0, b"6\n"), (0, b"42\n")]
    assert runs[3].returncode < 0  # a signal: the check's trap


def test_several_inputs(typemeta: Typemeta) -> None:
    """Inputs are linked before they are lowered: a test in one sees members in another."""
    typemeta.write("x.ll", f'{TARGET}@x = global i32 0, !type !0\n!0 = !{{i64 0, !"typeid4"}}\n')
    lowers(typemeta, "sets.ll", "-o", "out.bc", "x.ll")
    assert typemeta.prints("run", "out.bc", "no_such_type", "@x") == "1\n"


def test_standard_input(typemeta: Typemeta) -> None:
    """`-` is an input."""
    text = contents(typemeta, "sets.ll").decode()
    done = typemeta("lower", "-", "-o", "out.bc", stdin=text)
    assert (done.returncode, done.stderr) == (0, "")
    assert typemeta.prints("run", "out.bc", "foo", "@a") == "1\n"


def test_note_on_the_target(typemeta: Typemeta) -> None:
    """A module without a target gets this machine's, and a note says so unless it is not wanted."""
    typemeta.write("x.ll", "define void @f() {\n  ret void\n}\n")
    done = typemeta("lower", "x.ll", "-o", "out.ll")
    assert done.returncode == 0
    assert only_line(done).startswith("typemeta: x.ll names no target; taken for this machine's, ")
    assert b"target triple = " in contents(typemeta, "out.ll")
    lowers(typemeta, "x.ll", "-o", "out.ll", "--quiet")


# The plan and the report


def test_plan(typemeta: Typemeta) -> None:
    """`--plan` prints what would be done and writes nothing, with or without an output named."""
    before = typemeta.files()
    text = typemeta.prints("lower", "sets.ll", "--plan")
    assert text.splitlines() == [
        "kind     call sites  members  places       type identifier",
        "unsat    1           0        -            typeid4",
        "single   1           1        1 x 1 bytes  typeid3",
        "allOnes  1           2        2 x 4 bytes  typeid1",
        "inline   1           3        4 x 4 bytes  typeid2",
        "",
        "4 call sites: 1 unsat, 1 single, 1 allOnes, 1 inline, 0 byteArray",
        "4 without a load from memory, 1 folded",
        "20 bytes of variables in 20 bytes, 0 bytes of byte arrays",
        "1 entries in 1 jump tables",
    ]
    assert typemeta.prints("lower", "sets.ll", "--plan", "-o", "out.bc") == text
    assert typemeta.files() == before


def test_plan_as_json(typemeta: Typemeta) -> None:
    """`--plan --json` prints one document, which reads back as the plan."""
    before = typemeta.files()
    text = typemeta.prints("lower", "sets.ll", "--plan", "--json")
    plan = LowerPlan.from_json(text)
    assert [resolution.call_sites for resolution in plan.resolutions] == [1, 1, 1, 1]
    assert json.loads(plan.to_json()) == json.loads(text)
    assert typemeta.files() == before


@pytest.fixture
def report(typemeta: Typemeta) -> dict[str, Any]:
    """The report of a module with tests of every kind."""
    typemeta.write("kinds.ll", many_kinds())
    assert lowers(typemeta, "kinds.ll", "-o", "out.bc", "--report", "report.json").stdout == ""
    document = json.loads(contents(typemeta, "report.json"))
    assert isinstance(document, dict)
    return document


def test_report_is_the_documented_document(report: dict[str, Any]) -> None:
    """`--report` writes one document of the contract's shape."""
    assert list(report) == ["schema", "layout", "types", "totals", "seconds"]
    assert (report["schema"], report["layout"]) == ("typemeta.lower/1", "llvm")
    assert list(report["seconds"]) == list(STEPS)
    assert all(seconds >= 0 for seconds in report["seconds"].values())
    types = {entry.pop("id"): entry for entry in report["types"]}
    bits = types["T.large"].pop("bits")
    assert bits.startswith("0b1")
    assert bits.count("1") == types["T.large"]["members"] == 12
    assert len(bits) - 2 == types["T.large"]["size_m1"] + 1
    assert {key: (entry["kind"], entry["members"], entry["call_sites"]) for key, entry in types.items()} == {
        "T.all": ("allOnes", MANY, 1),
        "T.large": ("byteArray", 12, 1),
        "T.small": ("inline", 3, 1),
        "T.one": ("single", 1, 2),
        "T.none": ("unsat", 0, 1),
    }
    assert types["T.all"] == {
        "kind": "allOnes",
        "members": MANY,
        "call_sites": 1,
        "stride": 8,
        "size_m1": MANY - 1,
        "bits": None,
    }
    assert (types["T.none"]["stride"], types["T.none"]["size_m1"], types["T.none"]["bits"]) == (None,) * 3


def test_totals_add_up(report: dict[str, Any]) -> None:
    """The totals are the sums of what the types say, and of the module's tests."""
    totals = report["totals"]
    assert totals == {
        "call_sites": 6,
        "load_free_call_sites": 5,
        "folded_call_sites": 2,
        "dropped_call_sites": 1,
        "kinds": {"unsat": 1, "single": 2, "allOnes": 1, "inline": 1, "byteArray": 1},
        "variable_bytes": 8 * MANY,
        "laid_out_bytes": 8 * MANY,
        "byte_array_bytes": totals["byte_array_bytes"],
        "jump_tables": 0,
        "jump_table_entries": 0,
    }
    [large] = [entry for entry in report["types"] if entry["kind"] == "byteArray"]
    assert totals["byte_array_bytes"] >= large["size_m1"] + 1
    assert totals["call_sites"] == sum(entry["call_sites"] for entry in report["types"])
    assert totals["call_sites"] == sum(totals["kinds"].values())


def test_report_counts_jump_tables(typemeta: Typemeta) -> None:
    """Functions that are called through a table are counted."""
    lowers(typemeta, "sets.ll", "-o", "out.bc", "--report", "report.json")
    totals = json.loads(contents(typemeta, "report.json"))["totals"]
    assert (totals["jump_tables"], totals["jump_table_entries"]) == (1, 1)


def test_json_is_the_report(typemeta: Typemeta) -> None:
    """`--json` prints the report; the file gets the same facts."""
    done = lowers(typemeta, "sets.ll", "-o", "out.bc", "--json", "--report", "report.json")
    printed, written = json.loads(done.stdout), json.loads(contents(typemeta, "report.json"))
    assert printed == written
    assert "typeid1" in [entry["id"] for entry in printed["types"]]


def test_report_to_standard_output(typemeta: Typemeta) -> None:
    """`--report -` prints it."""
    done = lowers(typemeta, "sets.ll", "-o", "out.bc", "--report", "-")
    assert json.loads(done.stdout)["schema"] == "typemeta.lower/1"


def test_report_of_a_plan(typemeta: Typemeta) -> None:
    """`--plan --report` writes the report, of what would be done."""
    lowers(typemeta, "sets.ll", "--plan", "--report", "report.json")
    report = json.loads(contents(typemeta, "report.json"))
    assert (report["totals"]["call_sites"], list(report["seconds"])) == (4, ["parse", "model", "plan"])


# Type intrinsics that are not lowered


def test_checked_load_is_no_machine_code(typemeta: Typemeta) -> None:
    """A live `llvm.type.checked.load` would be true in machine code: refused, old output untouched."""
    for name in ("out.o", "out.s"):
        typemeta.write(name, "old")
        assert typemeta.refuses("lower", "load.ll", "-o", name) == (
            "load.ll: 1 x llvm.type.checked.load would silently become true in machine code; "
            "lower them first, or write .ll or .bc"
        )


@pytest.mark.parametrize("name", ["out.ll", "out.bc"])
def test_checked_load_stays_with_a_note(typemeta: Typemeta, name: str) -> None:
    """In IR it stays as it is, and a note says so."""
    done = typemeta("lower", "load.ll", "-o", name)
    assert done.returncode == 0
    assert only_line(done) == (
        "typemeta: left as they are, since they are not type tests: 1 x llvm.type.checked.load"
    )
    facts = json.loads(typemeta.prints("show", name, "--json"))
    assert [(entry["type_tests"], entry["checked_loads"]) for entry in facts["types"]] == [(0, 1)]


# Wrong usage


def test_output_must_be_named(typemeta: Typemeta) -> None:
    """Without `-o` there is nothing to do; the message names both ways out."""
    assert typemeta.refuses("lower", "sets.ll") == (
        "lower writes a file: name it with -o OUTPUT, or use --plan"
    )


def test_empty_names(typemeta: Typemeta) -> None:
    """What a script's unset variable leaves is no name."""
    assert "name it with -o OUTPUT" in typemeta.refuses("lower", "sets.ll", "-o", "")
    message = typemeta.refuses("lower", "sets.ll", "-o", "out.bc", "--report", "")
    assert message.startswith("the name of the report is empty")


@pytest.mark.parametrize("name", ["out", "out.txt", "out.O", ".o", "bc"])
def test_unknown_suffix(typemeta: Typemeta, name: str) -> None:
    """A suffix that says nothing is refused before any input is read."""
    assert typemeta.refuses("lower", "no-such-file.ll", "-o", name) == (
        f"{name}: the suffix does not tell what to write; use .ll, .bc, .s or .o, or --emit"
    )


def test_layout(typemeta: Typemeta) -> None:
    """LLVM's layout is there; another one is refused."""
    lowers(typemeta, "sets.ll", "-o", "out.ll", "--layout", "llvm")
    assert "--layout: invalid choice: 'other'" in typemeta.refuses(
        "lower", "sets.ll", "-o", "out.ll", "--layout", "other"
    )


def test_unknown_kind(typemeta: Typemeta) -> None:
    """`--emit` takes what is documented."""
    assert "--emit: invalid choice: 'exe'" in typemeta.refuses("lower", "sets.ll", "-o", "x", "--emit", "exe")


@pytest.mark.parametrize(
    "options",
    [("-o", "-", "--json"), ("-o", "-", "--report", "-"), ("-o", "x.bc", "--json", "--report", "-")],
)
def test_one_document_on_standard_output(typemeta: Typemeta, options: tuple[str, ...]) -> None:
    """Two things on standard output would be neither."""
    message = typemeta.refuses("lower", "sets.ll", *options)
    assert message == "only one of -o -, --report -, --json and --plan can have standard output; name a file"


# Outputs that cannot be written


def test_missing_folder(typemeta: Typemeta) -> None:
    """A folder that is not there is said to be, before any input is read."""
    assert typemeta.refuses("lower", "no-such-file.ll", "-o", "no/where/x.bc") == (
        "no/where/x.bc: cannot write: the folder no/where does not exist"
    )
    assert typemeta.refuses("lower", "sets.ll", "-o", "sets.ll/x.bc") == (
        "sets.ll/x.bc: cannot write: sets.ll is no folder"
    )


def test_folder_as_output(typemeta: Typemeta) -> None:
    """A folder is no output."""
    (typemeta.folder / "out.bc").mkdir()
    assert typemeta.refuses("lower", "sets.ll", "-o", "out.bc") == (
        "out.bc: cannot write: is a directory; name a file in it"
    )


def test_report_that_cannot_be_written(typemeta: Typemeta) -> None:
    """Then the old output stays as well, whenever it is found out."""
    typemeta.write("out.bc", "old")
    assert typemeta.refuses("lower", "sets.ll", "-o", "out.bc", "--report", "no/report.json") == (
        "no/report.json: cannot write: the folder no does not exist"
    )
    assert typemeta.refuses("lower", "sets.ll", "-o", "out.bc", "--report", "/dev/full") == (
        "/dev/full: cannot write: no space left on device"
    )


def test_full_disk(typemeta: Typemeta) -> None:
    """A limit on the size of files: the old output stays, and nothing half-written."""
    typemeta.write("out.bc", "old")
    limit = "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))"
    message = typemeta.refuses("lower", "sets.ll", "-o", "out.bc", before=limit)
    assert message == "out.bc: cannot write: file too large"


def test_device(typemeta: Typemeta) -> None:
    """A device is written as it is; its name says nothing about the kind."""
    assert typemeta.refuses("lower", "sets.ll", "-o", "/dev/null").endswith("or --emit")
    lowers(typemeta, "sets.ll", "-o", "/dev/null", "--emit", "o")
    assert Path("/dev/null").is_char_device()
    assert typemeta.refuses("lower", "sets.ll", "-o", "/dev/full", "--emit", "bc") == (
        "/dev/full: cannot write: no space left on device"
    )


def test_permissions_stay(typemeta: Typemeta) -> None:
    """An output that is there keeps its permissions; a new one gets the usual ones."""
    typemeta.write("out.o", "old").chmod(0o751)
    lowers(typemeta, "sets.ll", "-o", "out.o")
    lowers(typemeta, "sets.ll", "-o", "new.o")
    mask = os.umask(0)
    os.umask(mask)
    assert (typemeta.folder / "out.o").stat().st_mode & 0o7777 == 0o751
    assert (typemeta.folder / "new.o").stat().st_mode & 0o7777 == 0o666 & ~mask


def test_link_as_output(typemeta: Typemeta) -> None:
    """A symbolic link stays one; what it points to is written."""
    (typemeta.folder / "there").mkdir()
    (typemeta.folder / "out.ll").symlink_to("there/real.ll")
    lowers(typemeta, "sets.ll", "-o", "out.ll")
    assert (typemeta.folder / "out.ll").is_symlink()
    assert (typemeta.folder / "there" / "real.ll").read_bytes().startswith(b"; ModuleID")


# Code that cannot be generated


def test_bad_inline_assembly(typemeta: Typemeta) -> None:
    """LLVM leaves such an instruction out and goes on; that is no object anybody wants."""
    typemeta.write("x.ll", f'{TARGET}define void @f() {{\n  call void asm "bogus", ""()\n  ret void\n}}\n')
    typemeta.write("out.o", "old")
    message = typemeta.refuses("lower", "x.ll", "-o", "out.o")
    assert message.startswith("x.ll: cannot generate code: <inline asm>:1:")
    assert "invalid instruction mnemonic 'bogus'" in message
    typemeta.write("x.ll", f'{TARGET}module asm "bogus"\n')
    assert "invalid instruction mnemonic 'bogus'" in typemeta.refuses("lower", "x.ll", "-o", "out.o")


def test_unknown_target(typemeta: Typemeta) -> None:
    """A target that this LLVM has not is refused for machine code only; the message says what helps."""
    typemeta.write("x.ll", 'target triple = "bogus-unknown-linux"\ndefine void @f() {\n  ret void\n}\n')
    message = typemeta.refuses("lower", "x.ll", "-o", "out.o")
    assert message.startswith("x.ll: LLVM ")
    assert "cannot target 'bogus-unknown-linux'" in message
    assert message.endswith("name an LLVM that can with --llvm or TYPEMETA_LIBLLVM")
    lowers(typemeta, "x.ll", "-o", "out.bc")
