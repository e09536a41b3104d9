"""Names of columns of sets, formats of texts with sets, and hierarchies and constraints of items."""

from __future__ import annotations

import csv
from collections.abc import Sequence

from sfumato.data.notes import Note
from sfumato.data.record_unit import RecordUnit
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.hierarchies.rules import derive_by_popularity, derive_hierarchy
from sfumato.kinds.sets.reader.transactions import is_spmf_text, recognise_separator
from sfumato.messages import Message, option
from sfumato.readers.constraints import read_itemsets, read_partition
from sfumato.readers.hierarchies import read_hierarchy
from sfumato.readers.notes import SUMMARY, note_strangers
from sfumato.readers.options import ReadOptions
from sfumato.readers.ownership import OWNER
from sfumato.readers.roles import Vocabulary
from sfumato.readers.tables import detect_delimiter

__all__ = ["NAMES", "WAYS", "WORDS", "find_hierarchies", "note_items", "read_constraints", "recognise"]

NAMES = {
    "person": (
        *("user", "user_id", "userid", "uid", "customer", "customer_id", "customerid", "client_id", "household_id"),
        *("household_key", "member_id", "member_number", "patient_id", "visitor_id", "visitorid", "anonid"),
    ),
    "item": (
        *("product", "product_id", "productid", "item_id", "itemid", "sku", "stockcode", "article", "term", "query"),
        *("diagnosis", "diagnosis_code", "itemdescription"),
    ),
    "items": ("itemset", "item_set", "products", "terms", "diagnoses"),
    "transaction": (
        *("transaction_id", "transactionid", "tid", "basket", "basket_id", "order_id", "invoice", "invoiceno"),
        *("session", "session_id", "sessionid"),
    ),
}
WORDS = Vocabulary(
    roles={role: role for role in ("person", "item", "items", OWNER)},
    names={name: role for role, names in NAMES.items() for name in names} | {"transaction": "transaction"},
)
WAYS = (
    "csv (columns person and item, or others by columns; without a header line, their names by header), transactions "
    "(one record per line), spmf, amnesia (a header line, then a|b|c)"
)


def recognise(name: str, lines: Sequence[str], read_options: ReadOptions, *, quoted: bool) -> tuple[str, str | None]:
    """Return the format of a text, and what separates items where that is known, if both are unambiguous."""
    if is_spmf_text(lines):
        return "spmf", None
    if read_options.separator is None and read_options.delimiter is None:
        mark = recognise_separator(lines)
        if mark is not None:
            return "transactions", mark
    delimiter = read_options.delimiter or detect_delimiter(lines[:20])
    try:
        first = next(csv.reader(lines[:1], delimiter=delimiter), [])
    except csv.Error:
        first = []
    roles = {WORDS.names.get(cell.strip().lower(), cell.strip().lower()) for cell in first}
    alone = len(roles) == 1 and not any(sign in lines[0] for sign in ",;\t|")
    if alone and roles <= {"item", "items"} and not quoted:
        return "amnesia", None
    if roles & {"person", "item", "items", "transaction"}:
        return "csv", None
    raise SchemaError(
        f"{name}: the format of the sets is ambiguous.",
        option="format",
        hint=Message("Give ", option("format"), f": {WAYS}."),
    )


def find_hierarchies(
    read_options: ReadOptions, name: str, labels: list[str], counts: list[int], rows: list[int]
) -> dict[str, Hierarchy]:
    """Read the hierarchy of items from its file, or derive it from their order or from how many records have them."""
    strange = [column for column in read_options.hierarchies if column != "item"]
    if strange:
        raise ParameterError(
            Message(option("hierarchies"), f" of sets can be of item only, got {strange[0]!r}."),
            column=strange[0],
            hint=Message("Give ", option("hierarchies", {"item": "FILE"}), "."),
        )
    given = read_options.hierarchies.get("item")
    if given is None:
        return {}
    derived = derive_by_popularity(given, labels, counts) or derive_hierarchy(given, labels, None)
    hierarchy = derived or read_hierarchy(given, root=read_options.hierarchy_root)
    hierarchy.require(labels, f"{name}: hierarchy of item", rows)
    return {"item": hierarchy}


def note_items(unit: RecordUnit, records: int, items: int, kinds: int) -> Note:
    """Note how many records and items there are.

    Examples
    --------
    >>> from sfumato.data.record_unit import PERSON
    >>> str(note_items(PERSON, 2, 3, 2))
    'Found 2 people and 3 items of 2 kinds.'
    """
    return Note(
        SUMMARY,
        "Found {records} {records:{one}|{many}} and {items} {items:item|items} of {kinds} {kinds:kind|kinds}.",
        {"records": records, "items": items, "kinds": kinds},
        details={"one": unit.one, "many": unit.many},
    )


def read_constraints(
    read_options: ReadOptions, labels: list[str], notes: list[Note]
) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Read which items must not be linked, or may be generalised together, and note entries that are no item."""
    constraints = {}
    for kind, file in read_options.constraints.items():
        owner = f"{kind} constraints"
        if kind == "privacy":
            constraints[kind], strangers = read_itemsets(file, labels, owner)
        elif kind == "utility":
            constraints[kind], strangers = read_partition(file, labels, owner, noun="item", alone=True)
        else:
            raise ParameterError(
                Message(option("constraints"), f" of sets must be privacy or utility, got {kind!r}."),
                hint=Message("Give ", option("constraints", {"utility": "FILE"}), "."),
            )
        if strangers:
            notes.append(note_strangers(kind, strangers, "items"))
    return constraints
