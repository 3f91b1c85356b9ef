"""The target of IR text, changed before LLVM parses it.

A module's data layout decides while the text is parsed: what alignment a load has that names none, how
constants fold. So it does not do to change it in the parsed module.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

_TARGET: Final = re.compile(rb'^target (triple|datalayout) = "([^"]*)"', re.MULTILINE)

Layout = Callable[[str], str]
"""Returns the data layout of a target triple; empty if it is not known."""


def retarget_text(text: bytes, triple: str, data_layout: str, infer: Layout) -> bytes:
    """Returns IR text for a target; the numbers of its lines stay.

    Args:
        text: the module.
        triple: the triple to have; empty to keep the text's.
        data_layout: the layout to have; empty to keep the text's, or to infer it if it has none.
        infer: asked for the layout.
    """
    said = {kind.decode(): value.decode(errors="replace") for kind, value in _TARGET.findall(text)}
    wanted = choose_target(said.get("triple", ""), said.get("datalayout", ""), triple, data_layout, infer)
    if wanted == (said.get("triple", ""), said.get("datalayout", "")):
        return text
    lines = "".join(
        f'target {kind} = "{value}" '
        for kind, value in zip(("triple", "datalayout"), wanted, strict=True)
        if value
    )
    return lines.encode() + _TARGET.sub(b"", text)


def choose_target(
    said_triple: str, said_layout: str, triple: str, data_layout: str, infer: Layout
) -> tuple[str, str]:
    """Returns the triple and the data layout of a module: what was asked for, what it says, what fits."""
    chosen = triple or said_triple
    layout = data_layout or said_layout
    return chosen, layout or (infer(chosen) if chosen else "")
