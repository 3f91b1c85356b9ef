"""Shows outcomes as a table for the terminal or as the rows of docs/parity.md."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from tests.parity.running import Outcome, Verdict
from typemeta.cli.output import render_table

_SHOWN: Final = 140
_ROW: Final = re.compile(r"^\| `([^`]+)` \| not met[^|]*\| (.*) \|$", re.MULTILINE)


def render_outcomes(outcomes: Sequence[Outcome]) -> list[str]:
    """Returns a table, a line for each test, and how many were met."""
    rows = [(_word(outcome), outcome.name, outcome.why[:_SHOWN]) for outcome in outcomes]
    return [*render_table(("", "test", "why"), rows), "", count(outcomes)]


def render_markdown(outcomes: Iterable[Outcome], reasons: Mapping[str, str]) -> list[str]:
    """Returns the rows of a Markdown table.

    Args:
        outcomes: what to show.
        reasons: by name of a test, why it is not met, in words; where there are none, FileCheck's are shown.
    """
    rows = ["| test | status | why |", "|---|---|---|"]
    for outcome in outcomes:
        met = outcome.verdict is Verdict.MET
        why = "" if met else reasons.get(outcome.name) or _code(outcome.why)
        rows.append(f"| `{outcome.name}` | {_word(outcome)} | {why} |".replace("|  |", "| |"))
    return rows


def read_reasons(document: str) -> dict[str, str]:
    """Returns the reasons that a page of such rows gives; what was only quoted from FileCheck is left out."""
    found = {name: reason.strip() for name, reason in _ROW.findall(document)}
    return {name: reason for name, reason in found.items() if not reason.startswith("`line ")}


def count(outcomes: Sequence[Outcome]) -> str:
    """Returns the sums in one line."""
    met = sum(outcome.verdict is Verdict.MET for outcome in outcomes)
    too = sum(outcome.opt_too for outcome in outcomes)
    other = sum(outcome.verdict is Verdict.UNSUPPORTED for outcome in outcomes)
    text = f"{met} of {len(outcomes)} tests met"
    if too:
        text += f"; {too} that LLVM's own opt does not meet either"
    return text + (f"; {other} unsupported" if other else "")


def _word(outcome: Outcome) -> str:
    return f"{outcome.verdict}, nor by opt" if outcome.opt_too else str(outcome.verdict)


def _code(text: str) -> str:
    """Returns a text as Markdown code in the cell of a table."""
    shown = text[:_SHOWN].replace("|", r"\|").replace("`", "'")
    return f"`{shown}`"
