"""The main job in one run: a real C++ library, protected, looked at, lowered, linked and run.

Compiles libsass under clang's control-flow integrity, lets `typemeta` read its type metadata, answer
questions and lower every `llvm.type.test`, links the result with a small driver and compares what it
prints with an unprotected build. Then a program whose object's vtable pointer is forged has to be
stopped. Ends with exit code 1 when anything is not as it should be. `make demo` runs it.
"""

import argparse
import json
import shutil
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import libsass
from toolchain import Finished, StepError, run_any, run_tool, timed

HERE = Path(__file__).resolve().parent
WORK = libsass.ROOT / ".cache" / "demo"

KINDS = ("unsat", "single", "allOnes", "inline", "byteArray")
MEANING = {
    "unsat": "never true",
    "single": "one compare",
    "allOnes": "subtract, rotate, compare",
    "inline": "a bit set in a register",
    "byteArray": "a bit set in memory",
}

# Asked of the real vtables: may a call through this class meet that vtable?
QUESTIONS = (
    ("_ZTSN4Sass5ValueE", "@_ZTVN4Sass10Color_RGBAE+16"),
    ("_ZTSN4Sass8SelectorE", "@_ZTVN4Sass10Color_RGBAE+16"),
)

NAME_WIDTH = 70
STRING = "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char>>"

FORGED_FLAGS = ("-std=c++17", "-stdlib=libstdc++", "-O1", "-fvisibility=hidden")


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What the demo found out, for its last screen."""

    types: int
    members: int
    tests: int
    inputs: int
    signal: str


def show_metadata(archive: Path) -> tuple[int, int, int]:
    """Prints how much type metadata there is and the five largest sets; returns the three numbers."""
    with timed("typemeta show libsass.a --json") as step:
        shown: dict[str, Any] = json.loads(run_tool(["typemeta", "show", archive, "--json"]).output)
        types: list[dict[str, Any]] = shown["types"]
        members = sum(len(each["members"]) for each in types)
        tests = sum(each["type_tests"] for each in types)
        step.note(f"{len(types):,} type identifiers, {members:,} members, {tests:,} tests")

    largest = sorted(types, key=lambda each: (-len(each["members"]), each["id"]))[:5]
    names = demangle([each["id"] for each in largest])
    rows = [
        (name, f"{len(each['members']):,}", f"{each['type_tests']:,}")
        for name, each in zip(names, largest, strict=True)
    ]
    print_table(("the five largest sets", "members", "tests"), rows)
    return len(types), members, tests


def ask_questions(archive: Path) -> None:
    """Asks whether a real vtable belongs to one type and to another: once yes, once no."""
    for (identifier, address), expected in zip(QUESTIONS, (0, 1), strict=True):
        answer = run_any(["typemeta", "test", archive, identifier, address])
        if answer.code != expected:
            question = f"typemeta test {identifier} {address}"
            raise StepError(f"{question}: exit code {answer.code}, not {expected}\n{told(answer)}")
        print(f"   $ typemeta test libsass.a {identifier} {address}")
        print(f"      {told(answer) or ('yes' if expected == 0 else 'no')}")


def lower_library(archive: Path, output: Path, report_file: Path, *, tests: int) -> None:
    """Lowers the archive into one object and prints the report's table by kind.

    Raises:
        StepError: the report does not account for each of the tests that the metadata told of.
    """
    with timed("typemeta lower libsass.a -o libsass.o --report report.json") as step:
        run_tool(["typemeta", "lower", archive, "-o", output, "--report", report_file])
        report: dict[str, Any] = json.loads(report_file.read_text())
        totals: dict[str, Any] = report["totals"]
        step.note(f"{totals['call_sites']:,} tests lowered")

    if totals["call_sites"] != tests:
        raise StepError(f"{tests:,} tests were shown, but {totals['call_sites']:,} lowered")

    rows = []
    for kind in KINDS:
        types = sum(each["kind"] == kind for each in report["types"])
        rows.append((f"{kind}: {MEANING[kind]}", f"{types:,}", f"{totals['kinds'][kind]:,}"))
    rows.append(("all", f"{len(report['types']):,}", f"{totals['call_sites']:,}"))
    print_table(("how they were lowered", "tested types", "tests"), rows)
    print(f"      {totals['load_free_call_sites']:,} of the tests read no memory.")
    print(
        f"      {totals['variable_bytes']:,} bytes of variables laid out in {totals['laid_out_bytes']:,}; "
        f"{totals['jump_tables']:,} jump tables with {totals['jump_table_entries']:,} entries."
    )


def link_driver(tree: Path, parts: Sequence[Path], output: Path) -> None:
    """Links the driver, which is never protected, with a build of libsass."""
    driver = WORK / "driver.o"
    run_tool(["clang", "-O1", "-I", tree / "libsass" / "include", "-c", HERE / "driver.c", "-o", driver])
    run_tool(["clang++", *libsass.LINK_FLAGS, driver, *parts, "-o", output])


def compare_runs(tree: Path, protected: Path, unprotected: Path) -> int:
    """Runs both programs on every input that there is; their output must be the same, byte for byte.

    Returns:
        The number of inputs.
    """
    own = HERE / "input.scss"
    inputs = [own, *sorted((tree / "test").glob("*.scss"))]
    for source in inputs:
        here, there = (run_any([program, source], folder=WORK) for program in (protected, unprotected))
        if (here.code, here.output, here.errors) != (there.code, there.output, there.errors):
            raise StepError(
                f"{source.name}: the protected program differs from the unprotected one\n"
                f"    protected:   {ending(here)}\n    unprotected: {ending(there)}"
            )
        if source == own:
            if here.code != 0 or not here.output:
                raise StepError(f"{source.name} did not compile: {ending(here)}\n{told(here)}")
            lines = len(here.output.splitlines())
            print(f"      {source.name}: {lines} lines of CSS, byte for byte those of the unprotected build")
            (WORK / "output.css").write_bytes(here.output)
    print(f"      {len(inputs) - 1} inputs of libsass' own: the same output, errors and exit codes")
    return len(inputs)


def stop_forgery() -> str:
    """Builds the forged program with and without protection and runs both.

    Returns:
        The name of the signal that stopped the protected one.
    """
    source = HERE / "forged.cpp"
    plain, protected = WORK / "forged-plain", WORK / "forged-protected"
    bitcode, lowered = WORK / "forged.lto.o", WORK / "forged.o"
    with timed("build forged.cpp twice; typemeta lower forged.lto.o -o forged.o"):
        run_tool(["clang++", *FORGED_FLAGS, *libsass.LINK_FLAGS, source, "-o", plain])
        run_tool(["clang++", *FORGED_FLAGS, "-flto", "-fsanitize=cfi-vcall", "-c", source, "-o", bitcode])
        run_tool(["typemeta", "lower", bitcode, "-o", lowered])
        run_tool(["clang++", *libsass.LINK_FLAGS, lowered, "-o", protected])

    without = run_any([plain], folder=WORK)
    within = run_any([protected], folder=WORK)
    for title, run in (("unprotected", without), ("protected", within)):
        print(f"   $ ./forged   ({title})")
        for line in told(run).splitlines():
            print(f"      {line}")
        print(f"      -> {ending(run)}")
    if without.code != 0 or b"the vault says" not in without.output:
        raise StepError("the unprotected program did not fall for the forged pointer")
    if within.code not in {-signal.SIGILL, -signal.SIGTRAP} or b"the vault says" in within.output:
        raise StepError("the protected program was not stopped by the check's trap")
    return signal.Signals(-within.code).name


def demangle(identifiers: Sequence[str]) -> list[str]:
    """Turns type identifiers into C++ names where LLVM's demangler knows them, at most `NAME_WIDTH` long."""
    printed = run_tool(["llvm-cxxfilt", *identifiers]).output.decode().splitlines()
    names = [line.removeprefix("typeinfo name for ").replace(STRING, "std::string") for line in printed]
    return [name if len(name) <= NAME_WIDTH else name[: NAME_WIDTH - 3] + "..." for name in names]


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Prints rows of a text column followed by columns of numbers."""
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]
    for number, row in enumerate((head, *rows)):
        numbers = "".join(f"  {cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True))
        print(f"      {row[0]:<{widths[0]}}{numbers}")
        if number == 0:
            print(f"      {'-' * (sum(widths) + 2 * (len(widths) - 1))}")


def told(run: Finished) -> str:
    """All that a program printed, as text."""
    return (run.output + run.errors).decode(errors="replace").strip()


def ending(run: Finished) -> str:
    """How a program ended, in words."""
    if run.code < 0:
        return f"killed by signal {-run.code} ({signal.Signals(-run.code).name})"
    return f"exit code {run.code}"


def run_demo() -> Facts:
    """Runs all steps in order.

    Raises:
        StepError: a step failed, or found what it must not find.
    """
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    archive = WORK / "libsass.a"

    print(f"1. libsass {libsass.VERSION}, a compiler of style sheets written in C++")
    with timed("download and unpack"):
        tree = libsass.fetch_libsass()
    builds = {}
    for protected, title in ((True, "compile it with control-flow integrity"), (False, "compile it without")):
        with timed(title) as step:
            builds[protected] = libsass.compile_libsass(tree, protected=protected, show=step.show)
            compiled, files = builds[protected].compiled, len(builds[protected].paths)
            step.note(f"{files} files, {files - compiled} from the cache")
    libsass.write_archive(builds[True], archive)

    print("\n2. What its type metadata says")
    types, members, tests = show_metadata(archive)
    ask_questions(archive)

    print("\n3. Lower every llvm.type.test")
    lower_library(archive, WORK / "libsass.o", WORK / "report.json", tests=tests)

    print("\n4. Link it and run it")
    protected_program, unprotected_program = WORK / "sassc-protected", WORK / "sassc-unprotected"
    with timed("link both builds with driver.c"):
        link_driver(tree, [WORK / "libsass.o"], protected_program)
        link_driver(tree, builds[False].paths, unprotected_program)
    inputs = compare_runs(tree, protected_program, unprotected_program)

    print("\n5. Forge a vtable pointer")
    name = stop_forgery()
    return Facts(types=types, members=members, tests=tests, inputs=inputs, signal=name)


def main() -> int:
    """Runs the demo, prints its summary and returns the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n\n")[0])
    parser.parse_args()
    start = time.perf_counter()
    try:
        version = run_tool(["typemeta", "--version"]).output.decode().strip()
        print(f"{version}\n")
        facts = run_demo()
    except StepError as error:
        print(f"\ndemo failed: {error}", file=sys.stderr)
        return 1

    print(f"""
All well, in {time.perf_counter() - start:.0f} s.
   read      {facts.types:,} type identifiers, {facts.members:,} members and {facts.tests:,} tests in libsass
   lowered   every test, by typemeta
   ran       the protected libsass on {facts.inputs} inputs: the same bytes as the unprotected one
   stopped   the forged vtable pointer ({facts.signal}); without protection it went through
Look further: typemeta show {(WORK / "libsass.a").relative_to(libsass.ROOT)}""")
    return 0


if __name__ == "__main__":
    sys.exit(main())
