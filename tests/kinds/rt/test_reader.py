"""Reading tables with sets: one column, a list column, a file beside; and what is refused."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.notes import find_note

import sfumato as sf
from sfumato.exceptions import ParameterError, SchemaError

PEOPLE = "name,age,city,products\nAnn,30,Rome,wine|bread\nBob,40,Rome,\nCid,50,Oslo,wine|wine|beer\n"
ROLES = {"identifier": ("name",), "quasi": ("age,city",)}


def write(folder: Path, text: str, name: str = "people.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_items_stand_in_one_column(tmp_path: Path) -> None:
    data = sf.read(write(tmp_path, PEOPLE), "rt", items="products", sensitive_items=("beer",), **ROLES)
    assert data.kind == "rt"
    assert data.table.column_names == ["age", "city", "items"]
    assert data.history().lists() == [["wine", "bread"], [], ["wine", "beer"]]
    assert data.schema.sensitive == ("beer",)
    assert find_note(data.notes, "duplicate-items-removed").counts == {"items": 1}
    assert str(data.notes[-1]) == "Found 4 items of 3 kinds; 1 person has none."


def test_a_column_called_items_is_found_by_its_name(tmp_path: Path) -> None:
    data = sf.read(write(tmp_path, PEOPLE.replace("products", "items")), "rt", **ROLES)
    assert data.history().lists()[0] == ["wine", "bread"]


def test_items_stand_in_a_list(tmp_path: Path) -> None:
    table = pa.table({"age": [1, 2], "items": [["a", "b"], []]})
    pq.write_table(table, tmp_path / "people.parquet")
    assert sf.read(tmp_path / "people.parquet", "rt", quasi=("age",)).history().lists() == [["a", "b"], []]


def test_another_separator_and_a_semicolon_table(tmp_path: Path) -> None:
    """As Amnesia has tables with a set column: columns by one delimiter, items by another."""
    text = "age;items\n30;a,b\n40;b\n"
    data = sf.read(write(tmp_path, text), "rt", quasi=("age",), delimiter=";", separator=",")
    assert data.history().lists() == [["a", "b"], ["b"]]


def test_items_stand_in_a_file_of_their_own(tmp_path: Path) -> None:
    people = write(tmp_path, "name,age\nAnn,30\nBob,40\nCid,50\n")
    items = write(tmp_path, "name,product\nCid,wine\nAnn,bread\nAnn,wine\nAnn,wine\n", "items.csv")
    data = sf.read(people, "rt", identifier=("name",), quasi=("age",), item_file=str(items))
    assert data.history().lists() == [["bread", "wine"], [], ["wine"]] or data.history().lists() == [
        ["wine", "bread"],
        [],
        ["wine"],
    ]
    assert find_note(data.notes, "people-without-rows").counts == {"people": 1}
    several = write(tmp_path, "name,product,price\nCid,wine|beer,3\nAnn,bread,4\n", "several.csv")
    again = sf.read(
        people,
        "rt",
        identifier=("name",),
        quasi=("age",),
        item_file=str(several),
        items="product",
        separator="|",
    )
    assert sorted(again.history().lists()[2]) == ["beer", "wine"]


def test_the_hierarchy_of_items_must_know_all_of_them(tmp_path: Path) -> None:
    tree = write(tmp_path, "child,parent\nwine,drink\nbeer,drink\ndrink,*\n", "tree.csv")
    options = {"items": "products", "hierarchies": {"item": str(tree)}, **ROLES}
    with pytest.raises(SchemaError, match="hierarchy of item"):
        sf.read(write(tmp_path, PEOPLE), "rt", **options)
    options["hierarchies"] = {"item": "fanout:2", "city": "flat"}
    assert set(sf.read(write(tmp_path, PEOPLE), "rt", **options).hierarchies) == {"item", "city"}


@pytest.mark.parametrize(
    ("text", "options", "told"),
    [
        ("name,age,items\nAnn,30,\nBob,40,\n", {"quasi": ("age",)}, "no record has an item"),
        ("name,age\nAnn,30\n", {"quasi": ("age",)}, "no column is called 'items'"),
        ("name,age,items\nAnn,30,a\n", {"quasi": ("age",), "items": "products"}, "no column 'products'"),
        ("name,age,items\nAnn,30,a\n", {}, "has no role"),
        ("name,age,age,items\nAnn,30,31,a\n", {"quasi": ("age",)}, "repeats an earlier name"),
        ("name,item,products\nAnn,30,a\n", {"quasi": ("item",), "items": "products"}, "the name of the sets"),
        ("name,age,items\nAnn,30,a\n", {"quasi": ("age",), "sensitive_items": ("b",)}, "does not occur"),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, text: str, options: dict[str, object], told: str) -> None:
    with pytest.raises((SchemaError, ParameterError), match=told):
        sf.read(write(tmp_path, text), "rt", identifier=("name",), **options)


@pytest.mark.parametrize(
    ("people", "items", "told"),
    [
        ("name,age\nAnn,30\n", "name,item\nAnn,a\nZoe,b\n", "1 rows are of people who are not in people.csv"),
        ("name,age\nAnn,30\nAnn,31\n", "name,item\nAnn,a\n", "must name every person once"),
        ("name,age\nAnn,30\n", "who,item\nAnn,a\n", "one identifier of"),
        ("name,age\nAnn,30\n", "name,item,price\nAnn,a,3\n", "the column with items is not named"),
    ],
)
def test_files_that_do_not_fit_together_are_refused(tmp_path: Path, people: str, items: str, told: str) -> None:
    path, beside = write(tmp_path, people), write(tmp_path, items, "items.csv")
    with pytest.raises((SchemaError, ParameterError), match=told) as error:
        sf.read(path, "rt", identifier=("name",), quasi=("age",), item_file=str(beside))
    assert "Zoe" not in str(error.value)
