"""Files of groups: what is written is read back as it is, whatever labels the data have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.exceptions import ParameterError
from sfumato.readers.constraints import depends_on_labels, format_groups, read_groups

_ENTRY = st.text(alphabet="ab ;,\"\t'é", min_size=1, max_size=5).filter(lambda text: text == text.strip())
_GROUPS = st.lists(st.lists(_ENTRY, min_size=1, max_size=3), min_size=1, max_size=4)


@given(_GROUPS, st.lists(_ENTRY, max_size=3))
def test_groups_are_read_back_as_they_were_written(tmp_path_factory, groups, labels):
    file = tmp_path_factory.mktemp("groups") / "groups.txt"
    file.write_text(format_groups(groups), newline="")
    assert [list(items) for _, items in read_groups(str(file), labels)] == groups
    assert not depends_on_labels(str(file))


def test_labels_with_blanks_at_their_ends_are_kept_where_the_data_have_them(tmp_path):
    file = tmp_path / "groups.txt"
    file.write_text(format_groups([[" tea", "rye"], ["wine "]]))
    assert read_groups(str(file), [" tea", "wine "]) == [(1, (" tea", "rye")), (2, ("wine ",))]


def test_words_between_blanks_are_several_entries_unless_the_data_say_otherwise(tmp_path):
    file = tmp_path / "groups.txt"
    file.write_text("rye bread\nred wine\n")
    assert depends_on_labels(str(file))
    assert read_groups(str(file), ["rye bread"]) == [(1, ("rye bread",)), (2, ("red", "wine"))]


@pytest.mark.parametrize("entry", ["two\nlines", "two\rlines"])
def test_an_entry_of_several_lines_is_refused(entry):
    with pytest.raises(ParameterError, match="one line"):
        format_groups([[entry]])
