"""Loading a libLLVM: what is no LLVM, versions, messages, fatal errors."""

from __future__ import annotations

import ctypes
import subprocess
import sys

import _cffi_backend
import pytest

from typemeta.errors import LLVMError
from typemeta.llvm import library as library_module
from typemeta.llvm.find import NEWEST, OLDEST, FoundLibrary
from typemeta.llvm.library import Library, load


def test_one_library_for_the_process() -> None:
    """Loading again gives the same library, by its own path too."""
    library = load()
    assert load() is library
    assert load(library.found.path) is library


def test_a_second_library_is_refused() -> None:
    """Two libLLVM in one process would crash, so the second path is refused by name."""
    library = load()
    with pytest.raises(LLVMError, match=r"is loaded already; one process can use one libLLVM$") as caught:
        load(_cffi_backend.__file__)
    assert str(caught.value).startswith(library.found.path)


def test_the_version_is_three_numbers() -> None:
    """The version is what LLVM says, within the supported ones."""
    library = load()
    assert library.version_text == ".".join(str(part) for part in library.version)
    assert len(library.version) == 3
    assert OLDEST <= library.version[0] <= NEWEST


def test_the_version_is_llvms() -> None:
    """Major, minor and patch come in LLVM's order."""
    library = load()
    numbers = [ctypes.c_uint() for _ in range(3)]
    ctypes.CDLL(library.found.path).LLVMGetVersion(*map(ctypes.byref, numbers))
    assert library.version == tuple(number.value for number in numbers)


def test_the_limits_are_supported(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest and the newest version are themselves supported."""
    library = load()
    for limit in ("OLDEST", "NEWEST"):
        monkeypatch.setattr(library_module, limit, library.version[0])
    assert Library(library.found).version == library.version


def test_a_library_that_is_no_llvm() -> None:
    """A shared object without LLVM's functions cannot be loaded as libLLVM."""
    found = FoundLibrary(_cffi_backend.__file__, "--llvm")
    with pytest.raises(LLVMError, match=r"^cannot load .* as libLLVM \(--llvm\): .*LLVMGetVersion"):
        Library(found)


def test_a_file_that_is_no_library() -> None:
    """A file that is no shared object gives the loader's reason."""
    with pytest.raises(LLVMError, match=r"^cannot load .*test_library\.py as libLLVM \(wheel\): "):
        Library(FoundLibrary(__file__, "wheel"))


@pytest.mark.parametrize(("limit", "shift"), [("NEWEST", -1), ("OLDEST", 1)])
def test_a_version_that_is_not_known(limit: str, shift: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The version that LLVM itself gives counts, whatever the file is called."""
    library = load()
    monkeypatch.setattr(library_module, limit, library.version[0] + shift)
    with pytest.raises(LLVMError, match=rf"is LLVM {library.version_text}; typemeta works with LLVM \d+ to"):
        Library(library.found)


def test_functions_that_only_some_versions_have() -> None:
    """`has` tells a function of this LLVM from one that is not declared, and one that is not exported."""
    library = load()
    assert library.has("LLVMGetVersion")
    assert not library.has("LLVMNoSuchFunction")
    loaded = ctypes.CDLL(library.found.path)
    for target in ("X86", "AArch64", "XCore"):
        name = f"LLVMInitialize{target}Target"
        assert library.has(name) == hasattr(loaded, name)


FATAL = """
import sys
from typemeta.llvm.library import load
from typemeta.llvm.module import Module
from typemeta.llvm.target import ASSEMBLY, generate_code

load().on_fatal_error(lambda reason: print("LLVM said:", reason, flush=True))
text = b'''
target triple = "x86_64-unknown-linux-gnu"
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define i32 @f() {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  ret i32 %x
}
'''
generate_code(Module.parse(text, "x.ll"), ASSEMBLY)
print("went on")
"""


def test_a_fatal_error_is_told_before_the_process_ends() -> None:
    """The handler gets LLVM's reason, and the process ends with an error as LLVM wants it."""
    done = subprocess.run([sys.executable, "-c", FATAL], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert done.stdout.startswith("LLVM said: ")
    assert "intrinsic" in done.stdout
    assert "went on" not in done.stdout
