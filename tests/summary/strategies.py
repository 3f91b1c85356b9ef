"""Strategies that draw module summaries."""

from __future__ import annotations

from typing import Final

from hypothesis import strategies as st

from typemeta.summary import (
    ByArgKind,
    ByArgResolution,
    CfiFunction,
    ConstVCall,
    GlobalValueSummary,
    ModuleSummary,
    ResolutionKind,
    TypeIdSummary,
    TypeTestResolution,
    VFuncId,
    WholeProgramDevirtKind,
    WholeProgramDevirtResolution,
)

# Few GUIDs, so that values refer to each other, and the largest and smallest.
guids: Final = st.integers(0, 5) | st.sampled_from((2**63, 2**64 - 1)) | st.integers(0, 2**64 - 1)
_numbers: Final = st.sampled_from((0, 1, 255, 2**63, 2**64 - 1)) | st.integers(0, 2**64 - 1)
_small: Final = st.sampled_from((0, 1, 2**32 - 1)) | st.integers(0, 2**32 - 1)

# Everything that decides on quotes: indicators, blanks, controls, numbers, words; and what C++ has. Of
# other characters only those that every Unicode table knows.
_letters: Final = (
    "aZ09_.-^,:#'\"\\/?!&*%@`|>{}[]<~=+$()eExonf \t\n\r\0\x01\x1b\x7f\x85\xa0\xad\xe9\u2028\ufeff\U0001f600"
)
_words: Final = st.sampled_from(
    (
        "null",
        "~",
        "true",
        "no",
        "y",
        "1.5",
        "-.inf",
        ".nan",
        "0x1F",
        "0o17",
        "1e5",
        "---",
        "...",
        "<none>",
        "_ZTS1A",
    )
)
names: Final = (
    st.text(_letters, max_size=8) | _words | st.from_regex(r"[-+]?[0-9.]{1,3}(e[0-9])?", fullmatch=True)
)

_vfuncs: Final = st.builds(VFuncId, guids, _numbers)
_const_vcalls: Final = st.builds(ConstVCall, _vfuncs, st.lists(_numbers, max_size=9).map(tuple))


_functions: Final = st.builds(
    GlobalValueSummary,
    linkage=st.integers(0, 10),
    visibility=st.integers(0, 2),
    not_eligible_to_import=st.booleans(),
    live=st.booleans(),
    local=st.booleans(),
    can_auto_hide=st.booleans(),
    import_type=st.integers(0, 1),
    no_rename_on_promotion=st.booleans(),
    refs=st.lists(guids, max_size=12),
    type_tests=st.lists(guids, max_size=12),
    type_test_assume_vcalls=st.lists(_vfuncs, max_size=2),
    type_checked_load_vcalls=st.lists(_vfuncs, max_size=2),
    type_test_assume_const_vcalls=st.lists(_const_vcalls, max_size=2),
    type_checked_load_const_vcalls=st.lists(_const_vcalls, max_size=2),
)
_aliases: Final = st.builds(GlobalValueSummary, linkage=st.integers(0, 10), live=st.booleans(), aliasee=guids)

_by_args: Final = st.dictionaries(
    st.lists(_numbers, max_size=3).map(tuple),
    st.builds(ByArgResolution, kind=st.sampled_from(ByArgKind), info=_numbers, byte=_small, bit=_small),
    max_size=2,
)
_devirtualizations: Final = st.builds(
    WholeProgramDevirtResolution,
    kind=st.sampled_from(WholeProgramDevirtKind),
    single_impl_name=names,
    by_arg=_by_args,
)
_type_tests: Final = st.builds(
    TypeTestResolution,
    kind=st.sampled_from(ResolutionKind),
    size_m1_bit_width=_small,
    align_log2=_numbers,
    size_m1=_numbers,
    bit_mask=st.integers(0, 255),
    inline_bits=_numbers,
)
_type_ids: Final = st.builds(
    TypeIdSummary,
    type_test=_type_tests,
    devirtualization=st.dictionaries(_numbers, _devirtualizations, max_size=2),
)
_cfi_functions: Final = st.sets(st.builds(CfiFunction, names, guids), max_size=3)

summaries: Final = st.builds(
    ModuleSummary,
    global_values=st.dictionaries(guids, st.lists(_functions | _aliases, min_size=1, max_size=2), max_size=4),
    type_ids=st.dictionaries(names, _type_ids, max_size=3),
    with_global_value_dead_stripping=st.booleans(),
    cfi_function_defs=_cfi_functions,
    cfi_function_decls=_cfi_functions,
)
"""Summaries with everything that the YAML form can say."""
