"""Layout algorithms: integers in, integers out."""

from typemeta.layout.bit_sets import BitSet, build_bit_sets
from typemeta.layout.byte_arrays import ByteArrayPlace, pack_byte_array
from typemeta.layout.disjoint import find_disjoint_sets
from typemeta.layout.fragments import order_by_fragments
from typemeta.layout.padding import place_padded

__all__ = [
    "BitSet",
    "ByteArrayPlace",
    "build_bit_sets",
    "find_disjoint_sets",
    "order_by_fragments",
    "pack_byte_array",
    "place_padded",
]
