"""Times `typemeta lower` beside `opt -passes=lowertypetests` of the same LLVM, whole processes.

Inputs are libsass, compiled with control-flow integrity and merged into one module (the objects are the
demo's and come from its cache), and generated class hierarchies at three sizes. Both tools read the same
bitcode and write bitcode. Rounds are interleaved; the first run of each is not counted.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from hierarchy import write_hierarchy
from measure import MeasureError, Spread, measure_interleaved

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "examples" / "demo"))

import libsass  # noqa: E402  the demo's folder is on the path only now
from toolchain import StepError, find_tool, run_tool, timed  # noqa: E402  as above

WORK = ROOT / ".cache" / "bench"
BASE_CLASSES = 1000
SIZES = (1, 4, 16)

HEAD = ("input", "tool", "median s", "min s", "max s", "peak MiB", "typemeta/opt")


def make_libsass(folder: Path) -> Path:
    """Compiles libsass with the demo's steps, unless the cache has it, and merges it into one module."""
    with timed("libsass: fetch, compile, merge") as step:
        objects = libsass.compile_libsass(libsass.fetch_libsass(), protected=True, show=step.show)
        merged = folder / "libsass.bc"
        libsass.write_merged(objects, merged)
        step.note(f"{merged.stat().st_size / 1e6:.1f} MB of bitcode")
    return merged


def make_hierarchy(folder: Path, size: int, *, tests_per_class: int) -> Path:
    """Generates a hierarchy of `size` times `BASE_CLASSES` classes, as bitcode."""
    name = f"hierarchy-{size}x"
    text, bitcode = folder / f"{name}.ll", folder / f"{name}.bc"
    classes = size * BASE_CLASSES
    with timed(f"{name}: generate") as step:
        memberships = write_hierarchy(text, classes=classes, tests_per_class=tests_per_class)
        run_tool(["llvm-as", text, "-o", bitcode])
        step.note(f"{classes:,} classes, {memberships:,} memberships, {classes * tests_per_class:,} tests")
    return bitcode


def compare_tools(source: Path, *, rounds: int, layout: str | None) -> dict[str, Spread]:
    """Measures both tools on one module."""
    chosen = [] if layout is None else ["--layout", layout]
    output = WORK / source.stem
    commands = {
        "typemeta": [
            find_tool("typemeta"),
            "lower",
            str(source),
            *chosen,
            "-q",
            "-o",
            f"{output}.typemeta.bc",
        ],
        "opt": [find_tool("opt"), "-passes=lowertypetests", str(source), "-o", f"{output}.opt.bc"],
    }
    with timed(f"{source.stem}: measure") as step:
        return measure_interleaved(commands, rounds=rounds, show=step.show)


def table_rows(name: str, spreads: dict[str, Spread]) -> list[tuple[str, ...]]:
    """Makes the two rows of one input; the last column compares the medians."""
    ratio = f"{spreads['typemeta'].median / spreads['opt'].median:.2f}"
    return [
        (
            name if tool == "typemeta" else "",
            tool,
            f"{spread.median:.3f}",
            f"{spread.least:.3f}",
            f"{spread.most:.3f}",
            f"{spread.peak_mib:.0f}",
            ratio if tool == "typemeta" else "",
        )
        for tool, spread in spreads.items()
    ]


def print_table(rows: Sequence[Sequence[str]]) -> None:
    """Prints the rows below `HEAD`: two columns of text, then columns of numbers."""
    widths = [max(len(row[column]) for row in (HEAD, *rows)) for column in range(len(HEAD))]
    for row in (HEAD, ["-" * width for width in widths], *rows):
        cells = [
            cell.ljust(width) if column < 2 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip())


def read_arguments() -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="example: make bench ARGS='--rounds 9'",
    )
    parser.add_argument(
        "--rounds", type=int, default=5, help="measured runs of each tool (default: %(default)s)"
    )
    parser.add_argument(
        "--tests", type=int, default=4, help="type tests per generated class (default: %(default)s)"
    )
    parser.add_argument(
        "--layout", choices=("packed", "llvm"), help="typemeta's layout (default: its own default)"
    )
    parser.add_argument("--only", choices=("libsass", "hierarchy"), help="leave the other inputs out")
    parser.add_argument(
        "files", nargs="*", type=Path, metavar="FILE.bc", help="measure these modules instead"
    )
    arguments = parser.parse_args()
    if arguments.rounds < 1:
        parser.error("--rounds must be at least 1")
    return arguments


def make_inputs(arguments: argparse.Namespace) -> list[Path]:
    """Makes the modules to measure, in the order of the table."""
    if arguments.files:
        return list(arguments.files)
    inputs = []
    if arguments.only != "hierarchy":
        inputs.append(make_libsass(WORK))
    if arguments.only != "libsass":
        inputs += [make_hierarchy(WORK, size, tests_per_class=arguments.tests) for size in SIZES]
    return inputs


def main() -> int:
    """Runs the benchmark, prints the table and returns the exit code."""
    arguments = read_arguments()
    WORK.mkdir(parents=True, exist_ok=True)
    rows: list[tuple[str, ...]] = []
    try:
        for source in make_inputs(arguments):
            spreads = compare_tools(source, rounds=arguments.rounds, layout=arguments.layout)
            rows += table_rows(source.stem, spreads)
    except (StepError, MeasureError) as error:
        print(f"\nbenchmark failed: {error}", file=sys.stderr)
        return 1
    print(f"\nWhole processes, {arguments.rounds} interleaved rounds after a warm-up:\n")
    print_table(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
