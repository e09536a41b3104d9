"""Files of strangers: what is read, and which line, row or file is named where something is wrong."""

from __future__ import annotations

import csv
import datetime
import io
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyoxigraph import BlankNode

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.ontologies.building import build
from sfumato.ontologies.definition import SourceSection
from sfumato.ontologies.readers import choose_format, read_source
from sfumato.ontologies.readers.datatypes import fits_datatype
from sfumato.ontologies.terms import Prefixes


def read(path: Path, **more):
    return list(read_source(SourceSection(name="s", file=str(path), **more), Prefixes({"e": "http://e/"})))


def format_quads(quads):
    return sorted(f"{quad.subject} {quad.predicate} {quad.object}" for quad in quads)


SAME = {
    "a.ttl": "@prefix e: <http://e/> . e:x e:p 'hello'@en .",
    "a.nt": '<http://e/x> <http://e/p> "hello"@en .',
    "a.rdf": '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="http://e/">'
    '<rdf:Description rdf:about="http://e/x"><e:p xml:lang="en">hello</e:p></rdf:Description></rdf:RDF>',
    "a.jsonld": '{"@id": "http://e/x", "http://e/p": {"@value": "hello", "@language": "en"}}',
}


@pytest.mark.parametrize("name", SAME)
def test_every_format_says_the_same(name, tmp_path):
    (tmp_path / name).write_text(SAME[name])
    assert format_quads(read(tmp_path / name)) == ['<http://e/x> <http://e/p> "hello"@en']


BAD = {
    "space.nt": ("<http://e/x y> <http://e/p> 'a' .", "space.nt, line 1: not N-Triples"),
    "cut.ttl": ("<http://e/x> <http://e/p>\n'a", "cut.ttl, line 2: not Turtle"),
    "latin.ttl": (b"<http://e/x> <http://e/p> 'caf\xe9' .", "latin.ttl, line 1"),
    "far.jsonld": ('{"@context": "http://schema.org/", "@id": "http://e/x"}', "asks for a context that lies elsewhere"),
    "deep.jsonld": ("[" * 100, "deep.jsonld, line 1: lists and objects are nested more than 64 deep"),
    "graph.jsonld": (
        '{"@id": "http://e/g", "@graph": [{"@id": "http://e/x", "http://e/p": 1}]}',
        "has named graphs",
    ),
    "bomb.rdf": (
        '<!DOCTYPE r [<!ENTITY a "aa">\n<!ENTITY b "&a;&a;">]><r>&b;</r>',
        "bomb.rdf, line 2: an entity refers",
    ),
    "file.rdf": ('<!DOCTYPE r [<!ENTITY a SYSTEM "/etc/passwd">]><r>&a;</r>', "file.rdf, line 1: an entity refers"),
    "grow.rdf": (f'<!DOCTYPE r [<!ENTITY a "{"a" * 9000}">]><r>{"&a;" * 40_000}</r>', "expands to more than"),
    "quads.nq": ("<http://e/x> <http://e/p> <http://e/y> <http://e/g> .", "N-Quads has several graphs"),
    "what.doc": ("x", "The format of what.doc is unknown"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_named(name, tmp_path):
    content, said = BAD[name]
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(SchemaError, match=said):
        read(tmp_path / name)


def test_entities_of_an_editor_are_read(tmp_path):
    """Editors of ontologies write namespaces as entities."""
    (tmp_path / "p.owl").write_text(
        '<!DOCTYPE rdf:RDF [<!ENTITY e "http://e/">]>'
        + SAME["a.rdf"].replace('rdf:about="http://e/x"', 'rdf:about="&e;x"')
    )
    assert len(read(tmp_path / "p.owl")) == 1


def test_a_missing_file_is_named(tmp_path):
    table = {"subject": "e:{a}", "class": "e:A"}
    for name, options in (("no.ttl", {}), ("no.csv", {"table": table}), ("no.zip", {"table": table})):
        with pytest.raises(SchemaError, match=rf"{name}(: there is no such file| does not exist)"):
            read(tmp_path / name, **options)


def test_blank_nodes_are_those_of_the_source_and_the_same_next_time(tmp_path):
    (tmp_path / "a.ttl").write_text("[] <urn:p> [ <urn:q> 1 ] .")
    one, two = read(tmp_path / "a.ttl"), read(tmp_path / "a.ttl")
    assert one == two
    assert {node.value for quad in one for node in (quad.subject, quad.object) if isinstance(node, BlankNode)} == {
        "s-1",
        "s-2",
    }


def test_a_long_text_is_kept_whole(tmp_path):
    (tmp_path / "a.nt").write_text(f'<http://e/x> <http://e/p> "{"x" * 3_000_000}" .')
    (found,) = read(tmp_path / "a.nt")
    assert len(found.object.value) == 3_000_000
    assert len(Prefixes().show(found.object)) < 200


class TestTables:
    TABLE = {  # noqa: RUF012
        "subject": "e:{name}",
        "class": "e:Fish",
        "columns": {
            "name": "e:name",
            "tags": {"property": "e:tag", "iri": "e:tag/{}", "separator": ";"},
            "word": {"property": "e:word", "language_from": "tongue"},
            "long": {"property": "e:long", "datatype": "xsd:integer"},
        },
    }

    def test_cells_become_texts_languages_types_and_things(self, tmp_path):
        text = 'name,tags,word,tongue,long\n"tuna & co",a; b c;,thon,fr,12\ncod,,,,\n'
        (tmp_path / "t.csv").write_text(text)
        assert format_quads(read(tmp_path / "t.csv", table=self.TABLE)) == [
            '<http://e/cod> <http://e/name> "cod"',
            "<http://e/cod> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/Fish>",
            '<http://e/tuna_%26_co> <http://e/long> "12"^^<http://www.w3.org/2001/XMLSchema#integer>',
            '<http://e/tuna_%26_co> <http://e/name> "tuna & co"',
            "<http://e/tuna_%26_co> <http://e/tag> <http://e/tag/a>",
            "<http://e/tuna_%26_co> <http://e/tag> <http://e/tag/b_c>",
            '<http://e/tuna_%26_co> <http://e/word> "thon"@fr',
            "<http://e/tuna_%26_co> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <http://e/Fish>",
        ]

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("nam,tags,word,tongue,long\na,b,c,en,1\n", "has no column 'name'"),
            ("name,tags,word,tongue,long\n,b,c,en,1\n", "row 1 has no value in a column of subject"),
            (
                "name,tags,word,tongue,long\na,b,c,not a tongue,1\n",
                "row 1 has a cell in column 'word' that makes no IRI or language",
            ),
            (
                "name,tags,word,tongue,long\na,b,c,en,1\nb,b,c,en,12 John\n",
                r"^t.csv: row 2 has a cell in column 'long' that is no xsd:integer\.$",
            ),
        ],
    )
    def test_a_fault_names_the_column_or_row(self, text, said, tmp_path):
        (tmp_path / "t.csv").write_text(text)
        with pytest.raises(SchemaError, match=said):
            read(tmp_path / "t.csv", table=self.TABLE)

    @pytest.mark.parametrize(
        ("subject", "said"),
        [("{name}", "row 1 makes no IRI of subject"), ("e:{word}", "row 1 has a cell in column 'name' that")],
    )
    def test_a_cell_that_is_no_iri_is_not_shown(self, subject, said, tmp_path):
        (tmp_path / "t.csv").write_text("name,word\nAnn Miller,x\n")
        with pytest.raises(SchemaError, match=said) as error:
            read(tmp_path / "t.csv", table={"subject": subject, "columns": {"name": {"property": "e:n", "iri": "{}"}}})
        assert "Miller" not in str(error.value)

    def test_cells_that_have_a_type_are_written_as_rdf_writes_it(self, tmp_path):
        cells = {"i": 7, "flag": True, "at": datetime.datetime(2024, 2, 29, 12), "on": datetime.date(2024, 2, 29)}
        pq.write_table(pa.Table.from_pylist([{**cells, "far": float("inf")}]), tmp_path / "t.parquet")
        types = {"i": "int", "flag": "boolean", "at": "dateTime", "on": "date", "far": "double"}
        columns = {name: {"property": f"e:{name}", "datatype": f"xsd:{kind}"} for name, kind in types.items()}
        found = read(tmp_path / "t.parquet", table={"subject": "e:{i}", "columns": columns})
        said = {quad.predicate.value.removeprefix("http://e/"): quad.object.value for quad in found}
        assert said == {"i": "7", "flag": "true", "at": "2024-02-29T12:00:00", "on": "2024-02-29", "far": "INF"}

    def test_a_table_without_a_mapping_says_what_it_needs(self, tmp_path):
        (tmp_path / "t.csv").write_text("a\n1\n")
        with pytest.raises(ParameterError, match=r"needs \[source.table\] with columns and subject"):
            read(tmp_path / "t.csv")


WRITTEN = {
    "integer": ("0 -7 +12 007 " + "9" * 5000, "12.0 1e3 ١٢ 1,000 0x1F -"),
    "nonNegativeInteger": ("0 -0 12", "-1 1.5"),
    "positiveInteger": ("1", "0 -1"),
    "nonPositiveInteger": ("0 -1", "1"),
    "negativeInteger": ("-1", "0"),
    "long": ("9223372036854775807 -9223372036854775808", "9223372036854775808 " + "9" * 5000),
    "int": ("2147483647", "2147483648 -2147483649"),
    "short": ("-32768", "32768"),
    "byte": ("-128 127", "128 -129"),
    "unsignedLong": ("18446744073709551615", "18446744073709551616 -1"),
    "unsignedInt": ("4294967295", "4294967296"),
    "unsignedShort": ("65535", "65536"),
    "unsignedByte": ("255", "256 -1"),
    "decimal": ("1 -1.5 .5 2. +0.10", "1e3 1,5 . INF NaN"),
    "double": ("1 -1.5e-3 2E10 INF -INF NaN", "inf nan 1e 1,5 infinity"),
    "float": ("1.5 NaN", "1.5f"),
    "boolean": ("true false 1 0", "True yes 2"),
    "date": ("2024-02-29 2000-02-29Z 2023-12-31+14:00 -0044-03-15 12024-02-29", "2023-02-29 1900-02-29 2024-04-31"),
    "dateTime": (
        "2024-02-29T23:59:59 2024-01-01T24:00:00Z 2024-01-01T00:00:00.125-05:30",
        "2024-01-01 2024-02-30T00:00:00 2024-01-01T24:00:01 2024-01-01T10:00 2024-01-01T00:00:00+15:00",
    ),
    "gYear": ("1788 -0044 12024 2024Z", "88 01788 1788-01 year"),
    "gYearMonth": ("1788-01 2024-12Z", "1788-13 1788 1788-1"),
    "string": ("John 12", ""),
    "duration": ("P1D soon", ""),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_datatype_has_its_ways_of_writing(name):
    good, bad = (texts.split(" ") for texts in WRITTEN[name])
    datatype = f"http://www.w3.org/2001/XMLSchema#{name}"
    assert [text for text in good if not fits_datatype(text, datatype)] == []
    assert [text for text in bad if text and fits_datatype(text, datatype)] == []


def test_a_name_in_a_column_of_numbers_is_no_number_and_not_repeated(own_tuna, tmp_path):
    table = own_tuna.parent / "fishbase.csv"
    header, first, *rest = table.read_text().splitlines()
    cells = dict(zip(header.split(","), next(csv.reader([first])), strict=True))
    changed = first.replace(f",{cells['longest_cm']},", ",Mr John Smith 12,")
    table.write_text("\n".join([header, changed, *rest]))
    with pytest.raises(SchemaError, match=r"fishbase.csv: row 1 has a cell in column 'longest_cm'") as told:
        build(own_tuna, tmp_path / "w")
    assert "John" not in str(told.value)
    assert not (tmp_path / "w").exists()


META = """<archive xmlns="http://rs.tdwg.org/dwc/text/">
<core ignoreHeaderLines="{skip}" fieldsTerminatedBy="," rowType="http://rs.tdwg.org/dwc/terms/Taxon">
<files><location>{core}</location></files><id index="0"/>
<field index="1" term="http://rs.tdwg.org/dwc/terms/scientificName"/>
<field default="animals" term="http://rs.tdwg.org/dwc/terms/kingdom"/></core>
<extension fieldsTerminatedBy="," rowType="http://rs.gbif.org/terms/1.0/VernacularName">
<files><location>names.txt</location></files><coreid index="0"/>
<field index="1" term="http://rs.tdwg.org/dwc/terms/vernacularName"/></extension></archive>"""
FILES = {
    "meta.xml": META.format(core="taxon.txt", skip=1),
    "taxon.txt": "id,name\n1,Thunnus\n",
    "names.txt": "1,tuna\n",
}


class TestDarwinCore:
    TABLE = {"subject": "e:{id}"}  # noqa: RUF012

    def pack(self, folder: Path, files: dict[str, str], inside: str = "") -> Path:
        with zipfile.ZipFile(folder / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for name, text in files.items():
                archive.writestr(inside + name, text)
        return folder / "a.zip"

    @pytest.mark.parametrize("inside", ["", "deep/er/"])
    def test_an_archive_says_what_its_folder_says(self, inside, tmp_path):
        (tmp_path / "a").mkdir()
        for name, text in FILES.items():
            (tmp_path / "a" / name).write_text(text)
        more = {"table": self.TABLE, "extensions": {"VernacularName": {"property": "e:has"}}}
        found = format_quads(read(tmp_path / "a", **more))
        assert found == format_quads(read(self.pack(tmp_path, FILES, inside), **more))
        assert found == [
            "<http://e/1> <http://e/has> _:s-1",
            '<http://e/1> <http://rs.tdwg.org/dwc/terms/kingdom> "animals"',
            '<http://e/1> <http://rs.tdwg.org/dwc/terms/scientificName> "Thunnus"',
            '_:s-1 <http://rs.tdwg.org/dwc/terms/vernacularName> "tuna"',
        ]

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"meta.xml": META.format(core="../../etc/passwd", skip=0)}, "names a file outside the archive"),
            ({"meta.xml": META.format(core="/etc/passwd", skip=0)}, "names a file outside the archive"),
            ({"meta.xml": META.format(core="file:///etc/passwd", skip=0)}, "names a file outside the archive"),
            ({"meta.xml": META.format(core="other.txt", skip=0)}, "there is no 'other.txt' in the archive"),
            ({"meta.xml": "<archive>\n<core>"}, "meta.xml: line 2 is not XML"),
            ({"meta.xml": "<archive/>"}, "must have one core"),
            ({"meta.xml": '<!DOCTYPE a [<!ENTITY b "c">]><archive>&b;</archive>'}, "declares a document type"),
            ({"names.txt": "7,tuna\n"}, "names.txt: row 1 belongs to no row of the core"),
            ({"taxon.txt": "id,name\n"}, "taxon.txt: "),
        ],
    )
    def test_a_bad_archive_is_named(self, change, said, tmp_path):
        path = self.pack(tmp_path, {**FILES, **change})
        with pytest.raises(SchemaError, match=said):
            read(path, table=self.TABLE, extensions={"VernacularName": {}})

    def test_an_archive_that_fills_the_memory_is_refused(self, tmp_path, monkeypatch):
        monkeypatch.setattr("sfumato.formats.limits.ALWAYS", 1000)
        with pytest.raises(SchemaError, match="expands to more than"):
            read(self.pack(tmp_path, {**FILES, "taxon.txt": "id,name\n" + "1,a\n" * 100_000}), table=self.TABLE)

    def test_a_link_in_a_folder_does_not_lead_outside(self, tmp_path):
        (tmp_path / "a").mkdir()
        (tmp_path / "secret.txt").write_text("1,secret\n")
        for name, text in FILES.items():
            (tmp_path / "a" / name).write_text(text)
        (tmp_path / "a" / "taxon.txt").unlink()
        (tmp_path / "a" / "taxon.txt").symlink_to(tmp_path / "secret.txt")
        with pytest.raises(SchemaError, match="is outside the archive"):
            read(tmp_path / "a", table=self.TABLE)

    def test_a_file_that_is_no_archive_is_named(self, tmp_path):
        (tmp_path / "a.zip").write_bytes(io.BytesIO(b"PK no").getvalue())
        with pytest.raises(SchemaError, match=r"a.zip is incomplete or damaged"):
            read(tmp_path / "a.zip")
        with pytest.raises(SchemaError, match=r"no meta.xml"):
            read(self.pack(tmp_path, {"x.txt": ""}))

    def test_ids_that_are_no_iris_say_what_is_missing(self, tmp_path):
        with pytest.raises(SchemaError, match="the id in row 1 is not an IRI"):
            read(self.pack(tmp_path, FILES))
        with pytest.raises(ParameterError, match=r"has no extension 'Names'. Extensions: VernacularName"):
            read(self.pack(tmp_path, FILES), table=self.TABLE, extensions={"Names": {}})


def test_the_name_of_a_file_tells_its_format():
    assert choose_format(Path("a.TTL.xz")) == "turtle"


@pytest.mark.parametrize("option", ['delimiter = ";"', 'encoding = "latin-1"', '[source.table]\nsubject = "urn:{x}"'])
def test_an_option_that_would_not_be_heeded_is_refused(option, make, tmp_path):
    with pytest.raises(ParameterError, match=r"a: \w+ does not apply to a.ttl"):
        make(f'[[source]]\nname = "a"\nfile = "a.ttl"\n{option}\n', {"a.ttl": "<urn:a> <urn:b> 1 ."})
    assert not (tmp_path / "w").exists()


def test_a_thesaurus_of_another_encoding_is_told_to_be_saved_anew(make, tmp_path):
    file = make('[[source]]\nname = "a"\nfile = "a.ttl"\n', {}, build_it=False)
    (tmp_path / "a.ttl").write_bytes("<urn:a> <urn:b> 'Käse' .".encode("latin-1"))
    with pytest.raises(SchemaError, match=r"a.ttl, line 1: not Turtle .*UTF-8.*Save the file as UTF-8\."):
        build(file, tmp_path / "w")
    assert not (tmp_path / "w").exists()
