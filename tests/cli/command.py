"""The real command in a process of its own, and the modules it is given."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.cli.server import SECONDS, Server

Run = subprocess.CompletedProcess[str]

TARGET = """\
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-unknown-linux-gnu"
"""

# The example of the seed document, with a target and with today's pointers.
SETS = f"""{TARGET}
@a = internal global i32 0, !type !0
@b = internal global i32 0, !type !0, !type !1
@c = internal global i32 0, !type !1
@d = internal global [2 x i32] [i32 7, i32 8], !type !2
@behind_d = alias i32, getelementptr (i8, ptr @d, i64 4)
@untyped = global i32 0

define void @e() !type !3 {{
  ret void
}}
define void @f() {{
  ret void
}}
declare !type !3 void @g()
declare i1 @llvm.type.test(ptr, metadata)

define i1 @foo(ptr %p) {{
  %x = call i1 @llvm.type.test(ptr %p, metadata !"typeid1")
  ret i1 %x
}}
define i1 @bar(ptr %p) {{
  %x = call i1 @llvm.type.test(ptr %p, metadata !"typeid2")
  ret i1 %x
}}
define i1 @baz(ptr %p) {{
  %x = call i1 @llvm.type.test(ptr %p, metadata !"typeid3")
  ret i1 %x
}}
define i1 @no_such_type(ptr %p) {{
  %x = call i1 @llvm.type.test(ptr %p, metadata !"typeid4")
  ret i1 %x
}}
define ptr @take_e() {{
  ret ptr @e
}}

!0 = !{{i32 0, !"typeid1"}}
!1 = !{{i32 0, !"typeid2"}}
!2 = !{{i32 4, !"typeid2"}}
!3 = !{{i32 0, !"typeid3"}}
"""

# Code generation turns a leftover type intrinsic into "true".
CHECKED_LOAD = f"""{TARGET}
@vtable = constant [1 x ptr] [ptr @called], !type !0
define void @called() {{
  ret void
}}
define i1 @test(ptr %p) {{
  %x = call i1 @llvm.type.test(ptr %p, metadata !"T")
  ret i1 %x
}}
define ptr @load(ptr %p) {{
  %pair = call {{ ptr, i1 }} @llvm.type.checked.load(ptr %p, i32 0, metadata !"T")
  %f = extractvalue {{ ptr, i1 }} %pair, 0
  ret ptr %f
}}
declare i1 @llvm.type.test(ptr, metadata)
declare {{ ptr, i1 }} @llvm.type.checked.load(ptr, i32, metadata)
!0 = !{{i64 0, !"T"}}
"""


class Typemeta:
    """Runs `typemeta` in a folder, as a user's shell would; no output of it is a terminal.

    Without a server each command is a new process from the start; so is one with an environment of its own.
    """

    def __init__(self, folder: Path, server: Server | None = None) -> None:
        self.folder = folder
        self._server = server

    def __call__(
        self,
        *arguments: str | Path,
        stdin: str = "",
        env: Mapping[str, str] | None = None,
        before: str = "",
    ) -> Run:
        """Runs a command to its end.

        Args:
            arguments: what follows `typemeta`.
            stdin: contents of standard input.
            env: added to the environment.
            before: Python code that the new process runs before it becomes the command.
        """
        if self._server is not None and env is None and not before:
            words = [str(word) for word in arguments]
            code, out, err = self._server.run(self.folder, words, stdin.encode())
        else:
            done = subprocess.run(
                prepared(before, self.line(*arguments)) if before else self.line(*arguments),
                cwd=self.folder,
                input=stdin.encode(),
                env={**os.environ, **(env or {})},
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
            code, out, err = done.returncode, done.stdout, done.stderr
        return Run(
            arguments, code, out.decode(errors="surrogateescape"), err.decode(errors="surrogateescape")
        )

    def fresh(self) -> Typemeta:
        """The same command, each time from the start."""
        return Typemeta(self.folder)

    def line(self, *arguments: str | Path) -> list[str | Path]:
        """Returns the command line that a call with these arguments runs."""
        return [sys.executable, "-m", "typemeta", *arguments]

    def prints(self, *arguments: str | Path, stdin: str = "") -> str:
        """Returns what a command prints that ends well and has no note to make."""
        done = self(*arguments, stdin=stdin)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    def refuses(
        self,
        *arguments: str | Path,
        stdin: str = "",
        env: Mapping[str, str] | None = None,
        before: str = "",
    ) -> str:
        """Returns why a command is refused: exit code 2, nothing printed, nothing left, and one line."""
        files = self.files()
        done = self(*arguments, stdin=stdin, env=env, before=before)
        assert (done.returncode, done.stdout) == (2, ""), done
        assert self.files() == files
        return only_line(done).removeprefix("typemeta: error: ")

    def files(self) -> dict[str, bytes]:
        """Returns the contents of the files in the folder, by name."""
        return {path.name: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}

    def write(self, name: str, text: str) -> Path:
        """Writes an input into the folder."""
        path = self.folder / name
        path.write_text(text)
        return path


def prepared(before: str, line: Sequence[str | Path]) -> list[str | Path]:
    """Returns a command line that runs Python code in its process before it becomes another one's."""
    script = f"import os, resource, signal, sys\n{before}\nos.execv(sys.argv[1], sys.argv[1:])\n"
    return [sys.executable, "-c", script, *line]


def only_line(done: Run) -> str:
    """Returns the one line on standard error; it is typemeta's."""
    [line] = done.stderr.splitlines()
    assert done.stderr == f"{line}\n"
    assert line.startswith("typemeta: ")
    return line
