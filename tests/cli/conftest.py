"""What the tests of the command line share."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.command import CHECKED_LOAD, SETS, Typemeta
from tests.cli.server import Server

SHAPES = """\
struct Shape { virtual int area(int); virtual int kind(); virtual ~Shape(); int side; };
struct Square : Shape { int area(int) override; int kind() override; };
struct Circle : Shape { int area(int) override; };
struct Other { virtual int go(int); };
int Shape::area(int x) { return x; }
int Shape::kind() { return 0; }
Shape::~Shape() {}
int Square::area(int x) { return x * side; }
int Square::kind() { return 1; }
int Circle::area(int x) { return 3 * x; }
int Other::go(int x) { return -x; }
extern "C" int total(Shape *s, int x) { return s->area(x) + s->kind(); }
extern "C" int twice(int x) { return 2 * x; }
extern "C" int apply(int (*f)(int), int x) { return f(x); }
extern "C" int drive(int which) {
  Square square;
  square.side = 5;
  Circle circle;
  Other other;
  switch (which) {
  case 0: return total(&square, 2);
  case 1: return total(&circle, 2);
  case 2: return apply(twice, 21);
  default: return total((Shape *)(void *)&other, 1);
  }
}
"""
FLAGS = ("-O1", "-flto", "-fno-rtti", "-fvisibility=hidden", "-fsanitize=cfi-vcall,cfi-icall")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A process that runs commands in its forks."""
    started = Server(tmp_path_factory.mktemp("server"))
    yield started
    started.close()


@pytest.fixture
def typemeta(tmp_path: Path, server: Server) -> Typemeta:
    """The command, run in a folder with `sets.ll` and `load.ll`."""
    command = Typemeta(tmp_path, server)
    command.write("sets.ll", SETS)
    command.write("load.ll", CHECKED_LOAD)
    return command


@pytest.fixture(scope="session")
def tools() -> Path:
    """The folder of LLVM's tools."""
    return Path(sys.executable).parent


@pytest.fixture(scope="session")
def objects(tools: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of objects.

    shapes.o an LTO object under control-flow integrity, fat.o the same as a fat object, native.o without
    bitcode, shapes.a an archive of native.o, shapes.o.
    """
    folder = tmp_path_factory.mktemp("objects")
    (folder / "shapes.cpp").write_text(SHAPES)
    (folder / "native.c").write_text("int native(void) { return 1; }\n")
    for command in (
        ["clang++", "-c", *FLAGS, "shapes.cpp", "-o", "shapes.o"],
        ["clang++", "-c", *FLAGS, "-ffat-lto-objects", "shapes.cpp", "-o", "fat.o"],
        ["clang", "-c", "native.c", "-o", "native.o"],
        ["llvm-ar", "rc", "shapes.a", "native.o", "shapes.o"],
    ):
        subprocess.run([tools / command[0], *command[1:]], cwd=folder, check=True)
    return folder
