"""The shape of `show --json`."""

from __future__ import annotations

import json

from tests.ir import X86_64, parse
from tests.models import Site, build_model, function, variable
from typemeta.model import SiteKind, TypeModel, VCallVisibility
from typemeta.model.document import describe_model

MODEL = build_model(
    [
        function("f", declaration=True, linkage="extern_weak"),
        variable("b", 24, linkage="linkonce_odr", vcall_visibility=VCallVisibility.TRANSLATION_UNIT),
        variable("a", 16, vcall_visibility=VCallVisibility.LINKAGE_UNIT),
    ],
    [("F", "f", 0), ("T", "b", 16), ("!0", "b", 8), ("T", "b", 8), ("T", "b", 16), ("T", "a", 100)],
    [
        *("T", "T", "!0"),
        Site("T", SiteKind.PUBLIC_TYPE_TEST),
        Site("T", SiteKind.CHECKED_LOAD),
        Site("T", SiteKind.CHECKED_LOAD_RELATIVE),
    ],
    flags={"CFI Canonical Jump Tables": 1, "odd": None},
)


def test_the_whole_document() -> None:
    """Exactly the keys of the contract; members by global, then offset, each once; globals in model order."""
    assert describe_model(MODEL, inputs=["a.bc", "-"], llvm="23.1.4") == {
        "schema": "typemeta.show/1",
        "inputs": ["a.bc", "-"],
        "triple": "x86_64-unknown-linux-gnu",
        "llvm": "23.1.4",
        "flags": {"CFI Canonical Jump Tables": 1, "odd": None},
        "types": [
            {
                "id": "F",
                "distinct": False,
                "members": [{"global": "f", "offset": 0}],
                "type_tests": 0,
                "checked_loads": 0,
                "public_type_tests": 0,
            },
            {
                "id": "T",
                "distinct": False,
                "members": [
                    {"global": "a", "offset": 100},
                    {"global": "b", "offset": 8},
                    {"global": "b", "offset": 16},
                ],
                "type_tests": 2,
                "checked_loads": 2,
                "public_type_tests": 1,
            },
            {
                "id": "!0",
                "distinct": True,
                "members": [{"global": "b", "offset": 8}],
                "type_tests": 1,
                "checked_loads": 0,
                "public_type_tests": 0,
            },
        ],
        "globals": [
            {
                "name": "f",
                "kind": "function",
                "declaration": True,
                "size": 0,
                "linkage": "extern_weak",
                "vcall_visibility": "public",
                "types": [{"id": "F", "offset": 0}],
            },
            {
                "name": "b",
                "kind": "variable",
                "declaration": False,
                "size": 24,
                "linkage": "linkonce_odr",
                "vcall_visibility": "translation-unit",
                "types": [
                    {"id": "T", "offset": 16},
                    {"id": "!0", "offset": 8},
                    {"id": "T", "offset": 8},
                    {"id": "T", "offset": 16},
                ],
            },
            {
                "name": "a",
                "kind": "variable",
                "declaration": False,
                "size": 16,
                "linkage": "external",
                "vcall_visibility": "linkage-unit",
                "types": [{"id": "T", "offset": 100}],
            },
        ],
    }


def test_the_document_is_json() -> None:
    """A model that was read from a module gives plain data that JSON can hold and give back."""
    module = parse(
        X86_64 + "@a = constant [2 x i64] zeroinitializer, !type !0, !vcall_visibility !1\n"
        '!0 = !{i64 8, !"T"}\n!1 = !{i64 2}\n'
    )
    document = describe_model(TypeModel.read(module), inputs=["a.ll"], llvm="1.2.3")
    assert json.loads(json.dumps(document)) == document


def test_an_empty_model() -> None:
    """A module without type metadata has empty lists."""
    document = describe_model(build_model([], triple=""), inputs=[], llvm="")
    assert (document["types"], document["globals"], document["triple"]) == ([], [], "")
