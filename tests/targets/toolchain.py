"""The folder of LLVM's tools that `LLVM_TOOLS` names, and what the tests of targets do with them."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

USUAL: Final = "/usr/lib/llvm-22/bin"
_NEEDED: Final = ("opt", "llc", "llvm-config", "llvm-objdump")


class MissingToolsError(Exception):
    """There is no LLVM for all targets where `LLVM_TOOLS` says."""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """LLVM's tools, and the libLLVM that belongs to them."""

    folder: Path
    library: Path

    def run(self, tool: str, *arguments: str | Path, input: str | None = None) -> str:
        """Returns what a tool writes; it must succeed."""
        command = [self.folder / tool, *arguments]
        done = subprocess.run(command, input=input, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{tool}: {done.stderr}"
        return done.stdout

    def lower(self, source: Path, output: Path) -> None:
        """Lowers a module with typemeta and this LLVM: its `llc` cannot read what a newer LLVM writes."""
        command: list[str | Path] = [sys.executable, "-m", "typemeta", "lower"]
        command += ["--llvm", self.library, source, "-o", output]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def find_toolchain() -> Toolchain:
    """Returns the tools in the folder that `LLVM_TOOLS` names, or else in the usual one.

    Raises:
        MissingToolsError: tools or targets are missing there; says how to install them.
    """
    folder = Path(os.environ.get("LLVM_TOOLS", USUAL))
    missing = [tool for tool in _NEEDED if not (folder / tool).is_file()]
    if missing:
        raise MissingToolsError(
            f"LLVM_TOOLS={folder} has no {', '.join(missing)}. These tests need an LLVM (19 to 23) with all "
            "targets: on Debian and Ubuntu `apt-get install llvm-22` (from apt.llvm.org where the "
            "distribution has none), then `make targets LLVM_TOOLS=/usr/lib/llvm-22/bin`."
        )
    config: list[str | Path] = [folder / "llvm-config", "--link-shared", "--libfiles"]
    done = subprocess.run(config, capture_output=True, text=True, check=False)
    library = Path(done.stdout.strip())
    if done.returncode or not library.is_file():
        raise MissingToolsError(
            f"the LLVM of LLVM_TOOLS={folder} has no shared library (libLLVM.so), with which typemeta "
            f"lowers: {done.stderr.strip() or library}"
        )
    return Toolchain(folder, library)
