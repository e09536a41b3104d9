"""Kinds of damage to a published release: to its claim, to its truth, to its files, and things smuggled in.

A damage to claim or truth forges the release and writes it anew with the package's own writer, so that every file is as
it should be. Other damages are done to the files. ``outcome`` is what ``verify`` must answer; ``alone`` says that the
published files suffice, otherwise the original and what the owner kept are needed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
from tests.damage.damaging import (
    add_column,
    add_column_to_extra_table,
    append_bytes,
    change_data_csv,
    copy_folder,
    cut,
    edit_json,
    edit_text,
    link_folder,
    link_instead,
    list_label_twice,
    more_labels,
    move_footer,
    note_field,
    on_disk,
    other_writer,
    put,
    put_folder,
    put_link,
    quote,
    remove,
    remove_folder,
    rename_folder,
    reverse_keys,
    rewrite_parquet,
    set_key,
)
from tests.damage.forging import (
    add_label,
    add_one,
    borrow_note,
    borrow_note_of_other_claim,
    call_column,
    call_label,
    change_cells,
    change_class,
    change_extra_table,
    change_label,
    change_one,
    claim,
    count_more,
    declare_attribute,
    declare_column,
    declare_extra_table,
    declare_places,
    drop_columns,
    drop_record,
    edit_extra_table,
    empty_reason,
    exchange,
    forge,
    invent_suppressed_record,
    list_members,
    list_other_column,
    list_row,
    lower_claim,
    nudge,
    numbered,
    other_claim,
    other_value_name,
    play,
    raise_claim,
    rename,
    reorder_columns,
    reorder_names,
    repeat_record,
    replace_note,
    reverse_extra_table,
    reverse_rows,
    reverse_simultaneous,
    stretch,
    swap_records,
    swap_values,
    unsorted_values,
    with_columns,
)
from tests.damage.forging_rt import (
    all_sensitive,
    change_sets,
    exchange_sets,
    gain_sensitive,
    gain_value,
    list_sensitive_member,
    lose_sensitive,
    lose_value,
    other_quasi,
    repeat_value,
)

from sfumato.release.text import ValueFormat

BROKEN, UNDECLARED, UNSETTLED = "broken", "undeclared", "unsettled"


@dataclasses.dataclass(frozen=True)
class Damage:
    """What is done to the folder of a release, what must be found, and from what."""

    do: Callable[[Path], None]
    outcome: str | tuple[str, ...]
    alone: bool = True
    only: tuple[str, ...] = ()
    """Releases it can be done to, by the beginning of their names; all if none is named."""
    never: tuple[str, ...] = ()

    def applies(self, name: str) -> bool:
        return (not self.only or name.startswith(self.only)) and name not in self.never


TRAJECTORIES = ("km-anonymity", "klm-anonymity")
SEQUENCES = ("group-anonymity", "gl-diversity")
RECORDS = ("km-anonymity", "klm-anonymity", "group-anonymity", "gl-diversity", "itemset-anonymity", "km-items")
HISTORIES = (*RECORDS, "prefix-frequency")
NAMED = (*RECORDS, "activity-diversity", "class-anonymity")
CLASSES = ("activity-diversity", "class-anonymity")
SNAPSHOTS = ("l-diversity", "l-eligibility")
SEPARATED = ("km-items, separated",)
GENERALISED = (*TRAJECTORIES, *SEQUENCES)
SENSITIVE = ("klm-anonymity", "activity-diversity", "km-items, separated")
LISTED = (*SENSITIVE, *SEQUENCES, "prefix-frequency", "itemset-anonymity")
STREAM = ("l-diversity, stream",)
TABLES = ("k-anonymity",)
WITH_SETS = ("kkm-anonymity",)
DIVERSE = ("kkm-anonymity, diverse",)
ORDERED = ("k-anonymity, ordered",)
TREES = ("k-anonymity, hierarchical",)
POPULATION = ("k-anonymity, presence",)
MEANS = ("k-anonymity, means",)

CLAIM: dict[str, Damage] = {
    "more is claimed": Damage(forge(raise_claim), BROKEN),
    "less is claimed": Damage(forge(lower_claim), BROKEN, alone=False),
    "something about other data is claimed": Damage(forge(other_claim), BROKEN),
    "the statement lies": Damage(set_key("guarantee.statement", "Nobody can be found."), BROKEN),
    "the statement says more": Damage(
        edit_text("release.json", lambda text: text.replace('"statement": "', '"statement": "Alice has the flu. ')),
        BROKEN,
    ),
    "the guarantee is unknown": Damage(set_key("guarantee.name", "perfect"), UNSETTLED),
    "a parameter is missing": Damage(edit_json(lambda m: m["guarantee"]["parameters"].popitem()), UNSETTLED),
    "a parameter is one too many": Damage(set_key("guarantee.parameters.who", "Alice"), UNSETTLED),
    "a parameter is of another type": Damage(
        edit_json(lambda m: m["guarantee"]["parameters"].__setitem__(next(iter(m["guarantee"]["parameters"])), [[1]])),
        UNSETTLED,
    ),
    "another method": Damage(set_key("method", "alice-has-the-flu"), UNDECLARED, never=STREAM),
    "no note about the method": Damage(edit_json(lambda m: m.pop("method_note")), UNSETTLED),
    "a note that is no text": Damage(set_key("method_note", None), UNSETTLED),
    "the note about the method is emptied": Damage(forge(replace_note("")), UNDECLARED, never=STREAM),
    "the note about the method says more": Damage(
        forge(lambda r: replace_note(f"{r.method_note} Alice has the flu.")(r)), UNDECLARED, never=STREAM
    ),
    "the note of another method": Damage(forge(borrow_note), UNDECLARED, never=STREAM),
    "the note of the same method under another claim": Damage(
        forge(borrow_note_of_other_claim), UNDECLARED, only=TABLES
    ),
    "the note is changed on disk": Damage(set_key("method_note", "Safe."), (UNDECLARED, BROKEN)),
    "another kind": Damage(
        edit_json(lambda m: m.update(kind="sets" if m["kind"] == "timeline" else "timeline")), BROKEN
    ),
    "no kind there is": Damage(set_key("kind", "alice"), UNSETTLED),
    "more records than there were": Damage(forge(count_more), BROKEN),
    "a withheld record is invented": Damage(forge(invent_suppressed_record), BROKEN, alone=False),
    "a reason that applies to nobody": Damage(forge(empty_reason), BROKEN),
    "withheld is not the sum of its reasons": Damage(set_key("records.withheld", 7), BROKEN),
    "another number of published records": Damage(set_key("records.published", 7), BROKEN),
    "a sensitive value is not named": Damage(claim(sensitive=()), BROKEN, alone=False, only=SENSITIVE),
    "another sensitive value is named": Damage(claim(sensitive=("p1",)), BROKEN, alone=False, only=SENSITIVE),
    "a name is smuggled among the sensitive values": Damage(
        claim(sensitive=lambda old: (*old, "zz Alice")), BROKEN, alone=False, only=SENSITIVE
    ),
    "a monitored event is not named": Damage(claim(monitored=("p0",)), BROKEN, alone=False, only=SEQUENCES),
    "one monitored event more": Damage(
        claim(monitored=lambda old: (*old, "zz Alice")), BROKEN, alone=False, only=SEQUENCES
    ),
    "a sensitive event is not named": Damage(claim(events=("p0",)), BROKEN, alone=False, only=("prefix-frequency",)),
    "an itemset is not named": Damage(claim(itemsets=(("p8",),)), BROKEN, alone=False, only=("itemset-anonymity",)),
    "itemsets are cut": Damage(claim(itemsets=(("p0",), ("p8",))), BROKEN, alone=False, only=("itemset-anonymity",)),
    "the window is longer": Damage(claim(window=9), BROKEN, alone=False, only=SNAPSHOTS),
}

TRUTH: dict[str, Damage] = {
    "a record is dropped": Damage(
        forge(drop_record),
        BROKEN,
        alone=False,
        only=(*TRAJECTORIES, *SEQUENCES, "km-items", "itemset", "prefix-frequency", *SNAPSHOTS, *TABLES),
    ),
    "a record is published twice": Damage(
        forge(repeat_record),
        BROKEN,
        alone=False,
        only=(*TRAJECTORIES, *SEQUENCES, "km-items", "itemset", "prefix-frequency", *SNAPSHOTS, *TABLES),
    ),
    "two records are exchanged": Damage(forge(swap_records), BROKEN, alone=False, never=(*SEPARATED, *CLASSES)),
    "the records are in another order": Damage(
        forge(lambda r: numbered(reverse_rows(r))),
        BROKEN,
        alone=False,
        only=(*TRAJECTORIES, *SEQUENCES, "itemset", "prefix-frequency", *TABLES),
    ),
    "an entry is another one": Damage(forge(change_label), BROKEN, alone=False, only=HISTORIES),
    "an entry is invented": Damage(forge(add_label), BROKEN, alone=False, only=HISTORIES),
    "data.csv has other records": Damage(edit_text("data.csv", change_data_csv), BROKEN),
    "a removed value is made up": Damage(
        forge(list_row(None, "zz Alice has the flu")), BROKEN, alone=False, only=(*TRAJECTORIES, "itemset")
    ),
    "a value that no record has": Damage(
        forge(list_row("{zz1|zz2}", "zz1", "zz2")), UNDECLARED, only=(*GENERALISED, "itemset")
    ),
    "a published value is listed as removed": Damage(
        forge(lambda r: list_row(None, next(iter(r.meanings().values()))[0])(r)), BROKEN, only=TRAJECTORIES
    ),
    "an interval is wider": Damage(
        forge(change_cells("monitored_times", stretch)), BROKEN, alone=False, only=SEQUENCES
    ),
    "a time is another one": Damage(forge(change_cells("times", stretch)), BROKEN, alone=False, only=SEQUENCES),
    "a count is another one": Damage(
        forge(change_cells("counts", lambda rows: add_one(rows[0]))), BROKEN, alone=False, only=("prefix-frequency",)
    ),
    "times are not in order": Damage(forge(change_cells("time", exchange)), BROKEN, only=("prefix-frequency",)),
    "two clusters exchange their sizes": Damage(
        forge(change_extra_table("size", exchange)), BROKEN, alone=False, only=SEPARATED
    ),
    "a cluster has one more record": Damage(
        forge(change_extra_table("size", add_one)), BROKEN, only=(*SEPARATED, *CLASSES)
    ),
    "a subrecord moves to another chunk": Damage(
        forge(change_cells("chunk", exchange)), BROKEN, alone=False, only=SEPARATED
    ),
    "a subrecord moves to another cluster": Damage(
        forge(change_cells("cluster", exchange)), BROKEN, alone=False, only=SEPARATED
    ),
    "two shares are exchanged": Damage(forge(change_cells("share", exchange)), BROKEN, alone=False, only=CLASSES),
    "a share is moved to another activity": Damage(
        forge(change_cells("activity", exchange)), BROKEN, alone=False, only=CLASSES
    ),
    "two attributes are exchanged": Damage(forge(change_cells("age", exchange)), BROKEN, alone=False, only=SNAPSHOTS),
    "an attribute is another one": Damage(
        forge(change_cells("age", lambda cells: cells.__setitem__(0, "99"))), BROKEN, alone=False, only=SNAPSHOTS
    ),
    "two records change groups": Damage(
        forge(change_cells("group", exchange)), BROKEN, alone=False, only=("l-diversity",)
    ),
    "a value counts once more": Damage(forge(change_extra_table("count", add_one)), BROKEN, only=("l-diversity",)),
    "two values are exchanged": Damage(forge(swap_values), BROKEN, alone=False, only=("l-diversity",)),
    "two sensitive values are exchanged": Damage(
        forge(change_cells("illness", exchange)), BROKEN, alone=False, only=("l-eligibility",)
    ),
    "a quasi-identifier is called plain": Damage(
        forge(
            lambda r: dataclasses.replace(
                r, columns=tuple(dataclasses.replace(c, role="plain") if c.name == "age" else c for c in r.columns)
            )
        ),
        BROKEN,
        alone=False,
        only=SNAPSHOTS,
    ),
}

SMUGGLING: dict[str, Damage] = {
    "a column in data.csv": Damage(add_column("data.csv"), UNDECLARED),
    "a column in data.parquet": Damage(
        rewrite_parquet(lambda t: t.append_column("diagnosis", pa.array(["flu"] * t.num_rows))), UNDECLARED
    ),
    "a column that is declared": Damage(forge(declare_column), BROKEN),
    "an attribute that is declared": Damage(forge(declare_attribute), BROKEN, alone=False, only=(*SNAPSHOTS, *TABLES)),
    "a column that is called otherwise": Damage(
        forge(call_column), UNDECLARED, only=("prefix-frequency", "itemset-anonymity")
    ),
    "a removed value of another column": Damage(forge(list_other_column), UNDECLARED, only=GENERALISED),
    "events of one moment in another order": Damage(forge(reverse_simultaneous), UNDECLARED, only=("group-anonymity",)),
    "digits in a share": Damage(forge(change_cells("share", nudge)), UNDECLARED, only=CLASSES),
    "a column in values.csv": Damage(add_column("values.csv"), UNDECLARED),
    "a column in places.csv": Damage(add_column("places.csv"), UNDECLARED, only=TRAJECTORIES),
    "a column in the further table": Damage(
        add_column_to_extra_table,
        UNDECLARED,
        only=(*SEPARATED, *CLASSES, "l-diversity", *ORDERED, *TREES, *POPULATION, *MEANS),
    ),
    "a further table that is declared": Damage(forge(declare_extra_table), BROKEN),
    "places where there are none": Damage(
        forge(declare_places), UNDECLARED, only=(*SEQUENCES, "km-items", *CLASSES, *SNAPSHOTS, *TABLES)
    ),
    "a place that no record shows": Damage(
        forge(
            lambda r: dataclasses.replace(
                r,
                places=pa.concat_tables(
                    [r.places, r.places.slice(0, 1).set_column(0, "place", pa.array(["zz Alice"]))]
                ),
            )
        ),
        UNDECLARED,
        only=TRAJECTORIES,
    ),
    "places that are not sorted": Damage(
        forge(lambda r: dataclasses.replace(r, places=r.places.take(pa.array(range(r.places.num_rows)[::-1])))),
        UNDECLARED,
        only=TRAJECTORIES,
    ),
    "names that say something": Damage(forge(rename), UNDECLARED, only=NAMED),
    "numbers in another order": Damage(forge(reorder_names), UNDECLARED, only=(*TRAJECTORIES, *SEQUENCES, "itemset")),
    "values that are not sorted": Damage(forge(unsorted_values), UNDECLARED, only=GENERALISED),
    "a value is called otherwise": Damage(forge(other_value_name), UNDECLARED, only=TRAJECTORIES),
    "the further table is not sorted": Damage(
        forge(reverse_extra_table), UNDECLARED, only=(*SEPARATED, *CLASSES, "l-diversity"), never=STREAM
    ),
    "the records are not sorted": Damage(forge(reverse_rows), UNDECLARED, only=(*CLASSES, *SNAPSHOTS), never=STREAM),
    "a hidden file": Damage(put(".names"), UNDECLARED),
    "another table": Damage(put("names.csv"), UNDECLARED),
    "a name that cannot be seen": Damage(put("data.csv\u200b"), UNDECLARED),
    "a folder": Damage(put_folder, UNDECLARED),
    "a link": Damage(put_link, UNDECLARED),
    "a link in the place of data.csv": Damage(link_instead("data.csv"), UNSETTLED),
    "a link in the place of data.parquet": Damage(link_instead("data.parquet"), UNSETTLED),
    "a link in the place of values.csv": Damage(link_instead("values.csv"), UNSETTLED),
    "a link in the place of release.json": Damage(link_instead("release.json"), UNSETTLED),
    "a word in the page": Damage(edit_text("README.md", lambda text: text + "Alice has the flu.\n"), UNDECLARED),
    "a link in the place of the page": Damage(link_instead("README.md"), UNSETTLED),
}

METADATA: dict[str, Damage] = {
    "a key in release.json": Damage(set_key("note", "Alice has the flu"), UNDECLARED),
    "a key of the guarantee": Damage(set_key("guarantee.note", "Alice has the flu"), UNDECLARED),
    "a key of a column": Damage(set_key("columns.0.note", "Alice has the flu"), UNDECLARED),
    "a key of the records": Damage(set_key("records.note", 1), UNDECLARED),
    "a key twice": Damage(
        edit_text("release.json", lambda text: text.replace('"kind":', '"kind": "sets",\n  "kind":', 1)), UNSETTLED
    ),
    "other spaces in release.json": Damage(
        edit_text("release.json", lambda text: text.replace(": ", ":  ", 1)), UNDECLARED
    ),
    "escapes in release.json": Damage(
        edit_text("release.json", lambda text: text.replace('"kind"', '"\\u006bind"', 1)), UNDECLARED
    ),
    "another order of keys": Damage(reverse_keys, UNDECLARED),
    "a byte order mark in release.json": Damage(edit_text("release.json", lambda text: "\ufeff" + text), UNDECLARED),
    "bytes behind release.json": Damage(edit_text("release.json", lambda text: text + "\n \t\n"), UNDECLARED),
    "half a character in release.json": Damage(
        edit_text("release.json", lambda text: text.replace('"method": "', '"method": "\\ud800')), UNSETTLED
    ),
    "a list of the claim in another order": Damage(
        edit_json(lambda m: m["guarantee"]["parameters"]["monitored"].reverse()), UNDECLARED, only=SEQUENCES
    ),
    "itemsets in another order": Damage(
        edit_json(lambda m: m["guarantee"]["parameters"]["itemsets"].reverse()), UNDECLARED, only=("itemset",)
    ),
    "a comment in release.json": Damage(edit_text("release.json", lambda text: text + "// Alice\n"), UNSETTLED),
    "another meaning of a form": Damage(set_key("columns.0.meaning", "Alice"), UNSETTLED),
    "an older format": Damage(set_key("format_version", 2), UNSETTLED),
    "the oldest format": Damage(set_key("format_version", 1), UNSETTLED),
    "quotes in data.csv": Damage(edit_text("data.csv", quote), UNDECLARED),
    "other line ends in data.csv": Damage(edit_text("data.csv", lambda text: text.replace("\n", "\r\n")), UNDECLARED),
    "blank lines behind data.csv": Damage(edit_text("data.csv", lambda text: text + "\n\n"), UNDECLARED),
    "a byte order mark in data.csv": Damage(edit_text("data.csv", lambda text: "\ufeff" + text), UNDECLARED),
    "blank lines behind values.csv": Damage(edit_text("values.csv", lambda text: text + "\n\n"), UNDECLARED),
    "half of data.csv": Damage(cut("data.csv"), (BROKEN, UNSETTLED)),
    "half of data.parquet": Damage(cut("data.parquet"), UNSETTLED),
    "no data.csv": Damage(remove("data.csv"), UNSETTLED),
    "no values.csv": Damage(remove("values.csv"), UNSETTLED),
    "metadata of data.parquet": Damage(
        rewrite_parquet(lambda t: t.replace_schema_metadata({"patient": "Alice"})), UNDECLARED
    ),
    "metadata of a column of data.parquet": Damage(rewrite_parquet(note_field), UNDECLARED),
    "statistics in data.parquet": Damage(rewrite_parquet(write_statistics=True), UNDECLARED),
    "compressed columns in data.parquet": Damage(rewrite_parquet(compression="zstd"), UNDECLARED),
    "row groups of data.parquet": Damage(rewrite_parquet(row_group_size=3), UNDECLARED),
    "plain columns in data.parquet": Damage(rewrite_parquet(use_dictionary=False), UNDECLARED),
    "columns of data.parquet in another order": Damage(
        rewrite_parquet(lambda t: t.select(t.column_names[::-1])), UNDECLARED
    ),
    "bytes between columns and footer": Damage(move_footer, UNDECLARED),
    "bytes behind data.parquet": Damage(append_bytes, UNSETTLED),
    "another writer of data.parquet": Damage(other_writer, UNDECLARED),
    "a label that no record has": Damage(on_disk(more_labels), UNDECLARED, only=(*HISTORIES, *TABLES), never=MEANS),
    "a label that its dictionary lists twice": Damage(
        # Arrow unites such labels where it reads them from a file, whose bytes say that they were there.
        on_disk(list_label_twice),
        UNDECLARED,
        only=(*HISTORIES, *TABLES, *CLASSES, *WITH_SETS),
        never=MEANS,
    ),
    "a member is listed twice": Damage(
        forge(lambda r: dataclasses.replace(r, values=pa.concat_tables([r.values, r.values.slice(0, 1)]))),
        BROKEN,
        only=(*GENERALISED, "km-items", *TABLES, *WITH_SETS),
        never=(*SEPARATED, *MEANS, *POPULATION),
    ),
}

OF_TABLES: dict[str, Damage] = {
    "a record leaves its class": Damage(forge(change_one("age", lambda _: {"lo": 1, "hi": 99})), BROKEN),
    "a record is less exact": Damage(forge(change_one("age", lambda cell: {**cell, "hi": cell["hi"] + 1})), BROKEN),
    "a record is suppressed": Damage(forge(change_one("age", lambda _: None)), BROKEN),
    "a record is called missing": Damage(forge(change_one("age", lambda _: {"lo": None, "hi": None})), BROKEN),
    "a range is another one": Damage(
        forge(change_class("age", lambda cell: {"lo": cell["hi"] + 100, "hi": cell["hi"] + 200})), BROKEN, alone=False
    ),
    "a range runs backwards": Damage(forge(change_class("age", lambda _: {"lo": 50, "hi": 20})), BROKEN),
    "a range has one bound": Damage(forge(change_class("age", lambda cell: {**cell, "hi": None})), BROKEN),
    "a date is another one": Damage(
        forge(change_class("born", lambda cell: {"lo": cell["hi"], "hi": cell["hi"]})), BROKEN, alone=False
    ),
    "a set has another label": Damage(
        forge(change_class("sex", lambda _: ["zz alice"])), BROKEN, alone=False, never=MEANS
    ),
    "a set has a label more": Damage(
        forge(change_class("sex", lambda cell: sorted({*cell, "zz alice"}) if "" not in cell else ["zz"])),
        BROKEN,
        alone=False,
        never=MEANS,
    ),
    "a set is not sorted": Damage(forge(change_class("sex", lambda _: ["m", "f"])), BROKEN, never=MEANS),
    "a set has a label twice": Damage(forge(change_class("sex", lambda _: ["f", "f"])), BROKEN, never=MEANS),
    "a set is empty": Damage(forge(change_class("sex", lambda _: [])), BROKEN, never=MEANS),
    "a missing value stands beside others": Damage(
        forge(change_class("sex", lambda _: ["", "f"])), BROKEN, never=MEANS
    ),
    "a label is another one": Damage(
        forge(change_class("town", lambda _: "zz alice")), BROKEN, alone=False, never=MEANS
    ),
    "a label is called otherwise": Damage(forge(call_label), BROKEN, alone=False, never=(*MEANS, *POPULATION)),
    "a label that nobody has": Damage(forge(list_members("town", "zz", "zz1", "zz2")), UNDECLARED, never=MEANS),
    "labels that overlap": Damage(
        forge(list_members("town", "zz", "bonn", "jena")), BROKEN, never=(*MEANS, *POPULATION)
    ),
    "a label below itself": Damage(
        forge(list_members("town", "zz", "west", "jena")), BROKEN, never=(*MEANS, *POPULATION)
    ),
    "members of a column that has none": Damage(forge(list_members("illness", "zz", "flu", "cold")), UNDECLARED),
    "a label with one member": Damage(forge(list_members("town", "zz", "ulm")), BROKEN),
    "a member more": Damage(
        forge(lambda r: list_members("town", r.values["value"][0].as_py(), "zz alice")(r)),
        BROKEN,
        alone=False,
        never=(*MEANS, *POPULATION),
    ),
    "a sensitive value is another one": Damage(forge(change_one("illness", lambda _: "gout 2")), BROKEN, alone=False),
    "two sensitive values are exchanged": Damage(forge(change_cells("illness", exchange)), BROKEN, alone=False),
    "two plain values are exchanged": Damage(forge(change_cells("smokes", exchange)), BROKEN, alone=False),
    "a quasi-identifier is called plain": Damage(forge(play("age", "plain")), BROKEN),
    "a plain column is called sensitive": Damage(forge(play("smokes", "sensitive")), BROKEN),
    "a sensitive column is called plain": Damage(forge(play("illness", "plain")), BROKEN),
    "a sensitive column is called plain, and not claimed": Damage(
        forge(
            lambda r: dataclasses.replace(
                play("illness", "plain")(r),
                guarantee=dataclasses.replace(r.guarantee, l=1, c=None, t=None, sensitive=()),
                extra_tables={},
            )
        ),
        BROKEN,
        alone=False,
    ),
    "a quasi-identifier is not claimed": Damage(claim(quasi=lambda old: old[1:]), BROKEN),
    "a quasi-identifier is left out": Damage(forge(lambda r: drop_columns(r, "age")), BROKEN, alone=False),
    "columns are in another order": Damage(forge(reorder_columns), BROKEN, alone=False),
    "quasi-identifiers in another order": Damage(
        edit_json(lambda m: m["guarantee"]["parameters"]["quasi"].reverse()), UNDECLARED
    ),
    "an empty cell": Damage(forge(change_one("illness", lambda _: None)), (BROKEN, UNSETTLED)),
    "whole numbers become decimals": Damage(
        forge(
            lambda r: dataclasses.replace(
                with_columns(r, age=r.table["age"].cast(ValueFormat("interval", "float64").arrow)),
                columns=tuple(
                    dataclasses.replace(c, form=ValueFormat("interval", "float64")) if c.name == "age" else c
                    for c in r.columns
                ),
            )
        ),
        BROKEN,
        alone=False,
    ),
    "l is promised": Damage(claim(l=5, diversity="distinct", c=None), BROKEN),
    "entropy is promised": Damage(claim(l=4, diversity="entropy", c=None), BROKEN),
    "recursive diversity is promised": Damage(claim(l=3, diversity="recursive", c=0.1), BROKEN),
    "closeness is promised": Damage(claim(t=0.01, distance="equal"), BROKEN),
    "presence is promised": Damage(claim(presence=0.5), BROKEN, never=POPULATION),
    "an order without an order": Damage(claim(t=1.0, distance="ordered"), BROKEN, never=ORDERED),
    "a further table that nothing calls for": Damage(claim(t=None, distance="equal"), BROKEN, only=(*ORDERED, *TREES)),
    "a value has no place": Damage(
        forge(edit_extra_table(lambda rows: rows.remove(next(r for r in rows if r["value"] == "flu")))),
        BROKEN,
        only=(*ORDERED, *TREES),
    ),
    "a value has two places": Damage(
        forge(edit_extra_table(lambda rows: rows.append(rows[0]))), BROKEN, only=(*ORDERED, *TREES)
    ),
    "a value of nobody": Damage(
        forge(edit_extra_table(lambda rows: rows.append({**rows[-1], "value": "zz alice"}))),
        BROKEN,
        alone=False,
        only=TREES,
    ),
    "a value of nobody in an order": Damage(
        forge(edit_extra_table(lambda rows: rows.append({**rows[-1], "value": "zz alice"}))), BROKEN, only=ORDERED
    ),
    "another order of sensitive values": Damage(forge(reverse_extra_table), BROKEN, alone=False, only=ORDERED),
    "a tree that is not sorted": Damage(forge(reverse_extra_table), UNDECLARED, only=TREES),
    "a tree with two roots": Damage(
        forge(edit_extra_table(lambda rows: next(r for r in rows if r["value"] == "gout").update(parent=""))),
        BROKEN,
        only=TREES,
    ),
    "a node above itself": Damage(
        forge(edit_extra_table(lambda rows: next(r for r in rows if r["value"] == "lungs").update(parent="lungs"))),
        BROKEN,
        only=TREES,
    ),
    "a node above nobody knows what": Damage(
        forge(edit_extra_table(lambda rows: next(r for r in rows if r["value"] == "gout").update(parent="zz"))),
        BROKEN,
        only=TREES,
    ),
    "a value above another": Damage(
        forge(edit_extra_table(lambda rows: next(r for r in rows if r["value"] == "gout").update(parent="flu"))),
        BROKEN,
        only=TREES,
    ),
    "more people fit a class": Damage(
        forge(edit_extra_table(lambda rows: rows[0].update(people=rows[0]["people"] + 50))),
        BROKEN,
        alone=False,
        only=POPULATION,
    ),
    "fewer people fit a class": Damage(
        forge(edit_extra_table(lambda rows: rows[0].update(people=1))), BROKEN, only=POPULATION
    ),
    "a class is not counted": Damage(
        forge(edit_extra_table(lambda rows: rows.pop())), BROKEN, only=(*POPULATION, *MEANS)
    ),
    "a class is counted twice": Damage(
        forge(edit_extra_table(lambda rows: rows.append(rows[-1]))), BROKEN, only=(*POPULATION, *MEANS)
    ),
    "a class that no record has": Damage(
        forge(edit_extra_table(lambda rows: rows.append({**rows[-1], "age": {"lo": 5000, "hi": 6000}}))),
        BROKEN,
        only=(*POPULATION, *MEANS),
    ),
    "classes in another order": Damage(forge(reverse_extra_table), UNDECLARED, only=(*POPULATION, *MEANS)),
    "another presence": Damage(claim(presence=0.1), BROKEN, only=POPULATION),
    "a mean beyond its range": Damage(
        forge(edit_extra_table(lambda rows: rows[0].update(mean_age=500.0))), BROKEN, only=MEANS
    ),
    "digits in a mean": Damage(
        forge(edit_extra_table(lambda rows: rows[0].update(mean_age=rows[0]["mean_age"] + 1e-11))),
        BROKEN,
        alone=False,
        only=MEANS,
    ),
    "a value under another node": Damage(
        forge(edit_extra_table(lambda rows: next(r for r in rows if r["value"] == "gout").update(parent="lungs"))),
        BROKEN,
        alone=False,
        only=TREES,
    ),
}

OF_TABLES_WITH_SETS: dict[str, Damage] = {
    "someone leaves a class": Damage(forge(change_one("age", lambda _: {"lo": 1, "hi": 99})), BROKEN),
    "someone is suppressed": Damage(forge(change_one("age", lambda _: None)), BROKEN),
    "an age is another one": Damage(
        forge(change_class("age", lambda cell: {"lo": cell["hi"] + 100, "hi": cell["hi"] + 200})), BROKEN, alone=False
    ),
    "ages run backwards": Damage(forge(change_class("age", lambda _: {"lo": 50, "hi": 20})), BROKEN),
    "sexes are not sorted": Damage(forge(change_class("sex", lambda _: ["m", "f"])), BROKEN),
    "a plain value is another one": Damage(forge(change_one("city", lambda _: "zz")), BROKEN, alone=False),
    "a set loses a value": Damage(forge(change_sets(lose_value)), BROKEN, alone=False),
    "a set gains an item": Damage(forge(change_sets(gain_value)), BROKEN),
    "a set has a value twice": Damage(forge(change_sets(repeat_value)), BROKEN),
    "two people exchange their sets": Damage(forge(change_sets(exchange_sets)), BROKEN, alone=False),
    "the claim is about fewer columns": Damage(forge(other_quasi), BROKEN),
    "an item is listed as removed": Damage(forge(list_row(None, "zz Alice")), BROKEN),
    "a sensitive item is gone": Damage(forge(change_sets(lose_sensitive)), BROKEN, alone=False, only=DIVERSE),
    "a sensitive item is invented": Damage(forge(change_sets(gain_sensitive)), BROKEN, alone=False, only=DIVERSE),
    "everybody has a sensitive item": Damage(forge(change_sets(all_sensitive)), BROKEN, only=DIVERSE),
    "a sensitive item is a member": Damage(forge(list_sensitive_member), BROKEN, only=DIVERSE),
    "l is larger": Damage(claim(l=9), BROKEN, only=DIVERSE),
    "one sensitive item is not named": Damage(claim(sensitive=lambda old: old[:1]), BROKEN, alone=False, only=DIVERSE),
    "l is gone": Damage(claim(l=1), BROKEN, alone=False, only=DIVERSE),
    "m is larger": Damage(claim(m=3), BROKEN, alone=False),
}

SUMMARY: dict[str, Damage] = {
    "the stream claims more": Damage(set_key("guarantee.parameters.l", 9, "../stream.json"), BROKEN),
    "the stream claims something else": Damage(set_key("guarantee.name", "km-anonymity", "../stream.json"), BROKEN),
    "the stream's statement lies": Damage(set_key("guarantee.statement", "Safe.", "../stream.json"), BROKEN),
    "the stream had more records": Damage(set_key("records.in", 999, "../stream.json"), BROKEN),
    "the stream published more": Damage(set_key("records.published", 999, "../stream.json"), BROKEN),
    "the stream has more snapshots": Damage(set_key("snapshots", 999, "../stream.json"), BROKEN),
    "the stream has another method": Damage(set_key("method", "anatomy", "../stream.json"), BROKEN),
    "the stream has another note": Damage(set_key("method_note", "Safe.", "../stream.json"), BROKEN),
    "the stream has no note": Damage(edit_json(lambda m: m.pop("method_note"), "../stream.json"), BROKEN),
    "a snapshot has a note of its own": Damage(set_key("method_note", "Safe."), BROKEN),
    "a key in stream.json": Damage(set_key("note", "Alice", "../stream.json"), UNDECLARED),
    "a key twice in stream.json": Damage(
        edit_text("../stream.json", lambda t: t.replace('"kind":', '"kind": "sets",\n  "kind":', 1)), UNSETTLED
    ),
    "other spaces in stream.json": Damage(edit_text("../stream.json", lambda t: t.replace(": ", ":  ", 1)), UNDECLARED),
    "the combined table has other records": Damage(edit_text("../data.csv", change_data_csv), BROKEN),
    "the combined further table has other rows": Damage(
        edit_text("../sensitive.csv", lambda text: text + text.splitlines()[-1] + "\n"), BROKEN
    ),
    "a column in the combined table": Damage(add_column("../data.csv"), UNDECLARED),
    "a file beside the snapshots": Damage(put("../names.csv"), UNDECLARED),
    "a folder beside the snapshots": Damage(lambda folder: put_folder(folder.parent), UNDECLARED),
    "a snapshot is gone": Damage(remove_folder, BROKEN),
    "a snapshot is called otherwise": Damage(rename_folder, BROKEN),
    "a snapshot is there twice": Damage(copy_folder, BROKEN),
    "the stream is called unfinished": Damage(set_key("finished", False, "../stream.json"), UNDECLARED),
    "a link in the place of a snapshot": Damage(link_folder, BROKEN),
}

DAMAGES: dict[str, Damage] = {
    **CLAIM,
    **TRUTH,
    **SMUGGLING,
    **METADATA,
    **{name: dataclasses.replace(damage, only=damage.only or TABLES) for name, damage in OF_TABLES.items()},
    **{n: dataclasses.replace(damage, only=damage.only or WITH_SETS) for n, damage in OF_TABLES_WITH_SETS.items()},
    **{name: dataclasses.replace(damage, only=STREAM) for name, damage in SUMMARY.items()},
}
