"""Lowering by a command: bitcode in, bitcode out."""

from __future__ import annotations

import shlex
import subprocess
from collections.abc import Callable

from typemeta.errors import TypemetaError
from typemeta.llvm.module import Module


class CommandError(TypemetaError):
    """The command that should lower cannot be run, or fails."""


def command_lowering(command: str) -> Callable[[Module], Module]:
    """Returns a function that lowers with a command, as `verify_module` takes it.

    The function raises CommandError if the command fails, InputError if it writes no module.
    """

    def lower(module: Module) -> Module:
        try:
            words = shlex.split(command)
            done = subprocess.run(words, input=module.bitcode(), capture_output=True, check=False)
        except (OSError, ValueError, IndexError) as error:
            raise CommandError(f"cannot run {command!r}: {error}") from error
        if done.returncode:
            text = done.stderr.decode(errors="replace").strip()
            raise CommandError(f"{command!r} ended with status {done.returncode}: {text}")
        return Module.parse(done.stdout, command)

    return lower
