"""Errors keep their fields on their way from a process to a page, and name options by the labels of forms."""

from __future__ import annotations

import json
import pickle

import pytest

from sfumato.exceptions import ParameterError, SchemaError, SfumatoError
from sfumato.messages import Message, option, parameter
from sfumato.queries.syntax import QueryError
from sfumato.readers.options import ReadOptions
from sfumato.studies.places import Places
from sfumato.web.form_style import FORMS
from sfumato.web.pages.parts import explain
from sfumato.web.worker import explain_error

ERROR = SchemaError(
    Message("a.csv: columns 'a' and 'b' could both be ", option("columns", {"person": "a"}), "."),
    column="b",
    rows=(3, 4),
    hint=Message("Leave one out: ", option("drop", ["b"]), "."),
)


@pytest.mark.parametrize("error", [ERROR, ParameterError("Plain."), QueryError("expected a name", "count person", 6)])
def test_errors_keep_their_fields_between_processes(error):
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error) and str(copy) == str(error)
    assert vars(copy) == vars(error) and copy.write(FORMS) == error.write(FORMS)


def test_a_worker_answers_with_fields_in_the_words_of_forms():
    answer = json.loads(json.dumps(explain_error(ERROR)))
    assert answer == {
        "error": "a.csv: columns 'a' and 'b' could both be \"person\": a. Leave one out: \"b\": drop.",
        "option": "columns",
        "column": "b",
        "rows": [3, 4],
        "hint": 'Leave one out: "b": drop.',
    }
    assert explain(ERROR) == answer["error"]


def test_other_errors_show_nothing_that_could_be_personal():
    for error in (ValueError("Ann Smith"), KeyError("Ann Smith")):
        assert "Ann" not in explain_error(error)["error"] and "Ann" not in explain(error)
    assert explain_error(FileNotFoundError(2, "No such file", "/home/ann/a.csv"))["error"].startswith("a.csv cannot")


def test_every_option_has_a_label_on_pages():
    message = Message(*(option(name) for name in ReadOptions("table").to_dict()), parameter("k", 5))
    assert "=" not in message.write(FORMS) and "--" not in message.write(FORMS)


def test_a_study_file_names_keys_as_it_writes_them(tmp_path):
    places = Places(tmp_path / "a.toml", "[data]\nkind = 'table'\nplaces = 'grid:x'\n")
    with pytest.raises(SfumatoError) as fault, places.at("data"):
        raise SfumatoError(
            Message(option("places"), " is wrong."), hint=Message("Use ", option("places", "grid:5"), ".")
        )
    assert fault.value.option == "places"
    assert str(fault.value).endswith('a.toml, line 3 ([data], places): places is wrong. Use places = "grid:5".')
