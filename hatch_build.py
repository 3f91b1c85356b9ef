"""Build hook: turns the C declarations into cffi's out-of-line module, so that no start parses C."""

from pathlib import Path
from typing import Any

from cffi import FFI
from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = "src/typemeta/llvm"


class CdefHook(BuildHookInterface):
    """Writes `typemeta/llvm/_cdef.py` from `typemeta/llvm/cdef.h`, for wheels and editable installs."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        folder = Path(self.root, FOLDER)
        ffi = FFI()
        ffi.set_source("typemeta.llvm._cdef", None)
        ffi.cdef((folder / "cdef.h").read_text())
        ffi.emit_python_code(str(folder / "_cdef.py"))
        build_data["artifacts"].append(f"{FOLDER}/_cdef.py")
