"""The seed document: its tables for A, B, C and D from real C++, and its example's documented answers."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from typemeta.execute import run_function
from typemeta.llvm.module import Module
from typemeta.llvm.reading import read_module
from typemeta.model import TypeModel
from typemeta.query import contains, find_global, find_type, parse_address, types_of

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
CLANG = Path(sys.executable).parent / "clang++"

# Table 2: the components of each vtable, by index.
COMPONENTS = {
    "A": ["null", "@_ZTI1A", "@_ZN1A1fEv"],
    "B": ["null", "@_ZTI1B", "@_ZN1B1fEv", "@_ZN1B1gEv"],
    "C": ["null", "@_ZTI1C", "@_ZN1C1hEv"],
    "D": ["null", "@_ZTI1D", "@_ZN1D1fEv", "@_ZN1D1hEv", "-8", "@_ZTI1D", "@_ZThn8_N1D1hEv"],
}

# Table 3: vtable, offset, compatible class.
COMPATIBLE = {
    ("A", 16, "A"),
    ("B", 16, "A"),
    ("B", 16, "B"),
    ("C", 16, "C"),
    ("D", 16, "A"),
    ("D", 16, "D"),
    ("D", 48, "C"),
}

# The comments of the example's @main.
ANSWERS = {
    ("foo", "@a"): 1,
    ("foo", "@b"): 1,
    ("foo", "@c"): 0,
    ("bar", "@a"): 0,
    ("bar", "@b"): 1,
    ("bar", "@c"): 1,
    ("bar", "@d"): 0,
    ("bar", "@d+4"): 1,
    ("baz", "@e"): 1,
    ("baz", "@f"): 0,
    ("baz", "@g"): 1,
}


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Module:
    """Returns the document's classes, compiled by clang under control-flow integrity."""
    output = tmp_path_factory.mktemp("abcd") / "abcd.o"
    flags = ["-std=c++17", "-O1", "-flto", "-fvisibility=hidden", "-fsanitize=cfi-vcall", "-c"]
    subprocess.run([CLANG, *flags, EXAMPLES / "abcd.cpp", "-o", output], check=True)
    return read_module([str(output)])


@pytest.mark.parametrize("name", COMPONENTS)
def test_table_2(compiled: Module, name: str) -> None:
    """Each vtable has the components of table 2, in order."""
    variable = re.search(rf"^@_ZTV1{name} = .*$", compiled.print(), re.MULTILINE)
    assert variable is not None
    contents = variable[0].split("constant", 1)[1]
    found = re.findall(r"ptr (null|@\w+)|inttoptr \(i64 (-\d+) to ptr\)", contents)
    assert [symbol or number for symbol, number in found] == COMPONENTS[name]


@pytest.mark.parametrize("vtable", COMPONENTS)
@pytest.mark.parametrize("compatible", COMPONENTS)
def test_table_3(compiled: Module, vtable: str, compatible: str) -> None:
    """An address of a vtable is in the set of a class exactly if table 3 has that row."""
    model = TypeModel.read(compiled)
    global_ = find_global(model, f"_ZTV1{vtable}")
    type_ = find_type(model, f"_ZTS1{compatible}")
    for offset in range(model.globals[global_].size + 8):
        assert contains(model, type_, global_, offset) == ((vtable, offset, compatible) in COMPATIBLE)


@pytest.mark.parametrize("vtable", COMPONENTS)
def test_the_classes_of_each_vtable(compiled: Module, vtable: str) -> None:
    """The class identifiers attached to a vtable are the rows of table 3, in offset order."""
    model = TypeModel.read(compiled)
    attached = types_of(model, find_global(model, f"_ZTV1{vtable}"))
    named = [(offset, model.types[type_].id) for offset, type_ in attached]
    rows = {(offset, f"_ZTS1{compatible}") for name, offset, compatible in COMPATIBLE if name == vtable}
    assert {(offset, name) for offset, name in named if re.fullmatch(r"_ZTS1[A-D]", name)} == rows


@pytest.mark.parametrize(("function", "address"), ANSWERS)
def test_the_example_gives_its_documented_answers(function: str, address: str) -> None:
    """The example, typed pointers and all, answers as its comments say."""
    module = read_module([str(EXAMPLES / "seed.ll")])
    assert run_function(module, function, [parse_address(address)]) == ANSWERS[function, address]
