"""Sentences for people have the words of the field, and are short."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.contracts.internals import PACKAGE
from tests.contracts.wording import explain_faults, find_texts, list_faults

EXCEPTIONS = dict.fromkeys(
    (
        "nothing lies there that is not declared",
        "sensitive items are published as they are",
        "sensitive places are published as they are",
        "the population is counted as it is",
        "no monitored event is published as it is",
        "nothing is told as blurred that is not declared",
        "what is told of blurred events is told of k records",
        "nothing is told of blurred events that could be predicted",
        "what is told of blurred events is true",
        "whoever is known fits 0 or at least k records",
        "sensitive events hide among others",
    ),
    "the name of a check, which is a key of verdicts",
)
"""Parts of sentences that may stay, with the reason."""
FOLDERS = sorted(
    {path.relative_to(PACKAGE).parts[0] for path in PACKAGE.rglob("*.py") if path.parent != PACKAGE} - {"kinds"}
) + sorted(f"kinds/{path.name}" for path in (PACKAGE / "kinds").iterdir() if (path / "__init__.py").is_file())


def list_files(folder: str) -> list[Path]:
    return list((PACKAGE / folder).rglob("*.py"))


@pytest.mark.parametrize("folder", FOLDERS)
def test_sentences_have_the_words_of_the_field(folder):
    faults = list_faults(list_files(folder), tuple(EXCEPTIONS))
    assert not faults, "\n".join(map(str, faults))


MODULE = '''
"""Whoever reads this reads a docstring."""

class Method:
    summary = "Hides people in a crowd of k."

def check(name, rows):
    """Tell whose rows are wrong."""
    if rows:
        raise SchemaError(
            f"{name}: the rows are published as they are.",
            hint=Message("Leave them out, ", option("drop", ["a"]), ", or lay them beside the release."),
        )
    raise ParameterError(
        "This sentence has so very many words that nobody who reads it at the end still remembers what it was about at "
        "its beginning, and what to do."
    )
    add_text("A release of the data" + name)
'''


def test_faults_are_reported_with_file_and_line(tmp_path):
    (tmp_path / "module.py").write_text(MODULE)
    faults = [str(fault) for fault in list_faults([tmp_path / "module.py"])]
    assert sorted({fault.partition(": '")[0] for fault in faults}) == [
        'module.py, line 10: "as they are"; write unchanged',
        'module.py, line 12: "lay"; write in the folder',
        "module.py, line 14: 28 words in a sentence",
        'module.py, line 5: "crowd"; write group',
    ]


def test_an_exception_lets_a_sentence_pass(tmp_path):
    (tmp_path / "module.py").write_text('raise SchemaError("The rows are as they are.")')
    assert list_faults([tmp_path / "module.py"]) != []
    assert list_faults([tmp_path / "module.py"], ("rows are as they are",)) == []


def test_every_position_is_looked_at():
    texts = [sentence.text for sentence in find_texts(MODULE)]
    assert "Leave them out, {}, or lay them beside the release." in texts
    assert "A release of the data{}" in texts and "Hides people in a crowd of k." in texts
    assert not any("docstring" in text or "Tell" in text for text in texts)
    command = 'def verify(directory, as_json):\n    """Tell whoever asks."""'
    assert [sentence.text for sentence in find_texts(command, is_help=True)] == ["Tell whoever asks."]


def test_names_of_options_and_short_sentences_pass():
    assert not list(explain_faults("Two sentences are fine. " * 20))
    assert not list(explain_faults("--resume applies only to streams of snapshots. Leave it out."))


def test_exceptions_are_needed():
    sources = "\n".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py"))
    assert [part for part in EXCEPTIONS if part not in sources] == []
