"""Detection of columns with names, addresses or numbers of people, by the shape of their cells."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.dataset import Dataset
from sfumato.exceptions import ParameterError
from sfumato.messages import Message, option
from sfumato.readers.cells import Cells

__all__ = ["IdentifierWatch", "Suspect", "detect_identifier", "detect_identifiers", "refuse_identifiers"]

_SAMPLE_SIZE = 2_000
"""Different values of a column that are checked."""
_MIN_VALUES = 3
"""Different values that a column needs to be judged."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_PHONE_WORDS = frozenset({"phone", "telephone", "tel", "mobile", "cell", "fax", "handy", "telefon", "msisdn"})
_NAME_WORDS = frozenset(
    {"surname", "lastname", "firstname", "forename", "fullname", "maidenname", "vorname", "nachname", "prenom", "nom"}
)
_PERSON_NOUNS = frozenset(
    {"first", "last", "full", "family", "given", "maiden", "person", "patient", "customer", "client"}
)
_DATE = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*", re.ASCII)
_DIGITS = re.compile(r"\d", re.ASCII)
_EMAIL = re.compile(r"[^@\s,;]+@[^@\s,;]+\.[A-Za-z]{2,}")
_IPV4 = re.compile(r"\d{1,3}(\.\d{1,3}){3}", re.ASCII)
_IPV6 = re.compile(r"[0-9a-fA-F:]*::[0-9a-fA-F:]*|([0-9a-fA-F]{1,4}:){7}[0-9a-fA-F]{1,4}")
_SOCIAL = re.compile(r"\d{3}-\d{2}-\d{4}", re.ASCII)
_IBAN = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}", re.ASCII)
_CARD = re.compile(r"\d{4}([ -]?)\d{4,6}\1\d{4,5}(\1\d{1,4})?", re.ASCII)
_PHONE = re.compile(r"\+\d[\d ()./-]{6,18}|\(\d{2,5}\)[ -]?\d{3,4}[ -]?\d{3,4}|\d{3}[-. ]\d{3}[-. ]\d{4}", re.ASCII)
_LOCAL_PHONE = re.compile(r"\+?[\d ()./-]{7,20}", re.ASCII)
_NAME = re.compile(r"[^\W\d_][\w'’.-]*,? [^\W\d_][\w'’.-]*( [^\W\d_][\w'’.-]*)?")
_PERSON_NAME = re.compile(r"[^\W\d_][\w'’. -]*")


class Suspect(NamedTuple):
    """A column, the type of identifier its cells look like, and the share of different values that do."""

    column: str
    identifier_type: str
    share: float

    def to_dict(self) -> dict[str, object]:
        """Return the fields as plain values."""
        return {"column": self.column, "looks_like": self.identifier_type, "share": round(self.share, 3)}


def detect_identifier(name: str, column: Cells, rows: int | None = None) -> Suspect | None:
    """Detect the names, addresses or numbers of people that a column holds; None where it holds others.

    Cells decide, by their shape; the name of the column counts for ambiguous shapes, such as those of telephone numbers
    and names of people. Where the column has only the different values of a longer one, ``rows`` is its length.

    Examples
    --------
    >>> cells = pa.chunked_array([["ann@example.org", "bob@example.org", "cid@example.com"]])
    >>> detect_identifier("contact", cells)
    Suspect(column='contact', identifier_type='e-mail addresses', share=1.0)
    >>> detect_identifier("day", pa.chunked_array([["2024-01-01", "2024-01-02", "2024-01-03"]])) is None
    True
    """
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_integer(column.type):
        column = column.cast(pa.string())
    if not (pa.types.is_string(column.type) or pa.types.is_large_string(column.type)):
        return None
    distinct = column.unique().drop_null()
    trimmed: Cells = pc.utf8_trim_whitespace(distinct)
    texts = [text for text in trimmed.slice(0, _SAMPLE_SIZE).to_pylist() if text]
    if len(texts) < _MIN_VALUES:
        return None
    words = {word.lower() for word in _WORD.findall(name)}
    telling = len(distinct) > 0.5 * max(len(column) - column.null_count if rows is None else rows, 1)
    for identifier_type, least, test in _tests(words, telling):
        share = sum(map(test, texts)) / len(texts)
        if share >= least:
            return Suspect(name, identifier_type, share)
    return None


def _tests(words: set[str], telling: bool) -> list[tuple[str, float, Callable[[str], bool]]]:
    tests: list[tuple[str, float, Callable[[str], bool]]] = [
        ("e-mail addresses", 0.1, lambda text: _EMAIL.fullmatch(text) is not None),
        ("IP addresses", 0.5, _is_address),
        ("numbers of bank accounts", 0.5, _is_account),
        ("numbers of payment cards", 0.8, _is_card),
        ("social security numbers", 0.8, lambda text: _SOCIAL.fullmatch(text) is not None),
        ("telephone numbers", 0.6, _is_phone),
    ]
    if words & _PHONE_WORDS:
        tests.append(("telephone numbers", 0.6, _is_local_phone))
    if words & _NAME_WORDS or ("name" in words and words & _PERSON_NOUNS) or (words == {"name"} and telling):
        tests.append(("names of people", 0.8, lambda text: _PERSON_NAME.fullmatch(text) is not None))
    if telling:
        tests.append(("names of people", 0.9, _is_full_name))
    return tests


def _is_address(text: str) -> bool:
    if _IPV4.fullmatch(text):
        return all(int(part) <= 255 for part in text.split("."))
    return len(text) > 5 and _IPV6.fullmatch(text) is not None


def _is_account(text: str) -> bool:
    bare = text.replace(" ", "")
    if not _IBAN.fullmatch(bare):
        return False
    return int("".join(str(int(sign, 36)) for sign in bare[4:] + bare[:4])) % 97 == 1


def _is_card(text: str) -> bool:
    if not _CARD.fullmatch(text):
        return False
    digits = [int(digit) for digit in _DIGITS.findall(text)][::-1]
    doubled = sum(sum(divmod(2 * digit, 10)) for digit in digits[1::2])
    return len(digits) in range(13, 20) and (sum(digits[::2]) + doubled) % 10 == 0


def _is_phone(text: str) -> bool:
    return _PHONE.fullmatch(text) is not None and not _DATE.fullmatch(text)


def _is_local_phone(text: str) -> bool:
    digits = len(_DIGITS.findall(text))
    return 7 <= digits <= 15 and _LOCAL_PHONE.fullmatch(text) is not None and not _DATE.fullmatch(text)


def _is_full_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None and all(part[0].isupper() for part in text.replace(",", "").split())


def detect_identifiers(dataset: Dataset, roles: Iterable[str] | None = None) -> list[Suspect]:
    """Check all columns of a dataset that could be published, or those with certain roles.

    Examples
    --------
    >>> data = Dataset.of("sets", [[f"person{n}@example.org"] for n in range(9)])
    >>> [found.identifier_type for found in detect_identifiers(data)]
    ['e-mail addresses']
    """
    wanted = None if roles is None else frozenset(roles)
    suspects = []
    for column in dataset.schema.columns:
        if column.role in {"identifier", "time", "count"} or (wanted is not None and column.role not in wanted):
            continue
        cells = dataset.table.column(column.name)
        if pa.types.is_list(cells.type) or pa.types.is_large_list(cells.type):
            cells = pa.chunked_array([pa.array(dataset.view_history().labels, pa.string())])
        suspect = detect_identifier(column.name, cells)
        suspects += [suspect] if suspect is not None else []
    return suspects


class IdentifierWatch:
    """Refuses names, addresses and numbers of people in columns that are read in batches.

    Parameters
    ----------
    columns
        Columns that would be published unchanged.
    anyway
        Those among them that may be published in any case.

    Examples
    --------
    >>> watch = IdentifierWatch(["contact"])
    >>> watch.update(pa.table({"contact": ["ann@example.org", "bob@example.org"]}))
    >>> watch.update(pa.table({"contact": ["cid@example.org"]}))
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: Column 'contact' looks like e-mail addresses and would be published unchanged.
    Leave it out: identifier=['contact']. Or allow it: plain_anyway=['contact'].
    """

    def __init__(self, columns: Iterable[str], anyway: Iterable[str] = ()) -> None:
        allowed = _names_of(anyway)
        self._seen: dict[str, Cells] = {
            name: pa.chunked_array([], pa.string()) for name in columns if name not in allowed
        }
        self._rows = 0

    def update(self, table: pa.Table) -> None:
        """Check further rows; only different values are kept, at most as many as are checked."""
        self._rows += table.num_rows
        for name, seen in self._seen.items():
            if len(seen) >= _SAMPLE_SIZE:
                continue
            cells = table.column(name)
            if pa.types.is_dictionary(cells.type):
                cells = cells.cast(cells.type.value_type)
            if not (pa.types.is_string(cells.type) or pa.types.is_integer(cells.type)):
                continue
            new = cells.unique().cast(pa.string())
            both: Cells = pa.chunked_array([*seen.chunks, new]).unique()
            self._seen[name] = pa.chunked_array([both.slice(0, _SAMPLE_SIZE)])
            if len(both) > len(seen):
                suspect = detect_identifier(name, self._seen[name], self._rows)
                if suspect is not None:
                    raise _refuse(suspect)


def _names_of(texts: Iterable[str]) -> set[str]:
    return {name.strip() for text in texts for name in (text, *str(text).split(","))}


def _refuse(suspect: Suspect) -> ParameterError:
    column = suspect.column
    return ParameterError(
        f"Column {column!r} looks like {suspect.identifier_type} and would be published unchanged.",
        column=column,
        hint=Message(
            *("Leave it out: ", option("identifier", [column])),
            *(". Or allow it: ", option("plain_anyway", [column]), "."),
        ),
    )


def refuse_identifiers(dataset: Dataset) -> None:
    """Refuse to publish columns unchanged that look like names, addresses or numbers of people."""
    allowed = _names_of(dataset.read_options.get("plain_anyway", ()))
    suspects = [
        suspect for suspect in detect_identifiers(dataset, ("plain", "sensitive")) if suspect.column not in allowed
    ]
    if suspects:
        raise _refuse(suspects[0])
