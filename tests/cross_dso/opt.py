"""LLVM's own `cross-dso-cfi` pass."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TOOLS = Path(sys.executable).parent


def run_opt(text: str, name: str = "-") -> str:
    """Returns what `opt -S -passes=cross-dso-cfi` makes of IR text; it must succeed."""
    done = subprocess.run(
        [TOOLS / "opt", "-S", "-passes=cross-dso-cfi", name],
        input=text,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout
