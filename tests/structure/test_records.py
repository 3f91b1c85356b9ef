"""Pure data stays as it is: models, plans and layouts are frozen."""

from __future__ import annotations

import dataclasses
import importlib

import pytest

MODULES = (
    *("typemeta.layout.bit_sets", "typemeta.layout.byte_arrays", "typemeta.query.addresses"),
    *("typemeta.model.records", "typemeta.model.table", "typemeta.lower.plan.records"),
    *("typemeta.lower.plan.members", "typemeta.lower.apply", "typemeta.execute.entry"),
)


@pytest.mark.parametrize("name", MODULES)
def test_records_are_frozen(name: str) -> None:
    """No field of a record can be set after it was made."""
    module = importlib.import_module(name)
    records = [value for value in vars(module).values() if dataclasses.is_dataclass(value)]
    assert records
    for record in records:
        instance = object.__new__(record) if isinstance(record, type) else record
        for field in dataclasses.fields(record):
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(instance, field.name, None)
