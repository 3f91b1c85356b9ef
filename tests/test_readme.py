"""The README says what is true: its program runs, its commands print what it shows."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Returns a folder with the examples, as in a checkout."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    return tmp_path


def run(command: str, folder: Path) -> str:
    """Runs a shell command with this environment's tools first on the PATH; returns all it prints."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["sh", "-c", f"{command} 2>&1"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout


def sessions() -> Iterator[tuple[str, str]]:
    """Yields each command that the README shows behind a `$`, and the output under it."""
    for block in re.findall(r"(?:^    .*\n(?:\n(?=    ))?)+", README, re.MULTILINE):
        text = re.sub(r"^    ", "", block, flags=re.MULTILINE)
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            yield command, output.rstrip("\n")


def test_the_tour_prints_what_it_shows(folder: Path) -> None:
    """Every command of the tour, run in order, prints exactly what stands under it."""
    shown = list(sessions())
    assert len(shown) >= 7
    for command, output in shown:
        assert run(command, folder).rstrip("\n") == output, command


def test_the_program_runs(folder: Path) -> None:
    """The ten lines of Python print typeid2's members and write a module without type tests."""
    program = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert program is not None
    (folder / "program.py").write_text(program[1])
    assert run(f"{sys.executable} program.py", folder).split() == ["@b+0", "@c+0", "@d+4"]
    assert "llvm.type.test" not in (folder / "seed_lowered.ll").read_text()


def test_the_two_commands_are_targets() -> None:
    """The commands that the README promises are targets of the Makefile."""
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^    make (\w+)", README, re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
