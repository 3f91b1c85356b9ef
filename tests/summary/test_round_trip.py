"""What is written is read back, whatever a summary says."""

from __future__ import annotations

from copy import deepcopy

from hypothesis import given

from tests.property.strategies import law
from tests.summary.strategies import summaries
from typemeta.summary import ModuleSummary
from typemeta.summary.read import read_summary
from typemeta.summary.write import write_summary


def written_part(summary: ModuleSummary) -> ModuleSummary:
    """Returns a summary as it is read back: without aliases of unknown values, and values without copies."""
    known = {guid for guid, copies in summary.global_values.items() if copies}
    values = {
        guid: [copy for copy in copies if copy.aliasee is None or copy.aliasee in known]
        for guid, copies in summary.global_values.items()
    }
    result = deepcopy(summary)
    result.global_values = {guid: copies for guid, copies in values.items() if copies}
    return result


@law(80)
@given(summaries)
def test_a_written_summary_is_read_back(summary: ModuleSummary) -> None:
    """Reading gives the summary that was written."""
    assert read_summary(write_summary(summary), "law.yaml") == written_part(summary)


@law(40)
@given(summaries)
def test_bytes_are_read_like_text(summary: ModuleSummary) -> None:
    """A file's bytes are UTF-8."""
    text = write_summary(summary)
    assert read_summary(text.encode(), "law.yaml") == read_summary(text, "law.yaml")


@law(40)
@given(summaries)
def test_writing_leaves_the_summary_alone(summary: ModuleSummary) -> None:
    """The order in which things are written is not put into the summary."""
    before = deepcopy(summary)
    write_summary(summary)
    assert summary == before
    assert list(summary.global_values) == list(before.global_values)
