"""What a lit test says: its RUN lines, what they need, and the names that stand for paths."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_KEYWORD: Final = re.compile(r"\b(RUN|REQUIRES|END)([:.])\s?(.*)$")
_CONDITION: Final = re.compile(r"%if\s+(\S+)\s+%\{(.*?)%\}(?:\s*%else\s+%\{(.*?)%\})?")
_TARGET: Final = "-registered-target"


@dataclass(frozen=True, slots=True)
class RunLine:
    """A command of a test; `number` is the line of the file it begins on."""

    number: int
    command: str


@dataclass(frozen=True, slots=True)
class LitTest:
    """A test file.

    Attributes:
        path: where it is.
        runs: its commands in order; all must succeed.
        requires: the features it needs, such as `asserts`.
    """

    path: Path
    runs: tuple[RunLine, ...]
    requires: tuple[str, ...] = ()

    @property
    def missing(self) -> tuple[str, ...]:
        """The features that nothing here provides."""
        return tuple(name for name in self.requires if not has_feature(name))


def has_feature(name: str) -> bool:
    """Tells whether a feature is there.

    Every target is held to be: the passes look at a module's triple, most of them need no code generator
    for it, and a test that does need one is better seen failing than left out.
    """
    return name.endswith(_TARGET)


def read_test(path: Path) -> LitTest:
    """Reads a test file.

    Raises:
        ValueError: its last RUN line says that another follows.
    """
    runs: list[RunLine] = []
    requires: list[str] = []
    open_line: RunLine | None = None
    for number, line in enumerate(path.read_text(errors="surrogateescape").splitlines(), 1):
        match = _KEYWORD.search(line)
        if match is None:
            continue
        keyword, text = match[1], match[3].strip()
        if keyword == "END" and match[2] == ".":
            break
        if keyword == "REQUIRES":
            requires += [name.strip() for name in text.split(",")]
        elif keyword == "RUN":
            start, before = (open_line.number, open_line.command) if open_line else (number, "")
            joined = RunLine(start, f"{before} {text.removesuffix(chr(92))}".strip())
            open_line = joined if text.endswith("\\") else None
            if open_line is None:
                runs.append(joined)
    if open_line is not None:
        raise ValueError(f"{path}:{open_line.number}: this RUN line ends in \\, and none follows")
    return LitTest(path, tuple(runs), tuple(requires))


def find_tests(place: Path) -> list[Path]:
    """Returns the tests in a folder and the folders in it, sorted; `Inputs` holds none."""
    if place.is_file():
        return [place]
    return sorted(path for path in place.rglob("*.ll") if "Inputs" not in path.relative_to(place).parts)


def expand(command: str, paths: Mapping[str, str]) -> str:
    """Puts paths in the place of their names, and decides what depends on a feature.

    Args:
        command: the text of a RUN line.
        paths: by name without the percent sign: `s`, `S`, `t` ...; a longer name wins.
    """
    command = _CONDITION.sub(lambda m: m[2] if has_feature(m[1]) else m[3] or ":", command)
    names = "|".join(sorted(map(re.escape, paths), key=len, reverse=True))
    return re.sub(rf"%(?:(%)|({names}))", lambda m: "%" if m[1] else paths[m[2]], command)


def paths_of(test: LitTest, folder: Path) -> dict[str, str]:
    """Returns the paths that a test may name; `folder` is where it writes."""
    source = test.path.resolve()
    temporary = folder / f"{source.name}.tmp"
    names = {"s": source, "S": source.parent, "p": source.parent, "t": temporary, "T": folder}
    texts = {name: str(path) for name, path in names.items()}
    return {
        **texts,
        **{f"/{name}": text for name, text in texts.items()},
        "basename_t": temporary.name,
        "{pathsep}": ":",
    }
