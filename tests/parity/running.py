"""Runs a test as lit does: one script of all its commands, stopped by the first that fails."""

from __future__ import annotations

import enum
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import typemeta
from tests.parity.lit import LitTest, expand, paths_of

SECONDS: Final = 120
_COMPLAINT: Final = re.compile(r"^\S+?:\d+:\d+: error: (.*)$", re.MULTILINE)
_OTHER_FAULT: Final = re.compile(
    r"^.*(?:error|LLVM ERROR|Assertion|not found).*$", re.MULTILINE | re.IGNORECASE
)


class Verdict(enum.StrEnum):
    """What became of a test."""

    MET = "met"
    NOT_MET = "not met"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one test.

    Attributes:
        name: the file, as it is called in its folder.
        verdict: met or not.
        why: the line of the RUN line that failed and the first thing said against it; empty if met.
        output: all that the test printed.
        opt_too: True if LLVM's own opt does not meet the test either.
    """

    name: str
    verdict: Verdict
    why: str = ""
    output: str = ""
    opt_too: bool = False


class Tools:
    """The programs that tests call.

    Args:
        folders: where LLVM's tools are (FileCheck, not, split-file, llc ...), the first that has one wins.
        scratch: an empty folder; what stands for `opt` is put there.
        with_opt: let `opt` be LLVM's own.
    """

    def __init__(self, folders: Sequence[Path], scratch: Path, *, with_opt: bool = False) -> None:
        self.folders = [folder.resolve() for folder in folders]
        self.scratch = scratch.resolve()
        if not with_opt:
            _write_stand_in(self.scratch / "opt")

    @property
    def environment(self) -> dict[str, str]:
        """The variables of a test's process."""
        places = [self.scratch, *self.folders, *os.environ["PATH"].split(":")]
        return {**os.environ, "PATH": ":".join(map(str, places)), "FILECHECK_OPTS": "--dump-input=never"}

    def lack(self, names: Sequence[str]) -> list[str]:
        """Returns those of some programs that no folder has."""
        return [name for name in names if not any((folder / name).exists() for folder in self.folders)]


def run_test(test: LitTest, name: str, tools: Tools, folder: Path) -> Outcome:
    """Runs a test.

    Args:
        test: what to run.
        name: what to call it in the outcome.
        tools: the programs.
        folder: where the test may write; its current folder, too.
    """
    if test.missing:
        return Outcome(name, Verdict.UNSUPPORTED, f"needs {', '.join(test.missing)}")
    if not test.runs:
        return Outcome(name, Verdict.UNSUPPORTED, "has no RUN line")
    folder.mkdir(parents=True, exist_ok=True)
    failed = folder / "failed-line"
    failed.unlink(missing_ok=True)
    try:
        done = subprocess.run(
            ["bash", "-c", _script(test, folder, failed)],
            cwd=folder,
            env=tools.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Outcome(name, Verdict.NOT_MET, f"takes longer than {SECONDS} seconds")
    output = done.stdout.decode(errors="replace")
    if done.returncode == 0:
        return Outcome(name, Verdict.MET, output=output)
    place = failed.read_text().strip() if failed.exists() else "?"
    return Outcome(name, Verdict.NOT_MET, f"line {place}: {first_fault(output)}", output)


def first_fault(output: str) -> str:
    """Returns the line of a failed test's output that says most: FileCheck's, else an error, else the last.

    FileCheck says what it missed and shows the line of the test below.
    """
    complaint = _COMPLAINT.search(output)
    if complaint is not None:
        shown = output[complaint.end() :].lstrip("\n").split("\n", 1)[0].strip()
        return f"{complaint[1]}: {shown}" if shown else complaint[1]
    fault = _OTHER_FAULT.search(output)
    if fault is not None:
        return fault[0].strip()
    lines = output.split("\n") if output else []
    said = [line.strip() for line in lines if line.strip()]
    return said[-1] if said else "failed without a word"


def _script(test: LitTest, folder: Path, failed: Path) -> str:
    """Returns the test as a script, which notes the line of the command that failed."""
    paths = paths_of(test, folder)
    lines = ["set -o pipefail"]
    for run in test.runs:
        command = expand(run.command, paths)
        lines.append(f"{{ {command}\n}} || {{ echo {run.number} > {shlex.quote(str(failed))}; exit 1; }}")
    return "\n".join(lines)


def _write_stand_in(path: Path) -> None:
    """Writes a program that runs `typemeta opt` of this source tree."""
    sources = Path(typemeta.__file__).parents[1]
    path.write_text(
        "#!/bin/sh\n"
        f"PYTHONPATH={shlex.quote(str(sources))}${{PYTHONPATH:+:$PYTHONPATH}} "
        f'exec {shlex.quote(sys.executable)} -m typemeta opt "$@"\n'
    )
    path.chmod(0o755)
