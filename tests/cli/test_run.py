"""`typemeta run`: lowers, compiles, calls, prints the result and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.command import TARGET, Typemeta, only_line

SEED = Path(__file__).parents[2] / "examples" / "seed.ll"
ANSWERS = [
    ("foo", "@a", 1),
    ("foo", "@b", 1),
    ("foo", "@c", 0),
    ("bar", "@a", 0),
    ("bar", "@b", 1),
    ("bar", "@c", 1),
    ("bar", "@d", 0),
    ("bar", "@d+4", 1),
    ("baz", "@e", 1),
    ("baz", "@f", 0),
    ("baz", "@g", 1),
]
PROGRAM = f"""{TARGET}
@hello = private constant [6 x i8] c"hello\\00"
@number = global i32 0
@unknown = external global i32
@llvm.global_ctors = appending global [3 x {{ i32, ptr, ptr }}] [
  {{ i32, ptr, ptr }} {{ i32 200, ptr @second, ptr null }},
  {{ i32, ptr, ptr }} {{ i32 65535, ptr null, ptr null }},
  {{ i32, ptr, ptr }} {{ i32 100, ptr @first, ptr null }}]

declare i32 @puts(ptr)
declare void @missing()
declare void @exit(i32)
declare void @llvm.trap()

define internal void @first() {{
  store i32 7, ptr @number
  ret void
}}
define internal void @second() {{
  %x = load i32, ptr @number
  %y = mul i32 %x, 6
  store i32 %y, ptr @number
  ret void
}}
define i32 @constructed() {{
  %x = load i32, ptr @number
  ret i32 %x
}}
define i32 @add(i32 %a, i32 %b) {{
  %c = add i32 %a, %b
  ret i32 %c
}}
define i32 @negate(i8 zeroext %a) {{
  %b = zext i8 %a to i32
  %c = sub i32 0, %b
  ret i32 %c
}}
define x86_regcallcc i32 @subtract(i32 %a, i32 %b) {{
  %c = sub i32 %a, %b
  ret i32 %c
}}
define i1 @truth(i1 %x) {{
  ret i1 %x
}}
define i64 @wide(i64 %x) {{
  ret i64 %x
}}
define i128 @too_wide(i128 %x) {{
  ret i128 %x
}}
define double @real(double %x) {{
  ret double %x
}}
define i32 @takes_real(double %x) {{
  ret i32 0
}}
define ptr @address(ptr %p) {{
  ret ptr %p
}}
define i32 @read(ptr %p) {{
  %x = load i32, ptr %p
  ret i32 %x
}}
define i32 @read_unknown() {{
  %x = load i32, ptr @unknown
  ret i32 %x
}}
define i32 @count(i32 %n, ...) {{
  ret i32 %n
}}
define void @nothing() {{
  ret void
}}
define void @call_missing() {{
  %1 = call i32 @puts(ptr @hello)
  call void @missing()
  ret void
}}
define i32 @greet() {{
  %1 = call i32 @puts(ptr @hello)
  ret i32 5
}}
define void @trap() {{
  call void @llvm.trap()
  unreachable
}}
define void @crash() {{
  store volatile i32 0, ptr null
  ret void
}}
define void @leave() {{
  call void @exit(i32 3)
  unreachable
}}
define i32 @"two words"(i32 %x) {{
  ret i32 %x
}}
"""


@pytest.fixture
def program(typemeta: Typemeta) -> Typemeta:
    """The command, in a folder with `program.ll`."""
    typemeta.write("program.ll", PROGRAM)
    return typemeta


@pytest.mark.parametrize(("function", "argument", "answer"), ANSWERS)
def test_seed(typemeta: Typemeta, function: str, argument: str, answer: int) -> None:
    """The seed document's example, typed pointers and all, gives its documented answers."""
    done = typemeta("run", SEED, function, argument)
    assert (done.returncode, done.stdout) == (0, f"{answer}\n")
    assert f"typemeta: {SEED}: has typed pointers" in done.stderr
    assert all(line.startswith("typemeta: ") for line in done.stderr.splitlines())


def test_quiet(typemeta: Typemeta) -> None:
    """`-q` leaves the number alone."""
    assert typemeta.prints("run", "-q", SEED, "foo", "@a") == "1\n"


def test_note_on_the_target(typemeta: Typemeta) -> None:
    """A module without a target is taken for this machine's, and a note says so."""
    typemeta.write("x.ll", "define i32 @f() {\n  ret i32 4\n}\n")
    done = typemeta("run", "x.ll", "f")
    assert (done.returncode, done.stdout) == (0, "4\n")
    assert only_line(done).startswith("typemeta: x.ll names no target; taken for this machine's, ")


@pytest.mark.parametrize(
    ("call", "result"),
    [
        (("add", "2", "40"), "42"),
        (("add", "-2", "-40"), "-42"),
        (("--", "add", "-2", "-40"), "-42"),
        (("add", "0x10", "1"), "17"),
        (("add", "4294967295", "1"), "0"),
        (("negate", "255"), "-255"),
        (("negate", "-1"), "-255"),
        (("subtract", "10", "3"), "7"),
        (("truth", "1"), "1"),
        (("truth", "-1"), "1"),
        (("truth", "0"), "0"),
        (("wide", "-9223372036854775808"), "-9223372036854775808"),
        (("wide", "18446744073709551615"), "-1"),
        (("address", "0x1234"), "4660"),
        (("address", "-1"), "18446744073709551615"),
        (("constructed",), "42"),
        (("read", "@number"), "42"),
        (("read_unknown",), "0"),
        (("count", "1"), "1"),
        (("count", "2", "7", "@number"), "2"),
        (("two words", "3"), "3"),
        (("@add", "1", "2"), "3"),
    ],
)
def test_arguments_and_results(program: Typemeta, call: tuple[str, ...], result: str) -> None:
    """Integers and addresses go in; integers and addresses come out, constructors have run."""
    assert program.prints("run", "program.ll", *call) == f"{result}\n"


def test_void(program: Typemeta) -> None:
    """A function without a result prints nothing; in JSON the result is null."""
    assert program.prints("run", "program.ll", "nothing") == ""
    assert json.loads(program.prints("run", "program.ll", "nothing", "--json")) == {
        "schema": "typemeta.run/1",
        "function": "nothing",
        "result": None,
    }


def test_json(program: Typemeta) -> None:
    """`--json` prints one document."""
    assert json.loads(program.prints("run", "program.ll", "--json", "@add", "2", "-40")) == {
        "schema": "typemeta.run/1",
        "function": "add",
        "result": -38,
    }


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (("add", "1"), "@add takes 2 arguments, 1 given"),
        (("add", "1", "2", "3"), "@add takes 2 arguments, 3 given"),
        (("truth",), "@truth takes 1 argument, 0 given"),
        (("count",), "@count takes 1 argument or more, 0 given"),
        (("add", "4294967296", "1"), "4294967296 does not fit the i32 that @add takes"),
        (("add", "-2147483649", "1"), "-2147483649 does not fit the i32 that @add takes"),
        (("read", "18446744073709551616"), "18446744073709551616 does not fit the ptr that @read takes"),
        (("real", "1"), "@real returns double; "),
        (("too_wide", "1"), "@too_wide returns i128; "),
        (("takes_real", "1"), "@takes_real takes double; "),
        (("mul", "1", "2"), "program.ll has no function @mul"),
        (("number",), "program.ll has no function @number"),
        (("missing",), "program.ll only declares @missing; it cannot be run"),
        (("read", "@numbers"), "program.ll has no @numbers"),
        (("add", "1.5", "2"), "'1.5' is neither an integer nor an address such as @a+8"),
        (("@add", "x", "2"), "'x' is neither an integer nor an address such as @a+8"),
        ((), "name the function to call behind the inputs: typemeta run INPUT... FUNCTION [ARG...]"),
    ],
)
def test_wrong_call(program: Typemeta, call: tuple[str, ...], message: str) -> None:
    """What cannot be called as asked is refused, and the message says why."""
    assert program.refuses("run", "program.ll", *call).startswith(message)


def test_misspelled_input(program: Typemeta) -> None:
    """A file that is not there is taken for the function; the message says that it was."""
    message = program.refuses("run", "program.ll", "sests.ll", "add", "1", "2")
    assert message == (
        "'add' is neither an integer nor an address such as @a+8; "
        "FUNCTION is 'sests.ll', since no file is called so"
    )
    assert program.refuses("run", "none.ll", "add", "1", "2") == "none.ll: no such file or directory"


def test_file_named_like_the_function(program: Typemeta) -> None:
    """An existing file is an input; with `@` a word is never one."""
    program.write("add", f"{TARGET}define i32 @sub(i32 %x) {{\n  ret i32 %x\n}}\n")
    assert program.prints("run", "program.ll", "add", "sub", "4") == "4\n"
    assert program.prints("run", "program.ll", "@add", "4", "5") == "9\n"


def test_long_and_odd_names_of_functions(program: Typemeta) -> None:
    """Mangled names are longer than those of files may be, and a folder is no input."""
    name = "_Z" + "x" * 400
    program.write("long.ll", f"{TARGET}define i32 @{name}() {{\n  ret i32 6\n}}\n")
    assert program.prints("run", "long.ll", name) == "6\n"
    (program.folder / "add").mkdir()
    assert program.prints("run", "program.ll", "add", "4", "5") == "9\n"


def test_several_inputs(program: Typemeta) -> None:
    """Inputs are linked: what one declares another may define."""
    program.write("more.ll", f"{TARGET}define void @missing() {{\n  ret void\n}}\n")
    assert program.prints("run", "program.ll", "more.ll", "call_missing") == "hello\n"


def test_standard_input(program: Typemeta) -> None:
    """`-` is an input like any other."""
    assert program.prints("run", "-", "add", "4", "5", stdin=PROGRAM) == "9\n"


def test_undefined_callee(program: Typemeta) -> None:
    """What nothing defines can be declared, but calling it stops the program with its name."""
    done = program("run", "program.ll", "call_missing")
    assert done.returncode == 2
    assert only_line(done) == "typemeta: called @missing, which nothing defines"


def test_output_of_the_program(program: Typemeta) -> None:
    """What the program prints comes out, before the result, through a pipe too."""
    buffered = {"PYTHONUNBUFFERED": ""}  # it unbuffers C's output too
    assert program("run", "program.ll", "greet", env=buffered).stdout == "hello\n5\n"
    assert program("run", "program.ll", "call_missing", env=buffered).stdout == "hello\n"


def test_exit(program: Typemeta) -> None:
    """A program that ends itself gives its own exit code."""
    done = program("run", "program.ll", "leave")
    assert (done.returncode, done.stdout, done.stderr) == (3, "", "")


def test_trap(program: Typemeta) -> None:
    """A trap is the program's answer, no crash of LLVM: exit code 1, and the signal's name."""
    done = program("run", "program.ll", "trap")
    assert (done.returncode, done.stdout) == (1, "")
    assert only_line(done) == ("typemeta: @trap of program.ll was stopped by SIGILL (a trap: a check failed)")


def test_crash_of_the_program(program: Typemeta) -> None:
    """So is any other signal."""
    done = program("run", "program.ll", "crash")
    assert (done.returncode, done.stdout) == (1, "")
    assert only_line(done) == "typemeta: @crash of program.ll was stopped by SIGSEGV"


@pytest.mark.parametrize(("which", "result"), [("0", "11\n"), ("1", "6\n"), ("2", "42\n")])
def test_a_real_object(typemeta: Typemeta, objects: Path, which: str, result: str) -> None:
    """C++ under control-flow integrity works when its calls are right ..."""
    assert typemeta.prints("run", objects / "shapes.o", "drive", which) == result


def test_forged_object(typemeta: Typemeta, objects: Path) -> None:
    """... and is stopped when an object is of an unrelated class."""
    done = typemeta("run", objects / "shapes.o", "drive", "3")
    assert (done.returncode, done.stdout) == (1, "")
    assert "@drive of " in only_line(done)
    assert "was stopped by SIGILL" in only_line(done)
