"""What a summary says of the whole link: what is live, what has its address taken, what is tested."""

from __future__ import annotations

from collections.abc import Iterator

from typemeta.summary.records import GlobalValueSummary, ModuleSummary


def is_live(summary: ModuleSummary, value: GlobalValueSummary) -> bool:
    """Tells whether a global value is live; before dead stripping everything is."""
    return value.live or not summary.with_global_value_dead_stripping


def is_guid_live(summary: ModuleSummary, guid: int) -> bool:
    """Tells whether any module's copy of a global value is live; one without summary counts as live."""
    copies = summary.global_values.get(guid)
    return not copies or any(is_live(summary, copy) for copy in copies)


def has_exported_definition(summary: ModuleSummary, guid: int) -> bool:
    """Tells whether a copy of a global value is marked live and not local.

    Under Cross-DSO CFI such a definition has a jump-table entry even if no address is taken. Unlike
    `is_guid_live` this wants the mark even before dead stripping, as LLVM does.
    """
    copies = summary.global_values.get(guid, [])
    return any(copy.live and not copy.has_local_linkage for copy in copies)


def address_taken_guids(summary: ModuleSummary) -> frozenset[int]:
    """Returns the GUIDs that values marked live refer to, and those that aliases among them stand for."""
    taken = set()
    for copies in summary.global_values.values():
        for ref in (ref for copy in copies if copy.live for ref in copy.refs):
            taken.add(ref)
            taken.update(aliasees(summary, ref))
    return frozenset(taken)


def is_address_taken(summary: ModuleSummary, guid: int, taken: frozenset[int]) -> bool:
    """Tells whether the address of a value, or of what it is an alias of, is taken.

    Args:
        summary: of the link.
        guid: of the value.
        taken: `address_taken_guids(summary)`, which is worth computing once.
    """
    return guid in taken or any(aliasee in taken for aliasee in aliasees(summary, guid))


def aliasees(summary: ModuleSummary, guid: int) -> Iterator[int]:
    """Yields the GUID that each copy of a value, if an alias, stands for; unknown ones left out."""
    for copy in summary.global_values.get(guid, []):
        if copy.aliasee is not None and summary.global_values.get(copy.aliasee):
            yield copy.aliasee


def base_object(summary: ModuleSummary, value: GlobalValueSummary) -> GlobalValueSummary | None:
    """Returns the function that a value is or, if an alias, stands for; None if it stands for nothing known.

    An alias stands for the first copy of its aliasee; if that again is an alias, for nothing.
    """
    if value.aliasee is None:
        return value
    copies = summary.global_values.get(value.aliasee)
    return copies[0] if copies and copies[0].aliasee is None else None


def live_type_tests(summary: ModuleSummary) -> list[int]:
    """Returns the GUIDs of the type identifiers that live functions test, each once.

    In the order in which LLVM's LowerTypeTests meets them when it exports: by GUID of the function, then
    by copy, then as the function's summary has them.
    """
    found: dict[int, None] = {}
    for _, copies in sorted(summary.global_values.items(), key=lambda item: item[0]):
        for copy in copies:
            base = base_object(summary, copy) if is_live(summary, copy) else None
            if base is not None:
                found.update(dict.fromkeys(base.type_tests))
    return list(found)
