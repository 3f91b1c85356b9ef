"""The command line of `opt`, as LLVM's own parser reads it.

An option has one dash or two; a value follows `=`, or is the next word if the option must have one. What is
not known here is an option of LLVM, such as `-inline-threshold=5`, and is handed on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from typemeta.errors import TypemetaError

STANDARD: Final = "-"
"""Standard input, or standard output."""

_SWITCHES: Final = {
    "S": "is_text",
    "f": "force",
    "disable-output": "disable_output",
    "disable-verify": "disable_verify",
    "verify-each": "verify_each",
    "lowertypetests-avoid-reuse": "avoid_reuse",
    "lowertypetests-jump-table-debug-info": "jump_table_debug_info",
}
_VALUES: Final = {
    "o": "output",
    "passes": "passes",
    "p": "passes",
    "mtriple": "triple",
    "data-layout": "data_layout",
    "mcpu": "cpu",
    "mattr": "features",
    "lowertypetests-summary-action": "summary_action",
    "lowertypetests-read-summary": "summary_to_read",
    "lowertypetests-write-summary": "summary_to_write",
    "lowertypetests-drop-type-tests": "drop_type_tests",
}
_CHOICES: Final = {
    "summary_action": ("none", "import", "export"),
    "drop_type_tests": ("none", "assume", "all"),
}
_LEVELS: Final = ("O0", "O1", "O2", "O3", "Os", "Oz")
_TRUTHS: Final = {
    **dict.fromkeys(("", "true", "TRUE", "True", "1"), True),
    **dict.fromkeys(("false", "FALSE", "False", "0"), False),
}

# What the program opt has and LLVM's library has not: one can only ask that program for it.
_PROGRAM_NAMES: Final = """
aa-pipeline codegen-opt-level cs-profilegen-file cspgo-kind debug-info-for-profiling
debug-pass-manager debugify-each debugify-export disable-builtin disable-debug-info-type-map
disable-loop-unrolling disable-pipeline-verification disable-simplify-libcalls discard-value-names
enable-builtin enable-debugify enable-loopfusion enable-profcheck load load-pass-plugin march
memory-profile-file module-hash module-summary pass-remarks-filter pass-remarks-format
pass-remarks-hotness-threshold pass-remarks-output pass-remarks-with-hotness pgo-cold-func-opt
pgo-kind preserve-bc-uselistorder preserve-ll-uselistorder print-passes print-pipeline-passes
profile-file profile-remapping-file pseudo-probe-for-profiling run-twice strip-debug
strip-named-metadata thin-link-bitcode-file thinlto-bc thinlto-split-lto-unit time-trace
time-trace-file time-trace-granularity unified-lto verify-debuginfo-preserve
verify-di-preserve-export verify-each-debuginfo-preserve
"""
_PROGRAM: Final = frozenset(_PROGRAM_NAMES.split())
_PROGRAM_PREFIX: Final = "passes-ep-"


@dataclass(slots=True, kw_only=True)
class OptOptions:
    """What a command line of `opt` asks for.

    Attributes:
        input: path of the module; `-` is standard input.
        output: path of the result; `-` is standard output.
        is_text: write IR text instead of bitcode.
        force: write bitcode to a terminal, too.
        disable_output: write no module.
        passes: the pipeline; empty if there is none.
        triple: the target triple to take instead of the module's.
        data_layout: the data layout to take instead of the module's.
        cpu: what functions are compiled for that do not say it.
        features: features added to those of each function.
        disable_verify: do not verify the module, neither before nor after.
        verify_each: verify it after each pass, too.
        summary_action: `none`, `import` or `export`.
        summary_to_read: path of the module summary to read; empty for none.
        summary_to_write: path of the module summary to write; empty for none.
        avoid_reuse: an alias of the byte array for each use of it.
        jump_table_debug_info: give jump tables debug information where the module has some.
        drop_type_tests: `none`, `assume` or `all`: tests that `lowertypetests` removes instead of lowering.
        for_llvm: options to hand to LLVM.
        for_program: options that only LLVM's program `opt` understands.
    """

    input: str = STANDARD
    output: str = STANDARD
    is_text: bool = False
    force: bool = False
    disable_output: bool = False
    passes: str = ""
    triple: str = ""
    data_layout: str = ""
    cpu: str = ""
    features: str = ""
    disable_verify: bool = False
    verify_each: bool = False
    summary_action: str = "none"
    summary_to_read: str = ""
    summary_to_write: str = ""
    avoid_reuse: bool = True
    jump_table_debug_info: bool = True
    drop_type_tests: str = "none"
    for_llvm: list[str] = field(default_factory=list)
    for_program: list[str] = field(default_factory=list)


MustHaveValue = Callable[[str], bool | None]
"""Tells whether an option of LLVM, named without dashes, must have a value; None if LLVM has none such."""


def parse_command_line(words: Sequence[str], must_have_value: MustHaveValue) -> OptOptions:
    """Parses the words behind `opt`; where an option comes twice, the last counts.

    Args:
        words: the command line.
        must_have_value: asked about options that are not known here.

    Raises:
        TypemetaError: nobody knows an option, a value is missing or is none that the option takes, or there
            are two inputs.
    """
    parser = _Parser(words, must_have_value)
    parser.parse()
    return parser.options


class _Parser:
    """The state of a parse: the words not read yet, the inputs, the level of optimization."""

    def __init__(self, words: Sequence[str], must_have_value: MustHaveValue) -> None:
        self.options = OptOptions()
        self._must_have_value = must_have_value
        self._words = list(reversed(words))
        self._inputs: list[str] = []
        self._level = ""

    def parse(self) -> None:
        while self._words:
            word = self._words.pop()
            if word == "--":
                self._inputs += reversed(self._words)
                break
            if word == STANDARD or not word.startswith("-"):
                self._inputs.append(word)
            else:
                self._read_option(word)
        if len(self._inputs) > 1 and not self.options.for_program:  # whose words are not all known here
            raise TypemetaError(
                f"opt reads one module, and these are {len(self._inputs)}: {' '.join(self._inputs)}"
            )
        self.options.input = (self._inputs or [STANDARD])[0]
        self._settle_level()

    def _read_option(self, word: str) -> None:
        name, sign, value = word.removeprefix("-").removeprefix("-").partition("=")
        if name in _SWITCHES:
            setattr(self.options, _SWITCHES[name], _truth(name, value))
        elif name in _VALUES:
            self._set(name, value if sign else self._next(name))
        elif name in _LEVELS and not sign:
            self._level = name
        elif name in _PROGRAM or name.startswith(_PROGRAM_PREFIX):
            self.options.for_program.append(word)
        else:
            self._leave_to_llvm(word, name, bool(sign))

    def _leave_to_llvm(self, word: str, name: str, has_value: bool) -> None:
        needs_value = self._must_have_value(name)
        if needs_value is None:
            raise TypemetaError(f"{word}: neither opt nor LLVM has such an option")
        if needs_value and not has_value:
            word = f"{word}={self._next(name)}"
        self.options.for_llvm.append(word)

    def _set(self, name: str, value: str) -> None:
        attribute = _VALUES[name]
        choices = _CHOICES.get(attribute, (value,))
        if value not in choices:
            raise TypemetaError(f"-{name} takes {', '.join(choices[:-1])} or {choices[-1]}, not {value!r}")
        setattr(self.options, attribute, value)

    def _next(self, name: str) -> str:
        if not self._words:
            raise TypemetaError(f"-{name} must have a value, as in -{name}=VALUE")
        return self._words.pop()

    def _settle_level(self) -> None:
        if self._level and self.options.passes:
            raise TypemetaError(
                f"-{self._level} and -passes= exclude each other; write -passes='default<{self._level}>,...'"
            )
        if self._level:
            self.options.passes = f"default<{self._level}>"


def _truth(name: str, value: str) -> Any:
    if value not in _TRUTHS:
        raise TypemetaError(f"-{name} takes true or false, not {value!r}")
    return _TRUTHS[value]
