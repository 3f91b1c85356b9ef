"""A shared library with our `__cfi_check` answers for its own functions: C code, linked, loaded, called."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import pytest

from tests.cross_dso.opt import TOOLS
from typemeta.cross_dso.cfi_check import build_cfi_check
from typemeta.cross_dso.identifiers import hash_identifier
from typemeta.llvm.reading import read_module
from typemeta.llvm.writing import OutputKind, write_module
from typemeta.lower.pipeline import lower_module

LIBRARY = """\
typedef int (*Unary)(int);
int twice(int x) { return 2 * x; }
int next(int x) { return x + 1; }
static int local(int x) { return -x; }
int shout(const char *text) { return text[0]; }
double half(double x) { return x / 2; }
Unary pick(int which) { return which ? local : next; }
int apply(Unary f, int x) { return f(x); }
"""
# What the run-time library would do on a failure, and for a call that leaves this library.
RECORDER = """\
void *failed_data, *failed_address;
unsigned long long asked_identifier;
void *asked_address;
int failures, questions;
void __cfi_check_fail(void *data, void *address) { failed_data = data; failed_address = address; ++failures; }
void __cfi_slowpath(unsigned long long id, void *address) {
  asked_identifier = id; asked_address = address; ++questions;
}
"""
UNARY, TEXT, REAL = "_ZTSFiiE", "_ZTSFiPKcE", "_ZTSFddE"


class Library:
    """The loaded library."""

    def __init__(self, path: Path) -> None:
        self.code = ctypes.CDLL(str(path))
        check = self.code["__cfi_check"]
        check.argtypes = [ctypes.c_uint64, ctypes.c_void_p, ctypes.c_void_p]
        check.restype = None
        self._check = check
        self.code.pick.restype = ctypes.c_void_p

    def address(self, name: str) -> int:
        """Returns the address that a symbol has for others."""
        address = ctypes.cast(self.code[name], ctypes.c_void_p).value
        assert address
        return address

    def value(self, name: str, type_: type[ctypes.c_int | ctypes.c_uint64]) -> int:
        """Returns what the recorder noted."""
        return type_.in_dll(self.code, name).value

    def allows(self, identifier: int, address: int) -> bool:
        """Asks `__cfi_check`; a failure must be recorded once, with what was asked."""
        before = self.value("failures", ctypes.c_int)
        self._check(identifier, address, 0xDA7A)
        failures = self.value("failures", ctypes.c_int) - before
        assert failures in (0, 1)
        if failures:
            assert self.value("failed_address", ctypes.c_uint64) == address
            assert self.value("failed_data", ctypes.c_uint64) == 0xDA7A
        return failures == 0


def build(folder: Path, *flags: str) -> Library:
    """Compiles the library under cross-DSO CFI, adds the check, lowers, links."""
    (folder / "library.c").write_text(LIBRARY)
    (folder / "recorder.c").write_text(RECORDER)
    checks = ["-fsanitize=cfi-icall", "-fsanitize-cfi-cross-dso", "-flto"]
    for source, options in (("library.c", [*checks, *flags]), ("recorder.c", [])):
        subprocess.run([TOOLS / "clang", "-fPIC", *options, "-c", source], cwd=folder, check=True)
    module = read_module([str(folder / "library.o")])
    assert build_cfi_check(module)
    lower_module(module)
    module.verify()
    (folder / "lowered.o").write_bytes(write_module(module, OutputKind.OBJECT))
    parts = ["lowered.o", "recorder.o"]
    subprocess.run([TOOLS / "ld.lld", "-shared", *parts, "-o", "library.so"], cwd=folder, check=True)
    return Library(folder / "library.so")


@pytest.fixture(scope="module", params=["-O0", "-O2", "-fcf-protection=branch"])
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Library:
    """The library, compiled in one of several ways."""
    return build(tmp_path_factory.mktemp("library"), request.param)


SETS = {UNARY: {"twice", "next", "local"}, TEXT: {"shout"}, REAL: {"half"}}


@pytest.mark.parametrize("type_", SETS)
def test_members_are_allowed_and_nothing_else(library: Library, type_: str) -> None:
    """Exactly the functions of a type pass under its number, by the address that others see."""
    others = ("twice", "next", "shout", "half", "apply", "pick")
    addresses = {name: library.address(name) for name in others}
    addresses["local"] = library.code.pick(1)
    allowed = {name for name, address in addresses.items() if library.allows(hash_identifier(type_), address)}
    assert allowed == SETS[type_]


def test_addresses_near_a_member(library: Library) -> None:
    """Bytes beside an entry, null and the last address are refused."""
    address = library.address("twice")
    for wrong in (address + 1, address - 1, address + 4, 0, 1, 2**64 - 1, library.address("failures")):
        assert not library.allows(hash_identifier(UNARY), wrong)


@pytest.mark.parametrize("identifier", [0, 1, 2**64 - 1, hash_identifier("_ZTSFccE"), hash_identifier("")])
def test_numbers_that_the_library_does_not_know(library: Library, identifier: int) -> None:
    """A set that the library has no member of lets nothing pass."""
    assert not library.allows(identifier, library.address("twice"))


def test_the_check_stands_on_a_page_of_its_own(library: Library) -> None:
    """The run-time library keeps only the page number of a check in its shadow."""
    assert library.address("__cfi_check") % 4096 == 0


def test_the_library_itself(library: Library) -> None:
    """Inside, a known function is called at once, and an unknown one is asked about under the same number."""
    apply_ = library.code.apply
    apply_.argtypes = [ctypes.c_void_p, ctypes.c_int]
    before = library.value("questions", ctypes.c_int)
    assert apply_(library.address("twice"), 21) == 42
    assert library.value("questions", ctypes.c_int) == before
    callback = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int)(lambda x: x + 100)
    outside = ctypes.cast(callback, ctypes.c_void_p).value
    assert apply_(outside, 1) == 101
    assert library.value("questions", ctypes.c_int) == before + 1
    assert library.value("asked_identifier", ctypes.c_uint64) == hash_identifier(UNARY)
    assert library.value("asked_address", ctypes.c_uint64) == outside


def test_nothing_is_lowered_unasked(tmp_path: Path) -> None:
    """Lowering alone leaves clang's stub, which has no switch over numbers."""
    (tmp_path / "library.c").write_text(LIBRARY)
    checks = ["-fsanitize=cfi-icall", "-fsanitize-cfi-cross-dso", "-flto", "-fPIC"]
    subprocess.run([TOOLS / "clang", *checks, "-c", "library.c"], cwd=tmp_path, check=True)
    module = read_module([str(tmp_path / "library.o")])
    lower_module(module)
    stub = module.find("__cfi_check")
    assert stub is not None
    assert stub.linkage == "weak"
    assert "switch i64" not in str(stub)
