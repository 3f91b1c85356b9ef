from __future__ import annotations

from pathlib import Path

import pytest

from tests.targets.toolchain import MissingToolsError, find_toolchain


def test_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder without the tools is an error that says which, where, and what to install."""
    (tmp_path / "opt").touch()
    monkeypatch.setenv("LLVM_TOOLS", str(tmp_path))
    with pytest.raises(MissingToolsError) as caught:
        find_toolchain()
    message = str(caught.value)
    assert f"LLVM_TOOLS={tmp_path} has no llc, llvm-config, llvm-objdump." in message
    assert "apt-get install llvm-22" in message


def test_no_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tools of an LLVM without libLLVM.so cannot be used: typemeta loads that library."""
    for tool in ("opt", "llc", "llvm-config", "llvm-objdump"):
        (tmp_path / tool).write_text("#!/bin/sh\necho no shared libraries >&2\nexit 1\n")
        (tmp_path / tool).chmod(0o755)
    monkeypatch.setenv("LLVM_TOOLS", str(tmp_path))
    with pytest.raises(MissingToolsError, match=r"no shared library .*no shared libraries"):
        find_toolchain()
