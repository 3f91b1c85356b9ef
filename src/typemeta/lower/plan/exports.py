"""What other modules of a ThinLTO link need from the module that is lowered."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from typemeta.model import GlobalIndex, TypeIndex, TypeModel


@dataclass(frozen=True, slots=True)
class Exports:
    """Functions and type identifiers that other modules of the link refer to.

    Attributes:
        functions: functions that need a jump-table entry, and whether one of the other modules defines
            them: then the entry takes over the function's name.
        types: type identifiers that other modules test, in LLVM's order.
    """

    functions: Mapping[GlobalIndex, bool] = field(default_factory=dict)
    types: tuple[TypeIndex, ...] = ()

    def is_canonical(self, model: TypeModel, function: GlobalIndex) -> bool:
        """Tells whether a function's jump-table entry takes over its name."""
        return model.globals[function].canonical or self.functions.get(function, False)


NO_EXPORTS: Final = Exports()
