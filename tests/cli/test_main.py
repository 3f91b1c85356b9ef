"""The command as a whole: versions, help, start-up, exit codes, pipes that break."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import typemeta as package
from tests.cli.command import Typemeta, only_line
from tests.cli.server import SECONDS, Server

COMMANDS = ("show", "test", "lower", "run")
LIBRARY = r"LLVM (\d+\.\d+\.\d+) \(([^:]+): (/.+)\)"


@pytest.fixture
def typemeta(typemeta: Typemeta) -> Typemeta:
    """The command from the start each time, as a user runs it."""
    return typemeta.fresh()


def version(typemeta: Typemeta, **env: str) -> tuple[str, str, str]:
    """What `--version` says of LLVM: its version, how it was found, and where."""
    done = typemeta("--version", env=env)
    assert (done.returncode, done.stderr) == (0, "")
    ours, llvm = done.stdout.splitlines()
    assert ours == f"typemeta {package.__version__}"
    match = re.fullmatch(LIBRARY, llvm)
    assert match is not None, llvm
    return match[1], match[2], match[3]


def test_version(typemeta: Typemeta, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--version` says what is running: typemeta's version, LLVM's, and which file it is."""
    monkeypatch.delenv("TYPEMETA_LIBLLVM", raising=False)
    number, origin, path = version(typemeta)
    assert origin == "wheel"
    assert Path(path).is_file()
    assert version(typemeta, TYPEMETA_LIBLLVM=path) == (number, "TYPEMETA_LIBLLVM", path)


def test_named_library(typemeta: Typemeta, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--llvm` takes a path, relative ones too, and wins over the environment."""
    monkeypatch.delenv("TYPEMETA_LIBLLVM", raising=False)
    _, _, path = version(typemeta)
    assert typemeta("show", "sets.ll", "--llvm", path, env={"TYPEMETA_LIBLLVM": "/none"}).returncode == 0
    beside = Typemeta(Path(path).parent)
    assert beside("show", typemeta.folder / "sets.ll", "--llvm", Path(path).name).returncode == 0


def test_bad_library(typemeta: Typemeta) -> None:
    """A library that cannot be used: which, and who named it."""
    assert typemeta.refuses("show", "sets.ll", "--llvm", "/none.so") == (
        "--llvm names /none.so, which is not a file; give the path of a libLLVM.so"
    )
    expected = "TYPEMETA_LIBLLVM names /none.so, which is not a file; give the path of a libLLVM.so"
    assert typemeta.refuses("show", "sets.ll", env={"TYPEMETA_LIBLLVM": "/none.so"}) == expected
    message = typemeta.refuses("lower", "sets.ll", "-o", "out.o", "--llvm", "sets.ll")
    assert message.startswith(f"cannot load {typemeta.folder / 'sets.ll'} as libLLVM (--llvm): ")


def test_version_with_a_bad_library(typemeta: Typemeta) -> None:
    """`--version` says its own version all the same, and what is wrong with the other."""
    done = typemeta("--version", env={"TYPEMETA_LIBLLVM": "/none.so"})
    assert (done.returncode, done.stdout) == (2, f"typemeta {package.__version__}\n")
    assert only_line(done).startswith("typemeta: error: TYPEMETA_LIBLLVM names /none.so")


@pytest.mark.parametrize("arguments", [(), *((command,) for command in COMMANDS)])
def test_help_without_llvm(typemeta: Typemeta, arguments: tuple[str, ...]) -> None:
    """Help needs no LLVM."""
    done = typemeta(*arguments, "--help", env={"TYPEMETA_LIBLLVM": "/none.so"})
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(" ".join(["usage: typemeta", *arguments]))


def test_help_lists_the_commands(typemeta: Typemeta) -> None:
    """The first help names every command and every exit code."""
    text = typemeta.prints("--help")
    assert all(re.search(rf"^ +{command} +\w", text, re.MULTILINE) for command in COMMANDS)
    codes = text.partition("exit codes: ")[2]
    assert re.findall(r"\b(\d+) ", codes) == ["0", "1", "2", "70"]


@pytest.mark.parametrize("arguments", [["--help"], ["show", "--help"], ["lower", "x"]])
def test_start_imports_little(arguments: list[str]) -> None:
    """What asks nothing of LLVM imports neither numpy nor cffi: that would be most of the start."""
    script = (
        "import sys\nfrom typemeta.cli import main\n"
        f"try:\n    main({arguments!r})\nexcept SystemExit:\n    pass\n"
        "print('\\nIMPORTED', *sorted(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    imported = done.stdout.partition("\nIMPORTED ")[2].split()
    assert "typemeta.cli.lower" in imported
    unwanted = re.compile(r"numpy|_?cffi|typemeta\.(llvm|model|lower|query|execute|layout)|ctypes|tempfile")
    assert [name for name in imported if unwanted.match(name)] == []


def test_entry_points_agree(typemeta: Typemeta) -> None:
    """The installed script and `python -m typemeta` are one command."""
    project = Path(__file__).parents[2] / "pyproject.toml"
    assert tomllib.loads(project.read_text())["project"]["scripts"] == {"typemeta": "typemeta.cli:main"}
    script = "import sys\nfrom typemeta.cli import main\nsys.exit(main(sys.argv[1:]))\n"
    done = subprocess.run(
        [sys.executable, "-c", script, "show", "sets.ll"],
        cwd=typemeta.folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == typemeta.prints("show", "sets.ll")


@pytest.mark.parametrize(
    "command",
    [
        ("show", "sets.ll", "--json"),
        ("test", "sets.ll", "typeid1", "@c"),
        ("lower", "sets.ll", "-o", "-"),
        ("run", "sets.ll", "bar", "@d+4"),
    ],
)
def test_start_changes_nothing(typemeta: Typemeta, server: Server, command: tuple[str, ...]) -> None:
    """A command from the start does what it does in the forks that most tests use."""
    fresh, forked = typemeta(*command), Typemeta(typemeta.folder, server)(*command)
    assert vars(fresh) == vars(forked)
    assert fresh.returncode == (command[0] == "test")


# Errors


def test_debug_shows_a_traceback(typemeta: Typemeta) -> None:
    """`--debug` shows where an error came from; exit code and message stay the same."""
    typemeta.write("bad.ll", "no IR\n")
    done = typemeta("show", "bad.ll", "--debug")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Traceback (most recent call last):\n")
    assert "InputError" in done.stderr
    assert done.stderr.splitlines()[-1] == "typemeta: error: bad.ll:1:1: expected top-level entity"
    assert typemeta.refuses("show", "bad.ll") == "bad.ll:1:1: expected top-level entity"


def test_debug_changes_no_answer(typemeta: Typemeta) -> None:
    """A command that is right prints and writes the same with `--debug`."""
    assert typemeta.prints("show", "sets.ll", "--debug") == typemeta.prints("show", "sets.ll")
    assert typemeta("test", "sets.ll", "typeid1", "@c", "--debug").returncode == 1
    assert typemeta.prints("lower", "sets.ll", "-o", "one.o", "--debug") == ""
    assert typemeta.prints("lower", "sets.ll", "-o", "two.o") == ""
    assert typemeta.files()["one.o"] == typemeta.files()["two.o"]
    assert typemeta.prints("run", "sets.ll", "foo", "@a", "--debug") == "1\n"


def test_coloured_error(typemeta: Typemeta) -> None:
    """The word "error" is red if colours are wanted."""
    done = typemeta("show", "none.ll", "--color", "always")
    assert done.stderr == "typemeta: \x1b[31merror:\x1b[0m none.ll: no such file or directory\n"


def test_usage_is_one_line(typemeta: Typemeta) -> None:
    """Wrong usage is told like any other error."""
    assert typemeta.refuses().startswith("the following arguments are required: COMMAND; see ")
    assert typemeta.refuses("frobnicate").startswith("argument COMMAND: invalid choice: 'frobnicate'")
    assert typemeta.refuses("--foo", "show", "x").startswith("unrecognized arguments: --foo; see ")


# Standard files


def many_globals(typemeta: Typemeta) -> None:
    """Writes a module whose JSON is larger than any pipe's buffer."""
    lines = [f"@g{number} = global i8 0, !type !0" for number in range(3000)]
    typemeta.write("many.ll", "\n".join([*lines, '!0 = !{i64 0, !"T"}', ""]))


def test_broken_pipe(typemeta: Typemeta) -> None:
    """A reader that has seen enough is no error to talk about."""
    many_globals(typemeta)
    with subprocess.Popen(
        typemeta.line("show", "many.ll", "--json"),
        cwd=typemeta.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"{\n"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(SECONDS) == 141


def test_broken_standard_error(typemeta: Typemeta) -> None:
    """Nobody to complain to is no reason to hang or to run twice."""
    ours, theirs = os.pipe()
    os.close(ours)
    done = subprocess.run(
        typemeta.line("show", "none.ll"),
        cwd=typemeta.folder,
        stdout=subprocess.PIPE,
        stderr=theirs,
        timeout=SECONDS,
        check=False,
    )
    os.close(theirs)
    assert done.stdout == b""
    assert done.returncode != 0


def test_full_standard_output(typemeta: Typemeta) -> None:
    """Output that cannot be written is an error of its own, not one of ours."""
    for command in (("show", "sets.ll"), ("lower", "sets.ll", "-o", "-"), ("run", "sets.ll", "foo", "@a")):
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run(
                typemeta.line(*command),
                cwd=typemeta.folder,
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        assert done.returncode == 2
        assert done.stderr == ("typemeta: error: standard output: cannot write: no space left on device\n")


@pytest.mark.parametrize("number", [1, 2])
def test_closed_standard_files(typemeta: Typemeta, number: int) -> None:
    """A command whose output nobody wants runs all the same, and does not write into another file."""
    before = f"os.close({number})"
    done = typemeta("lower", "sets.ll", "-o", "out.ll", "--json", before=before)
    assert (done.returncode, done.stderr) == (0, "")
    assert (typemeta.folder / "out.ll").read_text().startswith("; ModuleID")
    assert typemeta("show", "none.ll", before=before).returncode == 2


def test_output_without_unicode(typemeta: Typemeta) -> None:
    """A terminal without Unicode gets escapes, not an error."""
    typemeta.write("x.ll", '@"\N{SNOWMAN}" = global i8 0, !type !0\n!0 = !{i64 0, !"\N{SNOWMAN}"}\n')
    done = typemeta("show", "x.ll", "--type", "\N{SNOWMAN}", env={"PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "\\u2603: 1 members; no call sites\n  @\\u2603+0\n"
