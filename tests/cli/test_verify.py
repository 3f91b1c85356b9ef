"""`typemeta verify`: exit code, text and document."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.command import Typemeta

SEED = str(Path(__file__).parents[2] / "examples" / "seed.ll")
