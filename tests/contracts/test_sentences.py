"""No sentence of help and no message changes unseen."""

from __future__ import annotations

from tests.contracts.comparison import ADVICE, show_difference
from tests.contracts.messages import find_sentences, is_sentence, list_messages
from tests.contracts.statements import list_help, read_sentences


def test_help_is_that_of_the_snapshot():
    difference = show_difference("help.txt", read_sentences("help.txt"), list_help())
    assert not difference, difference


def test_messages_are_those_of_the_snapshot():
    difference = show_difference("messages.txt", read_sentences("messages.txt"), list_messages())
    assert not difference, difference


MODULE = '''
"""A docstring is not a message."""

def check(name, rows, more):
    """Nor is this one."""
    if rows:
        raise ValueError(f"{name}: there are {len(rows)} rows too many. " "Leave some out" + more + ".")
    return f"{'no row is left' if more else 'nothing'}: {rows}"
'''


def test_sentences_are_found_in_one_piece():
    assert sorted(find_sentences(MODULE)) == ["no row is left", "{}: there are {} rows too many. Leave some out{}."]


def test_a_changed_sentence_is_shown():
    changed = MODULE.replace("Leave some out", "Remove some")
    difference = show_difference("messages.txt", sorted(find_sentences(MODULE)), sorted(find_sentences(changed)))
    assert "-{}: there are {} rows too many. Leave some out{}." in difference
    assert "+{}: there are {} rows too many. Remove some{}." in difference
    assert difference.startswith("messages.txt differs from the snapshot.") and difference.endswith(ADVICE)


def test_code_that_moves_changes_nothing(tmp_path):
    for folder, name in (("old", "first.py"), ("new", "second.py")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text(MODULE)
    assert list_messages(tmp_path / "old") == list_messages(tmp_path / "new")


def test_a_long_difference_is_cut():
    difference = show_difference("help.txt", [f"line {n}" for n in range(90)], [f"another {n}" for n in range(90)])
    assert len(difference.splitlines()) == 43 and "more lines differ." in difference


def test_what_is_no_sentence_is_left_out():
    others = (
        *(r"^\s*(\w+) is (\w+)$", "SELECT DISTINCT ?x WHERE { ?x a ?y }", "body { margin: 0 auto; color: red }"),
        *("method.vary", "k = {}", "{} {}", "data-rows", "import pandas as pd"),
    )
    assert [text for text in others if is_sentence(text)] == []
    assert list(find_sentences("x = '<p class=\"note\">Nobody is <b>alone</b> here.</p>'")) == ["Nobody is alone here."]
