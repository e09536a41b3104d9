"""Names of generalised values are read back by the checker on its own, and tell their members."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sfumato.release.recoding import name_values
from sfumato.verification.order import is_named_by

LABELS = st.text(alphabet="ab|\\{}*~+e1 \n", max_size=4)


@given(st.lists(st.lists(LABELS, min_size=2, max_size=6, unique=True), min_size=1, max_size=4))
def test_names_that_makers_give_are_those_that_checkers_read(groups):
    for members, name in zip(groups, name_values(groups), strict=True):
        assert is_named_by(name, sorted(members))
        assert not is_named_by(name, sorted([*members, "zzz"]))
        assert not is_named_by(name, sorted(members)[1:])


def test_names_that_say_something_else():
    for name in ("{a|b", "a|b", "{b|a}", "{a|b}~0", "{a|b}~", "{a|b}x", r"{\a|b}", "{a|b|}", "{a|c}", ""):
        assert not is_named_by(name, ["a", "b"])
    assert is_named_by("{a|b|c|+2}", list("abcde"))
    assert not is_named_by("{a|b|c|+3}", list("abcde"))
    assert not is_named_by("{a|b|c|d|e}", list("abcde"))
