"""What importing a module loads, and what the package offers."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import typemeta

SOURCES = Path(typemeta.__file__).parent
PURE_FOLDERS = ("layout", "lower/plan", "query", "summary")
PURE_FILES = (
    *(
        "cross_dso/__init__.py",
        "cross_dso/identifiers.py",
        "errors.py",
        "lower/__init__.py",
        "lower/report.py",
    ),
    *("model/__init__.py", "model/document.py", "model/records.py", "model/table.py"),
)


def module_name(path: Path) -> str:
    """Returns the dotted name of a source file."""
    parts = path.relative_to(SOURCES.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


_FOLDERS = [path for folder in PURE_FOLDERS for path in (SOURCES / folder).glob("*.py")]
PURE = sorted(module_name(path) for path in [*(SOURCES / name for name in PURE_FILES), *_FOLDERS])


def loaded_by(name: str) -> set[str]:
    """Imports a module in a fresh interpreter; returns the names of all modules that are loaded then."""
    program = f"import sys; before = set(sys.modules); import {name}; print(*set(sys.modules) - before)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_the_pure_modules_are_all_there() -> None:
    """The list of pure modules is not empty by accident."""
    assert len(PURE) >= 20
    assert {"typemeta.layout.bit_sets", "typemeta.lower.plan", "typemeta.query.membership"} <= set(PURE)


def test_pure_modules_do_not_load_llvm() -> None:
    """All pure modules together load neither cffi nor anything of the binding."""
    loaded = loaded_by(", ".join(PURE))
    assert set(PURE) <= loaded
    assert not [name for name in loaded if "cffi" in name or name.startswith("typemeta.llvm")]


@pytest.mark.parametrize("name", PURE)
def test_each_pure_module_can_be_imported_alone(name: str) -> None:
    """A pure module imported first, by itself, loads no LLVM either."""
    loaded = loaded_by(name)
    assert name in loaded
    assert not [other for other in loaded if "cffi" in other or other.startswith("typemeta.llvm")]


def test_the_package_alone_loads_nothing() -> None:
    """`import typemeta` costs no numpy, no cffi and none of our own modules."""
    loaded = loaded_by("typemeta")
    assert not [name for name in loaded if name.split(".")[0] in ("numpy", "cffi", "_cffi_backend")]
    assert [name for name in loaded if name.startswith("typemeta")] == ["typemeta"]


def test_an_error_class_loads_nothing_else() -> None:
    """Naming an exception loads only the module of the exceptions."""
    loaded = loaded_by("typemeta; typemeta.InputError")
    assert {name for name in loaded if name.startswith("typemeta")} == {"typemeta", "typemeta.errors"}


@pytest.mark.parametrize("name", typemeta.__all__)
def test_public_names_resolve(name: str) -> None:
    """Each public name is there, found lazily, and listed."""
    value = getattr(typemeta, name)
    assert value.__name__ == name
    assert value.__module__.startswith("typemeta.")
    assert name in dir(typemeta)


def declared_names() -> dict[str, str]:
    """Returns the names that the TYPE_CHECKING block of the package declares, with their modules."""
    tree = ast.parse((SOURCES / "__init__.py").read_text())
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    found = {}
    for statement in block.body:
        assert isinstance(statement, ast.ImportFrom)
        for alias in statement.names:
            assert alias.name == alias.asname  # a re-export, for type checkers
            found[alias.name] = str(statement.module)
    return found


def test_type_checkers_see_the_same_names() -> None:
    """The names declared for type checkers are the public ones, from the modules that give them."""
    declared = declared_names()
    assert set(declared) == set(typemeta.__all__)
    for name, home in declared.items():
        assert getattr(importlib.import_module(home), name) is getattr(typemeta, name)


def test_public_names_are_in_order() -> None:
    """Each name stands once, sorted."""
    assert list(typemeta.__all__) == sorted(set(typemeta.__all__))


def test_unknown_names() -> None:
    """A name that is not public is an AttributeError that names it."""
    with pytest.raises(AttributeError, match=r"^module 'typemeta' has no attribute 'no_such_name'$"):
        getattr(typemeta, "no_such_name")  # noqa: B009


def test_nothing_in_the_binding_leaks_upwards() -> None:
    """Only the binding itself, and code that edits or runs IR, calls C functions."""
    allowed = ("llvm/", "model/read.py", "lower/apply/", "execute/", "cross_dso/cfi_check.py")
    for path in SOURCES.rglob("*.py"):
        place = path.relative_to(SOURCES).as_posix()
        if not place.startswith(allowed):
            nodes = ast.walk(ast.parse(path.read_text()))
            calls = [n.attr for n in nodes if isinstance(n, ast.Attribute) and re.match("LLVM[A-Z]", n.attr)]
            assert not calls, place
