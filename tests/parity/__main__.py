"""The command: `python -m tests.parity FOLDER --tools FOLDER`, or `make parity`."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Final

from tests.parity.lit import LitTest, find_tests, read_test
from tests.parity.report import count, read_reasons, render_markdown, render_outcomes
from tests.parity.running import Outcome, Tools, Verdict, run_test

_NEEDED: Final = ("FileCheck", "not", "split-file")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the tests, prints the table; returns 0 if all are met, 1 if not, 2 if there is nothing to run."""
    parsed = _parser().parse_args(arguments)
    folders = [Path(place) for place in parsed.tools.split(":") if place]
    tests = [(test, name) for place in parsed.tests for test, name in _tests(place, parsed.only)]
    with tempfile.TemporaryDirectory(prefix="parity-") as scratch:
        tools = _tools(folders, Path(scratch, "tools"), parsed.with_opt)
        lacking = tools.lack(_NEEDED)
        if lacking or not tests:
            fault = f"no {', '.join(lacking)} in {parsed.tools}" if lacking else "no test there"
            print(f"parity: {fault}", file=sys.stderr)
            return 2
        outcomes = list(_run(tests, tools, Path(scratch), parsed.jobs))
        if not parsed.with_opt and not tools.lack(["opt"]):
            opt = _tools(folders, Path(scratch, "opt-tools"), True)
            outcomes = _ask_opt(outcomes, tests, opt, Path(scratch, "opt"), parsed.jobs)
    _print(outcomes, parsed)
    return int(any(outcome.verdict is Verdict.NOT_MET for outcome in outcomes))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="parity",
        description="Runs LLVM's lit tests with `typemeta opt` in the place of `opt`; FileCheck judges.",
    )
    parser.add_argument("tests", nargs="+", type=Path, help="folders of tests, or tests")
    parser.add_argument("--tools", required=True, help="folders of LLVM's tools, with colons between them")
    parser.add_argument("--only", nargs="*", default=(), metavar="NAME", help="run tests of these names")
    parser.add_argument("--with-opt", action="store_true", help="run LLVM's own opt: do the tests fit it?")
    parser.add_argument("--verbose", action="store_true", help="print all that a test said that is not met")
    parser.add_argument(
        "--markdown",
        nargs="?",
        const=os.devnull,
        metavar="PAGE",
        help="print rows for docs/parity.md; reasons that PAGE gives for tests still not met are kept",
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="tests run at the same time")
    return parser


def _tests(place: Path, only: Sequence[str]) -> Iterator[tuple[LitTest, str]]:
    """Yields the tests of a folder with the names they have in it."""
    for path in find_tests(place):
        name = str(path.relative_to(place)) if place.is_dir() else path.name
        if not only or name in only or path.stem in only:
            yield read_test(path), name


def _tools(folders: Sequence[Path], scratch: Path, with_opt: bool) -> Tools:
    scratch.mkdir()
    return Tools(folders, scratch, with_opt=with_opt)


def _run(tests: Sequence[tuple[LitTest, str]], tools: Tools, scratch: Path, jobs: int) -> Iterator[Outcome]:
    """Runs tests side by side; yields their outcomes in order."""
    with ThreadPoolExecutor(jobs) as pool:
        started = [
            pool.submit(run_test, test, name, tools, scratch / str(number))
            for number, (test, name) in enumerate(tests)
        ]
        for future in started:
            yield future.result()
    for number in range(len(tests)):
        shutil.rmtree(scratch / str(number), ignore_errors=True)


def _ask_opt(
    outcomes: Sequence[Outcome],
    tests: Sequence[tuple[LitTest, str]],
    tools: Tools,
    scratch: Path,
    jobs: int,
) -> list[Outcome]:
    """Notes at each test that is not met whether LLVM's own opt meets it."""
    unmet = [place for place, outcome in enumerate(outcomes) if outcome.verdict is Verdict.NOT_MET]
    noted = list(outcomes)
    for place, asked in zip(
        unmet, _run([tests[place] for place in unmet], tools, scratch, jobs), strict=True
    ):
        noted[place] = replace(noted[place], opt_too=asked.verdict is not Verdict.MET)
    return noted


def _print(outcomes: Sequence[Outcome], parsed: argparse.Namespace) -> None:
    if parsed.markdown is not None:
        reasons = read_reasons(Path(parsed.markdown).read_text())
        print(*render_markdown(outcomes, reasons), sep="\n")
        print(count(outcomes), file=sys.stderr)
        return
    if parsed.verbose:
        for outcome in outcomes:
            if outcome.verdict is Verdict.NOT_MET:
                print(f"---- {outcome.name}: {outcome.why}\n{outcome.output}")
    print(*render_outcomes(outcomes), sep="\n")


if __name__ == "__main__":
    sys.exit(main())
