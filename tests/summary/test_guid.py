from __future__ import annotations

from typemeta.summary import CfiFunction, cfi_function, function_guid, guid


def test_guids_are_those_that_llvm_prints() -> None:
    """Numbers from LLVM's own tests."""
    assert guid("typeid1") == 14276520915468743435
    assert guid("typeid2") == 15427464259790519041
    assert guid("") == int.from_bytes(bytes.fromhex("d41d8cd98f00b204"), "little")


def test_names_that_are_no_utf_8_have_guids_of_their_own() -> None:
    """A byte that is no UTF-8 is hashed as this byte."""
    name = b"caf\xe9".decode(errors="surrogateescape")
    assert guid(name) not in (guid("caf\xe9"), guid("caf"))


def test_the_escape_from_mangling_does_not_count_for_functions() -> None:
    r"""`\1f` is `f`, but only as a function, and only once."""
    assert function_guid("\x01f") == function_guid("f") == guid("f") != guid("\x01f")
    assert function_guid("\x01\x01f") == guid("\x01f")
    assert cfi_function("\x01f") == CfiFunction("\x01f", guid("f"))
