"""Rewrites what else LLVM no longer reads in IR text that is old enough to have typed pointers.

    declare void @g() !type !3                       declare !type !3 void @g()
    @a = alias weak i32, i32* @b                     @a = weak alias i32, i32* @b
    landingpad T personality P @f cleanup            landingpad T cleanup; define ... personality P @f {
    !0 = metadata !{i32 1, metadata !"x"}            !0 = !{i32 1, !"x"}
    call void @f(metadata !{i32 %x})                 call void @f(metadata i32 %x)
    ret void, !dbg !1  ; with !1 = !{i32 5, ...}     ret void
    getelementptr ({ T }* @v, i32 0, inrange i32 0)  getelementptr ({ T }* @v, i32 0, i32 0)
    uselistorder i32 0, { 1, 0 }                     (nothing)
    @llvm.global_ctors = [1 x { i32, F }] ...        [1 x { i32, F, ptr }] ...
    %x = cmpxchg i32* %p, i32 0, i32 1 release       %"x.pair" = cmpxchg ... release monotonic
                                                     %x = extractvalue { i32, i1 } %"x.pair", 0
    volatile load, comdat $c, fence singlethread     load volatile, comdat($c), syncscope("singlethread")
    internal hidden, addrspace(1) unnamed_addr       internal, unnamed_addr addrspace(1)
    linker_private, address_safety                   private, sanitize_address

Types are left to `typed_pointers`, which calls this on its way through the tokens. Three of these lose
something, as LLVM's own upgrade of old bitcode does: `inrange`, whose new form counts bytes; use-list
orders, which count uses that typed pointers kept apart; and locations in debug info of LLVM <= 3.5.

Source: release notes and `LLParser.cpp` of LLVM 2.9 to 23, and `AutoUpgrade.cpp`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from typemeta.llvm.old_text.ir_tokens import IRReader, IRText, TypeKind, TypeNode

_NEW_WORDS: Final = {
    "singlethread": 'syncscope("singlethread")',
    "linker_private": "private",
    "linker_private_weak": "private",
    "linkonce_odr_auto_hide": "linkonce_odr",
    "address_safety": "sanitize_address",
}
_FAILURE_ORDERINGS: Final = {
    "monotonic": "monotonic",
    "acquire": "acquire",
    "release": "monotonic",
    "acq_rel": "acquire",
    "seq_cst": "seq_cst",
}
_LOCAL_LINKAGES: Final = ("internal", "private", "linker_private", "linker_private_weak")
_LINKAGE: Final = re.compile(
    "private|internal|weak|weak_odr|linkonce|linkonce_odr|external|default|hidden|protected"
    "|linker_private|linker_private_weak"
)


class OldSpellings:
    """Methods get the position of the word they are named for, and return where to go on.

    Attributes:
        actions: which method to call for which word.
    """

    def __init__(self, text: IRText, reader: IRReader) -> None:
        self._text = text
        self._tokens = text.tokens
        self._reader = reader
        self._define = 0
        self._personalities: dict[int, int] = {}
        self._moves: list[tuple[int, int, int | None]] = []
        self._braces: list[bool] = []
        self._tuples: set[str] | None = None
        self.actions: Final[dict[str, Callable[[int], int]]] = {
            "volatile": self._volatile,
            "cmpxchg": self._cmpxchg,
            "landingpad": self._landingpad,
            "metadata": self._metadata,
            "!dbg": self._dbg,
            "inrange": self._inrange,
            "uselistorder": self._uselistorder,
            "deplibs": self._deplibs,
            "uselistorder_bb": self._uselistorder_bb,
            "comdat": self._comdat,
            "hidden": self._visibility,
            "protected": self._visibility,
            "unnamed_addr": self._unnamed_addr,
            "}": self._close_brace,
            "@llvm.global_ctors": self._global_ctors,
            "@llvm.global_dtors": self._global_ctors,
            **dict.fromkeys(_NEW_WORDS, self._new_word),
        }

    def open_brace(self, index: int) -> None:
        """Notes a brace that opens no type."""
        self._braces.append(self._tokens[index - 1] == "!")

    def enter_function(self, index: int) -> None:
        """Notes the `define` whose body comes next."""
        self._define = index

    def move_attachments(self, index: int, parameters: int) -> None:
        """Moves the attachments behind a `declare`.

        Args:
            index: position of `declare`.
            parameters: position of the parenthesis that opens the parameters.
        """
        tokens = self._tokens
        start = at = self._reader.skip_attributes(self._text.find_closing(parameters) + 1)
        while tokens[at][:1] == "!" and tokens[at + 1][:1] == "!":
            at = self._reader.skip_metadata(at + 1)
        if at > start:
            self._moves.append((start, at, index + 1))

    def move_linkage(self, index: int) -> int:
        """Moves what stands between `alias` and its type to the front, and returns where the type stands."""
        stop = index + 1
        while _LINKAGE.fullmatch(self._tokens[stop]):
            stop += 1
        if stop > index + 1:
            words = (_NEW_WORDS.get(word, word) for word in self._tokens[index + 1 : stop])
            self._text.insert_before(self._reader.find_equals(index) + 1, " ".join(words) + " ")
            self._text.remove(index + 1, stop)
        return stop

    def finish(self) -> None:
        """Makes the moves, once everything in what is moved has been rewritten."""
        for start, stop, target in self._moves:
            if target is not None:
                self._text.insert_before(target, self._text.replaced(start, stop).lstrip() + " ")
            self._text.remove(start, stop)

    def _new_word(self, index: int) -> int:
        self._text.replace(index, index + 1, _NEW_WORDS[self._tokens[index]])
        return index + 1

    def _volatile(self, index: int) -> int:
        following = self._tokens[index + 1]
        if following in ("load", "store"):
            self._text.replace(index, index + 1, following)
            self._text.replace(index + 1, index + 2, "volatile")
        return index + 1

    def _cmpxchg(self, index: int) -> int:
        """Adds the second ordering, and takes the old value out of the pair that is the result now."""
        tokens = self._tokens
        at = index + 1
        while tokens[at] in ("weak", "volatile"):
            at += 1
        for comma in (",", ",", "singlethread"):
            node = self._reader.need_type(at)
            at = self._reader.skip_value(node.stop)
            at += tokens[at] == comma
        failure = _FAILURE_ORDERINGS.get(tokens[at])
        if failure is None or tokens[at + 1] in _FAILURE_ORDERINGS:
            return index + 1
        self._text.insert_after(at, f" {failure}")
        if tokens[index - 1] == "=":
            name, old = tokens[index - 2], self._text.original(node.start, node.stop).strip()
            pair = '%"{}.pair"'.format(name.strip('%"'))
            self._text.replace(index - 2, index - 1, pair)
            self._text.insert_after(at, f" {name} = extractvalue {{ {old}, i1 }} {pair}, 0")
        return index + 1

    def _comdat(self, index: int) -> int:
        name, behind = self._tokens[index + 1 : index + 3]
        if name[:1] == "$" and behind != "=":
            self._text.replace(index, index + 2, f"comdat({name})")
        return index + 1

    def _visibility(self, index: int) -> int:
        if self._tokens[index - 1] in _LOCAL_LINKAGES:
            self._text.remove(index, index + 1)
        return index + 1

    def _unnamed_addr(self, index: int) -> int:
        """Moves the word before an address space, `addrspace(n)`."""
        start = index - 4
        if self._tokens[start] == "addrspace" and self._tokens[index + 1] in ("global", "constant"):
            self._text.insert_before(start, "unnamed_addr ")
            self._text.remove(index, index + 1)
        return index + 1

    def _deplibs(self, index: int) -> int:
        if self._tokens[index + 1] != "=" or self._tokens[index + 2] != "[":
            return index + 1
        stop = self._text.find_closing(index + 2) + 1
        self._text.remove(index, stop)
        return stop

    def _inrange(self, index: int) -> int:
        if self._tokens[index + 1] != "(":
            self._text.remove(index, index + 1)
        return index + 1

    def _uselistorder(self, index: int) -> int:
        node = self._reader.need_type(index + 1)
        comma = self._reader.skip_value(node.stop)
        if self._tokens[comma] != "," or self._tokens[comma + 1] != "{":
            raise self._text.error(comma, "expected the indexes of a use-list order")
        stop = self._text.find_closing(comma + 1) + 1
        self._text.remove(index, stop)
        return stop

    def _uselistorder_bb(self, index: int) -> int:
        if self._tokens[index + 2] != "," or self._tokens[index + 5] != "{":
            return index + 1
        stop = self._text.find_closing(index + 5) + 1
        self._text.remove(index, stop)
        return stop

    def _landingpad(self, index: int) -> int:
        node = self._reader.need_type(index + 1)
        start = node.stop
        if self._tokens[start] != "personality":
            return index + 1
        stop = self._reader.skip_value(self._reader.need_type(start + 1).stop)
        earlier = self._personalities.setdefault(self._define, start)
        if self._tokens[earlier : earlier + stop - start] != self._tokens[start:stop]:
            raise self._text.error(start, "landing pads of one function have different personalities")
        self._moves.append((start, stop, self._find_body() if earlier == start else None))
        return index + 1

    def _find_body(self) -> int:
        """Returns where a personality of the current function belongs: before its attachments or its body."""
        reader = self._reader
        name = reader.need_type(reader.skip_attributes(self._define + 1)).stop
        at = reader.skip_attributes(self._text.find_closing(name + 1) + 1)
        while self._tokens[at] in ("prefix", "prologue"):
            at = reader.skip_attributes(reader.skip_value(reader.need_type(at + 1).stop))
        return at

    def _close_brace(self, index: int) -> int:
        if self._braces:
            self._braces.pop()
        return index + 1

    def _metadata(self, index: int) -> int:
        """Drops the keyword in nodes and definitions, and the node around a local value elsewhere."""
        tokens = self._tokens
        if tokens[index + 1][:1] != "!":
            return index + 1
        if tokens[index - 1] == "=" or (self._braces and self._braces[-1]):
            self._text.remove(index, index + 1)
        elif tokens[index + 2] == "{":
            node = self._reader.read_type(index + 3)
            if node and tokens[node.stop][:1] == "%" and tokens[node.stop + 1] == "}":
                blank = "" if self._text.blank_before(index + 3) else " "
                self._text.replace(index, index + 3, f"metadata{blank}")
                self._text.remove(node.stop + 1, node.stop + 2)
                self._braces.append(False)
                return index + 3
        return index + 1

    def _dbg(self, index: int) -> int:
        if self._tokens[index - 1] != "," or self._tokens[index + 1] not in self._find_tuples():
            return index + 1
        self._text.remove(index - 1, index + 2)
        return index + 2

    def _find_tuples(self) -> set[str]:
        """Returns the nodes that are defined as `!{...}`."""
        if self._tuples is None:
            tokens = self._tokens
            self._tuples = {
                tokens[i - 1]
                for i, token in enumerate(tokens)
                if token == "=" and tokens[i + 1 if tokens[i + 1] != "metadata" else i + 2] == "!"
            }
        return self._tuples

    def _global_ctors(self, index: int) -> int:
        """Adds the third field, to which global a constructor belongs: to none."""
        tokens = self._tokens
        node = self._reader.read_type(self._reader.skip_attributes(index + 2))
        if tokens[index + 1] != "=" or node is None or node.kind is not TypeKind.ARRAY:
            return index + 1
        if len(self._reader.resolve(node.parts[0]).parts) != 2:
            return index + 1
        self._add_field(node.parts[0])
        at = node.stop
        while tokens[at] in ("[", ",") and (element := self._reader.read_type(at + 1)) is not None:
            self._add_field(element)
            at = self._reader.skip_value(element.stop)
            if tokens[at - 1] == "}":
                self._text.insert_after(at - 2, ", ptr null")
        return index + 1

    def _add_field(self, node: TypeNode) -> None:
        if node.kind is TypeKind.STRUCT:
            self._text.insert_after(node.stop - 2, ", ptr")
        else:
            self._text.replace(node.start, node.stop, "{ i32, ptr, ptr }")
