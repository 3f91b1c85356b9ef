"""Target machines: assembly and object files, and what a module without a target gets."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from typemeta.errors import LLVMError
from typemeta.llvm._cdef import ffi
from typemeta.llvm.init_arrays import use_init_arrays
from typemeta.llvm.library import Library
from typemeta.llvm.module import Module

_TARGETS: Final = (
    *("AArch64", "AMDGPU", "ARM", "AVR", "BPF", "Hexagon", "Lanai", "LoongArch", "MSP430", "Mips", "NVPTX"),
    *("PowerPC", "RISCV", "Sparc", "SystemZ", "VE", "WebAssembly", "X86", "XCore"),
)
_PARTS: Final = ("TargetInfo", "Target", "TargetMC", "AsmParser", "AsmPrinter")
_DEFAULT_CODE_GENERATION: Final = 2  # LLVMCodeGenLevelDefault
_PIC: Final = 2  # LLVMRelocPIC
_DEFAULT_CODE_MODEL: Final = 0
ASSEMBLY, OBJECT = 0, 1  # LLVMCodeGenFileType

TYPE_INTRINSICS: Final = (
    "llvm.type.test",
    "llvm.public.type.test",
    "llvm.type.checked.load",
    "llvm.type.checked.load.relative",
)

_initialized: set[int] = set()


def host_triple(library: Library) -> str:
    """Returns the triple of the machine this LLVM was built for."""
    return library.take_message(library.c.LLVMGetDefaultTargetTriple())


def adopt_host_target(module: Module) -> bool:
    """Gives a module that names no target the host's triple and data layout; True if it did.

    A text without a triple is meant for any machine, and code generation and jump tables need one.
    """
    if module.triple:
        return False
    triple = host_triple(module.library)
    module.set_target(triple, target_data_layout(module.library, triple, module.name))
    return True


def live_type_intrinsics(module: Module) -> dict[str, int]:
    """Returns the type intrinsics that are still called, and how often."""
    c = module.c
    found: dict[str, int] = {}
    for name in TYPE_INTRINSICS:
        function = c.LLVMGetNamedFunction(module.ref, name.encode())
        use = c.LLVMGetFirstUse(function) if function else 0
        while use:
            found[name] = found.get(name, 0) + 1
            use = c.LLVMGetNextUse(use)
    return found


def generate_code(module: Module, file_type: int) -> bytes:
    """Returns the module as assembly (ASSEMBLY) or as an object file (OBJECT), position independent.

    Code generation changes what it works on, so it gets a copy.

    Raises:
        LLVMError: a type intrinsic is left, which code generation would silently turn into *true*; or
            LLVM has no such target, or cannot generate the code.
    """
    left = live_type_intrinsics(module)
    if left:
        listed = ", ".join(f"{count} x {name}" for name, count in left.items())
        raise LLVMError(
            f"{module.name}: {listed} would silently become true in machine code; "
            "lower them first, or write .ll or .bc"
        )
    c, library = module.c, module.library
    copy = module.clone()
    use_init_arrays(copy)
    message = ffi.new("char **")
    buffer = ffi.new("LLVMMemoryBufferRef *")
    module.context.take_diagnostics()
    triple = module.triple or host_triple(library)
    with copy, _target_machine(library, triple, module.name) as machine:
        if c.LLVMTargetMachineEmitToMemoryBuffer(machine, copy.ref, file_type, message, buffer):
            raise LLVMError(f"{module.name}: cannot generate code: {library.take_message(message[0])}")
        code = library.take_buffer(buffer[0])
    # LLVM goes on after an error in inline assembly, and leaves the instruction out.
    errors = [d.text for d in module.context.take_diagnostics() if d.severity == "error"]
    if errors:
        listed = "; ".join(text.split("\n", 1)[0] for text in errors)
        raise LLVMError(f"{module.name}: cannot generate code: {listed}")
    return code


@contextmanager
def pass_machine(module: Module, *, cpu: str = "", features: str = "") -> Iterator[int]:
    """Yields the target machine that passes ask what code costs; 0 if this LLVM has none for the module.

    Args:
        module: its triple decides.
        cpu: the processor to assume where a function names none.
        features: the same for features, such as `+avx,-sse4a`.
    """
    if not module.triple or not has_target(module.library, module.triple):
        yield 0
        return
    with _target_machine(module.library, module.triple, module.name, cpu, features) as machine:
        yield machine


def has_target(library: Library, triple: str) -> bool:
    """Tells whether this LLVM can generate code for a triple."""
    initialize_targets(library)
    message = ffi.new("char **")
    failed = library.c.LLVMGetTargetFromTriple(triple.encode(), ffi.new("LLVMTargetRef *"), message)
    library.take_message(message[0])
    return not failed


def target_data_layout(library: Library, triple: str, name: str) -> str:
    """Returns the data layout of a target; `name` is the module it is for.

    Raises:
        LLVMError: this LLVM has no such target.
    """
    with _target_machine(library, triple, name) as machine:
        layout = library.c.LLVMCreateTargetDataLayout(machine)
        text = library.take_message(library.c.LLVMCopyStringRepOfTargetData(layout))
        library.c.LLVMDisposeTargetData(layout)
    return text


def normalize_triple(library: Library, triple: str) -> str:
    """Returns a triple with all its parts in their places: `x86_64-linux` is `x86_64-unknown-linux`."""
    return library.take_message(library.c.LLVMNormalizeTargetTriple(triple.encode()))


@contextmanager
def _target_machine(
    library: Library, triple: str, name: str, cpu: str = "", features: str = ""
) -> Iterator[int]:
    c = library.c
    initialize_targets(library)
    target = ffi.new("LLVMTargetRef *")
    message = ffi.new("char **")
    if c.LLVMGetTargetFromTriple(triple.encode(), target, message):
        text = library.take_message(message[0]).strip()
        raise LLVMError(
            f"{name}: LLVM {library.version_text} ({library.found.path}) cannot target '{triple}': "
            f"{text}; name an LLVM that can with --llvm or TYPEMETA_LIBLLVM"
        )
    machine = c.LLVMCreateTargetMachine(
        target[0],
        triple.encode(),
        cpu.encode(),
        features.encode(),
        _DEFAULT_CODE_GENERATION,
        _PIC,
        _DEFAULT_CODE_MODEL,
    )
    try:
        yield machine
    finally:
        c.LLVMDisposeTargetMachine(machine)


def initialize_targets(library: Library) -> None:
    """Registers every target that this LLVM was built with, once."""
    if id(library) in _initialized:
        return
    for target in _TARGETS:
        for part in _PARTS:
            function = f"LLVMInitialize{target}{part}"
            if library.has(function):
                getattr(library.c, function)()
    _initialized.add(id(library))
