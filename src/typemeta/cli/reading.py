"""How commands read their inputs: with progress, notes, and LLVM's import under way meanwhile."""

from __future__ import annotations

import argparse
import importlib
import os
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from typemeta.errors import TypemetaError

if TYPE_CHECKING:
    from typemeta.cli.console import Console
    from typemeta.llvm.module import Module
    from typemeta.model import TypeModel
    from typemeta.model.read import Anchors


def read_inputs(arguments: argparse.Namespace, console: Console) -> Module:
    """Reads and links the inputs."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # numpy's linear algebra is not used
    numpy = threading.Thread(target=importlib.import_module, args=("numpy",))
    numpy.start()  # its import takes as long as parsing a few megabytes, and LLVM lets it run meanwhile
    from typemeta.llvm.library import load
    from typemeta.llvm.reading import read_module

    if "" in arguments.inputs:
        raise TypemetaError("the name of an input is empty; an unset variable of a script?")
    load(arguments.llvm).on_fatal_error(console.journal.fail)
    with console.step("parse", f"reading {name_inputs(arguments.inputs)}"):
        module = read_module(arguments.inputs, note=console.note, progress=console.stage)
    numpy.join()
    console.kept.append(module)
    return module


def name_inputs(inputs: Sequence[str]) -> str:
    """Names the inputs in a message: `a.bc`, or `a.bc and 3 more`."""
    return inputs[0] if len(inputs) == 1 else f"{inputs[0]} and {len(inputs) - 1} more"


def read_model(module: Module, console: Console) -> tuple[TypeModel, Anchors]:
    """Reads the type metadata of a module."""
    with console.step("model", f"reading the type metadata of {module.name}"):
        from typemeta.model.read import read_type_model

        return read_type_model(module)
