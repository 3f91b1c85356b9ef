from __future__ import annotations

import pytest

from tests.targets.toolchain import Toolchain, find_toolchain


@pytest.fixture(scope="session")
def tools() -> Toolchain:
    """The tools of an LLVM for all targets."""
    return find_toolchain()
