"""Bad tables get a clear error that names columns, rows or parameters, and never shows a value of the data."""

from __future__ import annotations

import functools
import re

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.kinds.table.naive.files import CANARY, GOOD, HEADER, ROLES, write_and_read, write_and_refuse

from sfumato.cli import run
from sfumato.cli.style import write_text
from sfumato.exceptions import ParameterError

PASTE = "--identifier name --quasi age --quasi sex --sensitive illness"


@pytest.fixture
def refuse(tmp_path):
    return functools.partial(write_and_refuse, tmp_path)


def test_the_good_rows_are_good(tmp_path):
    assert len(write_and_read(tmp_path, HEADER + GOOD, **ROLES)) == 3


def test_columns_without_a_role_are_named_with_a_guess_that_can_be_pasted(refuse):
    told = refuse(HEADER + GOOD)
    assert "columns 'name', 'age', 'sex', 'illness' have no role" in told
    assert told.endswith("add: identifier=['name'], quasi=['age', 'sex'], sensitive=['illness']")
    assert write_text(told).endswith(f"add: {PASTE}")
    told = refuse(HEADER + GOOD, identifier="name", quasi="age,sex")
    assert "column 'illness' has no role" in told
    assert write_text(told).endswith("add: --sensitive illness")


@pytest.mark.parametrize(
    ("name", "cells", "option"),
    [
        ("ref", ["x1", "x2", "x3", "x4"], "identifier"),
        ("patient_id", ["1", "2", "3", "4"], "identifier"),
        ("admission_type_id", ["1", "2", "1", "1"], "quasi"),
        ("patientAge", ["1", "2", "3", "4"], "quasi"),
        ("Diagnosis code", ["a", "b", "b", "b"], "sensitive"),
        ("thing", ["a", "b", "b", "b"], "quasi"),
        ("length", ["1", "2", "3", "4"], "quasi"),
        ("length", ["1.5", "2.5", "3.5", "4.5"], "quasi"),
        ("income, net", ["1", "2", "3", "4"], "sensitive"),
    ],
)
def test_guesses(refuse, name, cells, option):
    told = refuse("\n".join([f'age,"{name}"', *(f"{i % 2},{cell}" for i, cell in enumerate(cells))]), quasi="age")
    quoted = f"'{name}'" if " " in name else name
    assert write_text(told).endswith(f"add: --{option} {quoted}")


def test_a_file_without_a_header_is_not_shown(refuse):
    assert "column 2 has a number or date in the place of a name" in refuse(f"{CANARY},30,f\n{CANARY},40,m\n")
    told = refuse(f"{CANARY},x\n{CANARY},y\n")
    assert "column 1 has a name that is also one of its values" in told
    assert "the first line may be data" in refuse(f"{CANARY},{CANARY}x\na,b\n")
    assert "there is no column 'age'" in refuse(f"{CANARY},{CANARY}x\na,b\n", quasi="age")
    assert "check delimiter=" in refuse(f"{CANARY}|{CANARY}x\na|b\n", quasi="age")


def test_what_is_said_of_columns_must_fit(refuse):
    told = refuse(HEADER + GOOD, **{**ROLES, "quasi": "age,sx"})
    assert "there is no column 'sx'. The nearest one is 'sex'" in told
    wrong = functools.partial(refuse, HEADER + GOOD, error=ParameterError)
    assert "Column 'age' has two roles, quasi-identifier and plain" in wrong(**ROLES, plain="age")
    assert "Column 'age' has a role, and is left out (drop=)" in wrong(**ROLES, drop="age")
    assert "Column 'age' has two roles, owner and quasi-identifier" in wrong(**ROLES, columns={"owner": "age"})
    assert "a table needs a quasi-identifier" in wrong(identifier="name", sensitive="illness", plain="age,sex")
    assert "columns= of tables has the role owner only, got 'place'" in wrong(**ROLES, columns={"place": "age"})
    assert "scales= names 'agee', which is no column" in wrong(**ROLES, scales={"agee": "numeric"})
    assert "a scale must be one of" in wrong(**ROLES, scales={"age": "numerical"})
    assert "the order of 'sex' names a value twice" in wrong(**ROLES, scales={"sex": "f<m<f"})
    assert "names 'name', which is no column" in wrong(**ROLES, hierarchies={"name": "flat"})
    plain = {**ROLES, "sensitive": (), "plain": "illness"}
    assert "names 'illness', which is plain" in wrong(**plain, hierarchies={"illness": "flat"})


def test_duplicate_columns(refuse):
    assert "column 3 repeats an earlier name" in refuse(f"name,age,age\n{CANARY},1,2\n", **ROLES)


@pytest.mark.parametrize(
    ("values", "given", "told"),
    [
        (["30", CANARY, "31", CANARY], "numeric", "must hold numbers; rows 2, 4 do not"),
        (["30", "3O"], "integer", "must hold numbers; row 2 does not"),
        (["30", "30.5"], "integer", "must hold whole numbers; row 2 does not"),
        (
            ["1", "1e300"],
            "integer",
            "must hold whole numbers from -9007199254740992 to 9007199254740992; row 2 does not",
        ),
        (["30", "3,5"], None, "with a decimal point; row 2 does not. Write 3.5 for 3,5"),
        (["1.234,5", "3,5"], None, "with a decimal point; rows 1, 2 do not. Write 3.5 for 3,5"),
        (["30", "NaN"], None, "must hold finite numbers; row 2 does not"),
        (["-inf", "30"], None, "must hold finite numbers; row 1 does not"),
        (["30", "1e400"], None, "must hold finite numbers; row 2 does not"),
        (["1", "9007199254740993"], None, "must hold whole numbers from"),
        (["1", "123456789012345678901234567890"], None, "row 2 does not"),
        (["2024-01-31", "2024-02-30"], "date", "row 2 has a date or time that does not exist"),
        (["2024-01-31", "", CANARY], "date", "row 3 cannot be read as a time"),
        (["31", "30"], "date", "must hold dates; rows 1, 2 do not"),
        (["01/02/2000", "", "03/04/2000"], "date", "day and month cannot be distinguished in rows 1, 3"),
        (["low", CANARY], "low<high", "must hold values of its order; row 2 does not"),
        (["x" * 1001], None, "at most 1,000 characters a cell; row 1 does not"),
    ],
)
def test_values_off_their_scale(refuse, values, given, told):
    options = {"scales": {"a": given}} if given else {}
    found = refuse("a,b\n" + "\n".join(f'"{value}",x' for value in values), quasi="a", plain="b", **options)
    assert "column 'a'" in found
    assert told in found


def test_missing_cells_can_be_refused(refuse):
    text = HEADER + f"{CANARY}1,,f,flu\n{CANARY}2,40,?,flu\n{CANARY}3,,m,flu\n"
    assert "'age' has empty cells in rows 1, 3" in refuse(text, **ROLES, missing="error")
    filled = text.replace(",,", ",1,")
    assert "'sex' has empty cells in row 2" in refuse(filled, **ROLES, missing="error", empty="?")


def test_hierarchies_that_do_not_fit(refuse, tmp_path):
    (tmp_path / "sex.csv").write_text("f;*\n")
    (tmp_path / "two.csv").write_text("f;women\nm;men\n")
    (tmp_path / "ages.csv").write_text('"0,35";"0,39"\n"35,39";"0,39"\n')

    def look(column, given, **more):
        return refuse(HEADER + GOOD, **ROLES, hierarchies={column: given}, **more)

    assert "hierarchy of sex: 1 value is not a leaf" in look("sex", tmp_path / "sex.csv")
    assert "(row 2)" in look("sex", tmp_path / "sex.csv")
    assert "one root is needed, found 2" in look("sex", tmp_path / "two.csv")
    assert "1 value is outside of the ranges" in look("age", tmp_path / "ages.csv")
    assert "the hierarchy has ranges and the column categories" in look("sex", tmp_path / "ages.csv")
    assert "there is no such hierarchy file" in look("sex", tmp_path / "none.csv")
    assert "column 'sex': grid:3 needs coordinates" in look("sex", "grid:3")
    assert "same length; row 2 has shorter ones" in look("illness", "mask")
    wrong = functools.partial(look, error=ParameterError)
    assert "hierarchies={'sex': 'width:3'} needs numbers or dates" in wrong("sex", "width:3")
    assert "calendar needs dates" in wrong("age", "calendar")
    assert "width needs a number of at least 2" in wrong("age", "width:1")
    assert "there is no file or rule 'widht:8'. Did you mean width?" in wrong("age", "widht:8")


def test_a_population_that_does_not_fit(refuse, tmp_path):
    (tmp_path / "town.csv").write_text("age\n30\n")
    assert "lacks the quasi-identifier 'sex'" in refuse(HEADER + GOOD, **ROLES, population=tmp_path / "town.csv")
    (tmp_path / "town.csv").write_text(f"age,sex\n30,f\n{CANARY},m\n")
    told = refuse(HEADER + GOOD, **ROLES, population=tmp_path / "town.csv")
    assert "town.csv: column 'age' must hold numbers; row 2 does not" in told
    (tmp_path / "sex.csv").write_text("f;*\nm;*\n")
    (tmp_path / "town.csv").write_text(f"age,sex\n30,f\n31,{CANARY}\n")
    told = refuse(HEADER + GOOD, **ROLES, population=tmp_path / "town.csv", hierarchies={"sex": tmp_path / "sex.csv"})
    assert "town.csv: hierarchy of sex: 1 value is not a leaf" in told
    assert "there is no such file" in refuse(HEADER + GOOD, **ROLES, population=tmp_path / "nowhere.csv")


def test_types_that_are_no_attributes(tmp_path, refuse):
    pq.write_table(pa.table({"age": [[1], [2]], "sex": ["f", "m"]}), tmp_path / "people.parquet")
    content = (tmp_path / "people.parquet").read_bytes()
    assert "column 'age' must hold numbers, dates or text" in refuse(content, "people.parquet", quasi="age,sex")
    pq.write_table(pa.table({"age": [1.5, float("nan")]}), tmp_path / "people.parquet")
    content = (tmp_path / "people.parquet").read_bytes()
    assert "finite numbers; row 2 does not" in refuse(content, "people.parquet", quasi="age")
    assert len(write_and_read(tmp_path, content, "people.parquet", quasi="age", empty="NaN")) == 2
    pq.write_table(pa.table({"age": ["a\0b"]}), tmp_path / "people.parquet")
    content = (tmp_path / "people.parquet").read_bytes()
    assert "no NUL character; row 1 does not" in refuse(content, "people.parquet", quasi="age")


COMMAND = ["anonymize", "people.csv", "--kind", "table", "--method", "mondrian", "--out", "out"]
GIVEN = PASTE.split()


@pytest.mark.parametrize(
    ("text", "words", "told"),
    [
        (HEADER + GOOD, [], PASTE),
        (HEADER + GOOD, [*GIVEN, "--hierarchy", "sex=sex.csv"], "1 value is not a leaf of its hierarchy"),
        (HEADER + GOOD, [*GIVEN, "--hierarchy", "sex=two.csv"], "one root is needed"),
        (HEADER + GOOD + f"a,{CANARY},f,flu\n", [*GIVEN, "--scale", "age=numeric"], "hold numbers; row 4 does not"),
        (HEADER + GOOD, [*GIVEN, "-p", "k=4"], "k must be at most the number of people, got 4 for 3"),
        (HEADER + GOOD, [*GIVEN, "-p", "l=3"], "l must be at most 2, the number of values of column 'illness', got 3"),
        ("name,age,age\na,1,2\n", GIVEN, "column 3 repeats an earlier name"),
        (HEADER + "a,2024-02-30,f,x\n", [*GIVEN, "--scale", "age=date"], "column 'age': row 1 has a date or time that"),
        (HEADER + "a,,f,x\n", [*GIVEN, "--missing", "error"], "has empty cells in row"),
        (HEADER + "a,?,f,x\n", [*GIVEN, "--missing", "error", "--empty", "?"], "has empty cells in row 1"),
        (HEADER + GOOD, [*GIVEN, "--quasi", "illness"], "two roles"),
        (HEADER + GOOD, [*GIVEN, "--missing", "kep"], "Did you mean --missing keep"),
        (HEADER + GOOD, [*GIVEN, "--population", "nowhere.csv"], "there is no such file"),
    ],
)  # fmt: skip
def test_the_command_line_refuses_and_leaves_nothing(tmp_path, monkeypatch, capfd, text, words, told):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(text)
    (tmp_path / "sex.csv").write_text("f;*\n")
    (tmp_path / "two.csv").write_text("f;women\nm;men\n")
    k = [] if any(word.startswith("k=") for word in words) else ["-p", "k=2"]
    assert run([*COMMAND, *words, *k]) == 2
    shown = capfd.readouterr()
    assert told in re.sub(r"\s+", " ", shown.err)
    assert CANARY not in shown.err + shown.out
    assert not (tmp_path / "out").exists()


def test_roles_mean_nothing_for_other_kinds(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sets.csv").write_text("person,item\na,b\n")
    assert run(["inspect", "sets.csv", "--kind", "sets", "--quasi", "person"]) == 2
    assert "--quasi does not apply to sets" in capfd.readouterr().err
