"""Numbers the functions of WebAssembly's table of indirect functions.

    define void @f() !type !0 !wasm.index !1      ; !1 = !{i64 1}

A function pointer is an index into that table. The backend gives these functions the indices that the
plan chose, so a test is the same arithmetic on small numbers, and no jump table is needed.
"""

from __future__ import annotations

from typemeta.llvm.edit import Editor
from typemeta.lower.plan import FunctionIndices
from typemeta.model.read import Anchors


def set_function_indices(editor: Editor, anchors: Anchors, indices: FunctionIndices) -> None:
    """Attaches `!wasm.index` to the members."""
    for index, member in enumerate(indices.members, indices.first):
        editor.set_integer_metadata(anchors.globals[member], "wasm.index", index)
