"""Reading sets: the formats people have, told apart only where they cannot be mistaken."""

import functools
import gzip
import json
import lzma

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.sets.naive.files import (
    CANARY,
    HEADER,
    people,
    plain_lines,
    plain_rows,
    write_and_read,
    write_and_refuse,
)
from tests.notes import find_note, find_notes, list_sentences

import sfumato as sf
from sfumato import plugins
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.exports import write_table
from sfumato.generators.taxonomy import taxonomy
from sfumato.kinds.sets.generators import generate
from sfumato.kinds.sets.reader import read
from sfumato.kinds.sets.reader.items import split_cells
from sfumato.readers.constraints import read_itemsets, read_partition
from sfumato.readers.hierarchies import write_hierarchy
from sfumato.readers.options import ReadOptions


@pytest.fixture
def reader(tmp_path):
    return functools.partial(write_and_read, tmp_path)


@pytest.fixture
def refuse(tmp_path):
    return functools.partial(write_and_refuse, tmp_path)


# one row per person and item

entry = st.tuples(
    st.sampled_from(["007", "7", "NA", "é"]), st.sampled_from(["5", "05", " 5", "whole milk", "=1", "b "])
)


@given(st.lists(entry, min_size=1, max_size=40))
def test_rows_are_those_of_a_plain_reader(tmp_path_factory, rows):
    text = HEADER + "".join(f"{p},{i}\n" for p, i in rows)
    file = tmp_path_factory.mktemp("c") / "baskets.csv"
    file.write_text(text, encoding="utf-8")
    data = read(file, ReadOptions("sets"))
    expected = plain_rows(text)
    assert people(data) == expected
    assert list(people(data)) == list(expected)
    repeats = len(rows) - sum(map(len, expected.values()))
    counts = [note.counts for note in find_notes(data.notes, "duplicate-items-removed")]
    assert counts == ([{"items": repeats}] if repeats else [])


def test_the_kind_names_the_reader(tmp_path):
    assert plugins.find_kind("sets").reader.load().read is read
    (tmp_path / "b.dat").write_text("1 2\n3\n")
    assert len(sf.read(tmp_path / "b.dat", kind="sets")) == 2


def test_the_table_has_the_documented_columns(reader):
    data = reader(HEADER + "1,a\n1,b\n", sensitive="b")
    assert data.table.schema.types == [pa.string(), pa.list_(pa.dictionary(pa.int32(), pa.string()))]
    assert [(c.name, c.role) for c in data.schema.columns] == [("person", "identifier"), ("items", "history")]
    assert data.schema.sensitive == ("b",)
    assert ReadOptions.from_dict(data.read_options).sensitive == ("b",)


def test_rows_are_sorted_by_code_and_hold_each_item_once(reader):
    history = reader(HEADER + "1,b\n2,c\n2,b\n1,c\n1,a\n1,b\n").history()
    assert history.labels == ("b", "c", "a")
    assert [history.codes[a:b].tolist() for a, b in zip(history.offsets, history.offsets[1:], strict=False)] == [
        [0, 1, 2],
        [0, 1],
    ]


def test_what_was_done_is_noted(reader):
    data = reader("uid,sku,price\n1,a,9\n1,a,9\n2,b,9\n", drop=["price"])
    assert list_sentences(data.notes) == [
        "Read 3 rows of baskets.csv.",
        "Reading `uid` as person.",
        "Reading `sku` as item.",
        "Left out column `price`.",
        "Removed 1 duplicate item within records.",
        "Found 2 people and 2 items of 2 kinds.",
    ]


def test_columns_told_win_over_names_known(reader):
    data = reader("user,product,category\n1,a,x\n1,b,x\n", columns={"item": "category"}, drop=["product"])
    assert people(data) == {"1": ["x"]}


def test_baskets_of_a_person_are_one_set_and_baskets_without_people_are_records(reader):
    both = reader("customer_id,basket_id,product\n1,x,a\n1,y,b\n2,x,c\n")
    assert people(both) == {"1": ["a", "b"], "2": ["c"]}
    assert find_note(both.notes, "transactions-joined").columns == ("basket_id",)
    alone = reader("InvoiceNo,StockCode\nx,a\ny,b\n")
    assert people(alone) == {"x": ["a"], "y": ["b"]}
    assert find_note(alone.notes, "no-person-column").columns == ("InvoiceNo",)


def test_a_table_without_a_header(reader):
    assert people(reader("1\ta\n1\tb\n2\ta\n", "b.dat", header=("person", "item"))) == {"1": ["a", "b"], "2": ["a"]}


def test_parquet_and_json_lines_give_the_same(reader, tmp_path):
    rows = [{"person": 7, "item": "a"}, {"person": 7, "item": "b"}, {"person": 8, "item": "a"}]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "c.parquet")
    one = read(tmp_path / "c.parquet", ReadOptions("sets"))
    two = reader("\n".join(map(json.dumps, rows)), "c.jsonl")
    assert people(one) == people(two) == {"7": ["a", "b"], "8": ["a"]}


def test_packed_files_and_categories(reader, tmp_path):
    assert people(reader(gzip.compress(b"1 2\n3\n"), "c.dat.gz")) == {"1": ["1", "2"], "2": ["3"]}
    assert people(reader(lzma.compress(b"person,item\n1,a\n"), "c.csv.xz")) == {"1": ["a"]}
    table = pa.table({"person": pa.array(["x"]).dictionary_encode(), "item": pa.array(["a"]).dictionary_encode()})
    pq.write_table(table, tmp_path / "c.parquet")
    assert people(read(tmp_path / "c.parquet", ReadOptions("sets"))) == {"x": ["a"]}


@pytest.mark.parametrize("name", ["b.csv", "b.parquet", "b.jsonl"])
def test_generated_sets_come_back(tmp_path, name):
    table = generate(40, seed=2, items=30, mean_length=4)
    write_table(table, tmp_path / name)
    write_hierarchy(taxonomy(table["item"].to_pylist(), 3, 1), tmp_path / "tree.csv", "arx")
    data = read(tmp_path / name, ReadOptions("sets", hierarchies={"item": str(tmp_path / "tree.csv")}))
    expected = {}
    for row in table.to_pylist():
        expected.setdefault(row["person"], set()).add(row["item"])
    assert {who: set(items) for who, items in people(data).items()} == expected
    assert set(data.hierarchies["item"].leaf_labels) == set(data.history().labels)


# one record per line

word = st.sampled_from(["5", "05", "7", "é", "x.y", "#1"])
separators = st.sampled_from([" ", ",", ";", "|", "\t"])


@given(
    st.lists(st.lists(word, max_size=5), min_size=1, max_size=12), separators, st.booleans(), st.sampled_from("\n\r")
)
def test_lines_are_those_of_a_plain_reader(tmp_path_factory, rows, separator, closed, end):
    text = "\n".join(separator.join(row) + separator * closed for row in rows) + "\n"
    expected = plain_lines(text, separator)
    file = tmp_path_factory.mktemp("c") / "baskets.txt"
    file.write_bytes(text.replace("\n", end).encode())
    if not expected:
        with pytest.raises(SchemaError, match=r"the file is empty|no items in the file"):
            read(file, ReadOptions("sets", format="transactions", separator=separator))
        return
    data = read(file, ReadOptions("sets", format="transactions", separator=separator))
    assert people(data) == expected
    blank = len(rows) - len(expected)
    counts = [note.counts for note in find_notes(data.notes, "empty-records-left-out")]
    assert counts == ([{"records": blank}] if blank else [])


@pytest.mark.parametrize("text", ["5 7 \n7 \n", "5,7,\n7,\n", "5,7\n7\n", "5;7\n7\n", "5\t7\n7\n", "5|7\n7\n"])
def test_numbered_items_are_recognised(reader, text):
    assert people(reader(text, "b.dat")) == {"1": ["5", "7"], "2": ["7"]}


@pytest.mark.parametrize("text", ["1 2\n1 3\n", "1\t2\n1\t3\n", "1,2\n3,4\n", "1\n2\n", "milk,bread\nmilk\n", "milk\n"])
def test_what_could_be_mistaken_is_asked_for(refuse, text):
    told = refuse(text, "b.txt")
    assert "b.txt: the format of the sets is ambiguous" in told
    assert all(format in told for format in ("csv", "transactions", "spmf", "amnesia"))


def test_lines_that_the_first_thousand_do_not_announce(refuse):
    told = refuse("1 2\n3\n" * 600 + f"4 {CANARY}\n", "b.txt")
    assert "a line must hold numbered items, as the first lines do" in told
    assert "look at line 1201" in told


def test_told_transactions_may_hold_words(reader, refuse):
    text = "whole milk,bread\nbread\n"
    assert people(reader(text, format="transactions", separator="comma")) == {
        "1": ["whole milk", "bread"],
        "2": ["bread"],
    }
    assert "may be separated by spaces or by ','" in refuse(text, format="transactions")
    assert people(reader("milk, bread\n", format="transactions")) == {"1": ["milk", "bread"]}
    assert people(reader("milk bread\n", format="transactions")) == {"1": ["milk", "bread"]}
    assert "separated by ';' or by ','" in refuse("a,b;c\n", format="transactions")


def test_quotes_work_as_in_csv_unless_spaces_separate(reader, refuse):
    text = '"salt, iodised",milk\nmilk, "a ""b"""\n'
    found = people(reader(text, format="transactions", separator=","))
    assert found == {"1": ["salt, iodised", "milk"], "2": ["milk", 'a "b"']}
    assert people(reader('22" tv\n', format="transactions", separator="space")) == {"1": ['22"', "tv"]}
    assert "line 2 has a quote that is not closed" in refuse(
        f'a,b\n"{CANARY},c\n', format="transactions", separator=","
    )


def test_blank_items_and_blank_records_are_noted(reader):
    data = reader("1,,2\n\n , \n3\n", "b.txt", format="transactions", separator=",")
    assert people(data) == {"1": ["1", "2"], "4": ["3"]}
    assert find_note(data.notes, "empty-items-left-out").counts == {"items": 2}
    assert find_note(data.notes, "empty-records-left-out").counts == {"records": 2}


def test_items_are_named_by_item_lines(reader, refuse):
    text = "@CONVERTED_FROM_TEXT\n@ITEM=1=apple\n@ITEM=2=red wine\n1 2\n3\n"
    assert people(reader(text, "b.txt")) == {"1": ["apple", "red wine"], "2": ["3"]}
    assert people(reader(text, "b.txt", format="transactions")) == {"1": ["apple", "red wine"], "2": ["3"]}
    for bad in ("@ITEM=1=x\n@ITEM=2=x\n1 2\n", "@ITEM=1=2\n1 2\n"):
        assert "two @ITEM lines give the same name, or one that is an item" in refuse(bad, "b.txt")
    assert "two @ITEM lines name the same item" in refuse(f"@ITEM=1={CANARY}\n@ITEM=1=b\n1 2\n", "b.txt")
    assert "must name an item as @ITEM=1=apple does; look at line 1" in refuse("@ITEM=1=\n1 2\n", "b.txt")


def test_spmf_sequences_are_sets(reader, refuse):
    data = reader("# a comment\n<1> 1 -1 <-2> 2 1 -1 -2\n-2\n2 -1 -2\n", "b.txt")
    assert people(data) == {"1": ["1", "2"], "3": ["2"]}
    assert find_note(data.notes, "duplicate-items-removed").counts == {"items": 1}
    assert find_note(data.notes, "empty-records-left-out").counts == {"records": 1}
    assert people(reader("1 2\n2 3\n", "b.txt", format="spmf")) == {"1": ["1", "2"], "2": ["2", "3"]}
    assert "end with -2 and have no other; look at lines 2, 3" in refuse("1 -1 -2\n1 -1\n-2 1 -2\n", "b.spmf")
    assert "may only hold item numbers, <times>, -1 and -2; look at line 2" in refuse(
        f"1 -1 -2\n{CANARY} -2\n", "b.spmf"
    )


def test_sets_as_amnesia_writes_them(reader, refuse):
    text = "codes\na1|b1|b2\nb1\n"
    assert people(reader(text, "b.txt", format="amnesia")) == {"1": ["a1", "b1", "b2"], "2": ["b1"]}
    assert people(reader("items\na 1|b,1\nb;1\n", "b.txt")) == {"1": ["a 1", "b,1"], "2": ["b;1"]}
    assert people(reader("items\na 1,b\nb\n", "b.csv")) == {"1": ["a 1", "b"], "2": ["b"]}
    assert find_note(reader("items\na\nb\n", "b.txt").notes, "header-line")
    assert "there are no records, only a header" in refuse("codes\n", "b.txt", format="amnesia")
    assert "may be separated by ';' or by ','" in refuse(f"items\n{CANARY};b\na,b\n", "b.txt")


# all items of a row in one cell


@pytest.mark.parametrize("mark", [";", "|", ","])
def test_cells_with_several_items(reader, mark):
    data = reader(f'person,items\n1,"whole milk{mark} bread{mark}"\n2,bread\n1,wine\n3,\n')
    assert people(data) == {"1": ["whole milk", "bread", "wine"], "2": ["bread"]}
    assert f"Items in `items` are separated by {mark!r}." in list_sentences(data.notes)
    assert find_note(data.notes, "empty-records-left-out").counts == {"records": 1}


def test_a_cell_column_without_people(reader):
    data = reader("age;products\n33;a|b\n34;b\n", drop=["age"])
    assert people(data) == {"1": ["a", "b"], "2": ["b"]}
    assert "each row is a record" in str(find_note(data.notes, "no-person-column"))
    assert people(reader('items\n"1 2"\n"2 3"\n')) == {"1": ["1", "2"], "2": ["2", "3"]}


def test_the_separator_may_be_told(reader):
    assert people(reader("person,item\n1,a+b\n2,b\n", separator="+")) == {"1": ["a", "b"], "2": ["b"]}
    assert people(reader("person,items\n1,a;b c\n", separator="space")) == {"1": ["a;b", "c"]}


def test_cells_that_may_hold_one_item_or_several(reader, refuse):
    text = f"person,item\n1,{CANARY};b\n2,b\n"
    told = refuse(text)
    assert "column 'item' may hold one item or several in a cell, as nobody has two rows" in told
    assert people(reader(text, columns={"item": "item"}))["1"] == [f"{CANARY};b"]
    assert people(reader(text, separator=";"))["1"] == [CANARY, "b"]
    assert people(reader(text + "1,c\n"))["1"] == [f"{CANARY};b", "c"]
    assert "items may be separated by spaces, or have spaces in them" in refuse("person,items\n1,red wine\n")


def test_lists_of_parquet_and_json_lines(reader, tmp_path):
    rows = [{"person": 7, "items": ["a", " b", "a"]}, {"person": 8, "items": []}, {"person": 9, "items": None}]
    expected = {"7": ["a", "b"]}
    assert people(reader("\n".join(map(json.dumps, rows)), "c.jsonl")) == expected
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "c.parquet")
    assert people(read(tmp_path / "c.parquet", ReadOptions("sets"))) == expected
    pq.write_table(pa.table({"item": [[3, None, 4], [3]]}), tmp_path / "d.parquet")
    data = read(tmp_path / "d.parquet", ReadOptions("sets", columns={"items": "item"}))
    assert people(data) == {"1": ["3", "4"], "2": ["3"]}
    assert find_note(data.notes, "empty-items-left-out").counts == {"items": 1}


def test_long_texts_are_split_in_parts(monkeypatch):
    from sfumato.kinds.sets.reader import items

    cells = pa.array(["a b", "", "c", "d e f"])
    whole = split_cells(cells, " ")
    cut = items._cut_into_parts
    monkeypatch.setattr(items, "_cut_into_parts", lambda text: cut(text, 3))
    parts = split_cells(cells, " ")
    assert parts.items.to_pylist() == whole.items.to_pylist()
    assert np.array_equal(parts.holder, whole.holder)


# hierarchies, constraints, sensitive items


def test_a_hierarchy_by_popularity_follows_the_number_of_records(reader):
    text = "salt milk milk\nmilk beer\nmilk beer\nwine\n"
    tree = reader(text, format="transactions", hierarchies={"item": "popular:2"}).hierarchies["item"]
    assert tree.leaf_labels == ("milk", "beer", "salt", "wine") and tree.height == 2
    with pytest.raises(ParameterError, match="popular needs a number of at least 2"):
        reader(text, format="transactions", hierarchies={"item": "popular:1"})


def test_a_balanced_hierarchy_follows_the_natural_order(reader):
    items = " ".join(map(str, reversed(range(1, 31))))
    tree = reader(f"{items}\nbeta alpha\n", format="transactions", hierarchies={"item": "balanced:10"}).hierarchies[
        "item"
    ]
    assert list(tree.leaf_labels) == [*map(str, range(1, 31)), "alpha", "beta"]
    assert np.bincount(tree.parent[tree.parent >= 0]).max() <= 10
    mixed = reader("05 5 4.5 -1 x\n", format="transactions", hierarchies={"item": "balanced:2"}).hierarchies["item"]
    assert list(mixed.leaf_labels) == ["-1", "4.5", "05", "5", "x"]


def test_hierarchies_must_cover_every_item(reader, refuse, tmp_path):
    (tmp_path / "tree.csv").write_text("a;*\nb;*\n")
    assert (
        reader(HEADER + "1,a\n2,b\n", hierarchies={"item": str(tmp_path / "tree.csv")}).hierarchies["item"].height == 1
    )
    told = refuse(f"{HEADER}1,a\n2,b\n2,{CANARY}\n", hierarchies={"item": str(tmp_path / "tree.csv")})
    assert "hierarchy of item: 1 value is not a leaf of its hierarchy (row 3)" in told
    strange = refuse(HEADER + "1,a\n", error=ParameterError, hierarchies={"place": "balanced:2"})
    assert "of sets can be of item only" in strange


def test_utility_constraints_leave_unnamed_items_alone(reader, refuse, tmp_path):
    (tmp_path / "utility.txt").write_text("b;c\nelsewhere\n")
    given = {"utility": str(tmp_path / "utility.txt")}
    data = reader(HEADER + "1,a\n1,b\n2,c\n2,d\n", constraints=given)
    assert data.constraints["utility"] == (("b", "c"), ("a",), ("d",))
    assert find_note(data.notes, "constraints-with-strangers").counts == {"entries": 1}
    (tmp_path / "utility.txt").write_text(f"{CANARY};c\nb;{CANARY}\n")
    told = refuse(f"{HEADER}1,{CANARY}\n", constraints=given)
    assert "must have every item in one group; 1 entries repeat an item (line 2)" in told
    other = refuse(HEADER + "1,a\n", error=ParameterError, constraints={"use": "x"})
    assert "constraints= of sets must be privacy or utility, got 'use'" in other


def test_privacy_constraints_are_itemsets(reader, refuse, tmp_path):
    (tmp_path / "privacy.txt").write_text("1 2\n2 1\n\n2 3 9\n4\n")
    given = {"privacy": str(tmp_path / "privacy.txt")}
    data = reader("1 2\n3 4 5\n", "b.dat", constraints=given)
    assert data.constraints["privacy"] == (("1", "2"), ("2", "3"), ("4",))
    assert "1 entry of the privacy constraints" in str(find_note(data.notes, "constraints-with-strangers"))
    (tmp_path / "privacy.txt").write_text(f"{CANARY}\n")
    assert "privacy.txt has no items of the data" in refuse("1 2\n3\n", "b.dat", constraints=given)


def test_lines_of_constraints_that_are_labels_stay_whole(tmp_path):
    file = tmp_path / "sets.txt"
    file.write_text("whole milk\nbread wine\n")
    labels = ["whole milk", "bread", "wine"]
    assert read_itemsets(str(file), labels, "test") == ((("whole milk",), ("bread", "wine")), 0)
    assert read_partition(str(file), labels, "test") == ((("whole milk",), ("bread", "wine")), 0)


def test_sensitive_items(reader, refuse, tmp_path):
    (tmp_path / "sensitive.txt").write_text("7\n")
    assert reader("5 7\n7\n", "b.dat", sensitive=[f"@{tmp_path / 'sensitive.txt'}"]).schema.sensitive == ("7",)
    assert "does not occur in the data (entry 1)" in refuse("5 7\n7\n", "b.dat", sensitive=["8"])
