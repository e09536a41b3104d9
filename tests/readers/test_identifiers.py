"""Columns that name people, by their shape."""

from __future__ import annotations

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.exceptions import ParameterError
from sfumato.readers.identifiers import detect_identifier

FOUND = {
    "contact": (["a@b.org", "c.d@e-f.com", "x_y@z.co.uk"], "e-mail addresses"),
    "host": (["10.0.0.1", "192.168.1.255", "8.8.8.8"], "IP addresses"),
    "peer": (["2001:db8::1", "fe80::1ff:fe23:4567:890a", "::ffff:1"], "IP addresses"),
    "account": (
        ["DE89 3704 0044 0532 0130 00", "GB82WEST12345698765432", "FR1420041010050500013M02606"],
        "numbers of bank",
    ),
    "paid": (["4111 1111 1111 1111", "5500-0000-0000-0004", "340000000000009"], "numbers of payment cards"),
    "number": (["+49 441 1234567", "(555) 123-4567", "555-123-4567"], "telephone numbers"),
    "mobile": (["01721234567", "0172 7654321", "0441/123456"], "telephone numbers"),
    "ssn": (["123-45-6789", "987-65-4321", "111-22-3333"], "social security numbers"),
    "last_name": (["Meyer", "O'Neill", "García"], "names of people"),
    "who": (
        [f"{a} {b}" for a in ("Ann", "Bob", "Zoë") for b in ("Meyer", "O'Neill", "van-Dyk".title())],
        "names of people",
    ),
}
HARMLESS = {
    "day": ["2024-01-01", "2024-01-02", "2024-02-29"],
    "time": ["10:30:00", "11:45:59", "00:00:00"],
    "zip": ["01067", "80331", "26121"],
    "lat": ["53.14", "8.2100001", "-0.5"],
    "version": ["1.2.3", "1.2.4", "2.0.0"],
    "code": ["1234567890123456", "1234567890123457", "1234567890123458"],
    "amount": ["1000000", "2000000", "1234567"],
    "city": ["New York", "Los Angeles", "Oldenburg"] * 9,
    "diagnosis": ["Sepsis", "Flu", "Broken Leg"] * 9,
    "concept:name": ["Admission", "Discharge", "Release A"] * 9,
}


@pytest.mark.parametrize("name", FOUND)
def test_what_names_people_is_found(name):
    cells, identifier_type = FOUND[name]
    suspect = detect_identifier(name, pa.chunked_array([cells]))
    assert suspect is not None and suspect.identifier_type.startswith(identifier_type)


@pytest.mark.parametrize("name", HARMLESS)
def test_what_names_nobody_is_left_alone(name):
    assert detect_identifier(name, pa.chunked_array([HARMLESS[name]])) is None


@pytest.fixture
def people(tmp_path):
    lines = [f"{20 + n % 4},{'fm'[n % 2]},canary{n}@example.org,{'ab'[n % 2]}" for n in range(20)]
    (tmp_path / "people.csv").write_text("age,sex,contact,ill\n" + "\n".join(lines) + "\n")
    return tmp_path / "people.csv"


@pytest.mark.parametrize("role", ["plain", "sensitive"])
def test_nobody_is_published_by_name(people, role):
    options = {"quasi": "age,sex", role: "contact", "drop": "ill"}
    data = sf.read(people, "table", **options)
    with pytest.raises(ParameterError, match="Column 'contact' looks like e-mail addresses") as caught:
        sf.anonymize(data, sf.methods.Mondrian(k=2))
    assert "canary" not in str(caught.value)
    allowed = sf.read(people, "table", **options, plain_anyway="contact")
    assert sf.anonymize(allowed, sf.methods.Mondrian(k=2), secret=bytes([1] * 32)).release


def test_inspect_points_at_columns(people):
    found = sf.inspect(sf.read(people, "table", quasi="age,sex", plain="contact", sensitive="ill"))
    assert found["identifiers"] == [{"column": "contact", "looks_like": "e-mail addresses", "share": 1.0}]


def test_histories_are_looked_at(tmp_path):
    (tmp_path / "a.csv").write_text("person,item\n" + "".join(f"{n},10.0.0.{n}\n" for n in range(9)))
    found = sf.inspect(sf.read(tmp_path / "a.csv", "sets"))
    assert [suspect["looks_like"] for suspect in found["identifiers"]] == ["IP addresses"]
