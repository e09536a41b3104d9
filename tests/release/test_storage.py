"""What lies in a release folder: formats, included files, and what is attached to files."""

import json
import os
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.release.manifest import FORMAT_VERSION
from sfumato.release.storage import read_release

OLD_MANIFEST = {
    "format_version": 1,
    "kind": "trajectories",
    "method": "seqanon",
    "guarantee": {"name": "km-anonymity", "parameters": {"k": 2, "m": 2}, "statement": "Safe."},
    "columns": [
        {
            "name": "person",
            "role": "identifier",
            "form": "exact",
            "type": "string",
            "history": False,
            "meaning": "one of",
        },
        {
            "name": "places",
            "role": "history",
            "form": "category",
            "type": "string",
            "history": True,
            "meaning": "one of",
        },
    ],
    "parts": {},
    "records": {"in": 2, "published": 2, "withheld": 0, "withheld_by_reason": {}},
}


def write_old_release(folder):
    """A release as version 0.1 wrote it."""
    folder.mkdir()
    places = pa.array([["a", "b"], ["a", "b"]], pa.list_(pa.dictionary(pa.int32(), pa.string())))
    table = pa.table({"person": ["x", "y"], "places": places})
    pq.write_table(table, folder / "data.parquet", compression="zstd", store_schema=True)
    (folder / "data.csv").write_text("person,places\nx,a;b\ny,a;b\n")
    (folder / "values.csv").write_text("column,value,member\n")
    (folder / "release.json").write_text(json.dumps(OLD_MANIFEST, indent=2) + "\n")


@pytest.fixture
def result():
    data = sf.Dataset.of("trajectories", [["a", "b"], ["a", "b"]], {"a": (0, 0), "b": (1, 1)})
    return sf.anonymize(data, sf.methods.SeqAnon(k=2, m=2), secret=bytes([1] * 32))


@pytest.fixture
def out(result, tmp_path):
    sf.write(result, tmp_path / "out", reports=False)
    return tmp_path / "out"


REFUSED = r"format version {} is older than this program reads \(3\) and cannot be judged\. Publish the data anew"


def test_a_release_of_the_first_format_is_refused_with_a_sentence(tmp_path):
    write_old_release(tmp_path / "release")
    with pytest.raises(SchemaError, match=REFUSED.format(1)):
        sf.verify(tmp_path)


def test_a_release_of_the_second_format_is_refused_with_a_sentence(out):
    """It is like one of today, without a note about its method."""
    path = out / "release" / "release.json"
    manifest = json.loads(path.read_text())
    del manifest["method_note"]
    path.write_text(json.dumps({**manifest, "format_version": 2}))
    with pytest.raises(SchemaError, match=REFUSED.format(2)):
        sf.verify(out)


def test_a_release_of_a_later_format_is_refused_with_a_sentence(out):
    path = out / "release" / "release.json"
    path.write_text(path.read_text().replace(f'"format_version": {FORMAT_VERSION}', '"format_version": 9'))
    with pytest.raises(SchemaError, match="update sfumato"):
        sf.verify(out)


@pytest.mark.parametrize("text", ["[]", "3", "null", '{"format_version": "2"}', '{"format_version": 2}', "{", "NaN"])
def test_what_is_no_manifest_cannot_be_judged(out, text):
    (out / "release" / "release.json").write_text(text)
    with pytest.raises(SchemaError, match=r"release\.json"):
        sf.verify(out)


def test_included_files_are_copied_declared_and_verified(result, tmp_path):
    (tmp_path / "LICENSE").write_text("CC0\n")
    (tmp_path / "codebook.pdf").write_bytes(bytes(range(256)))
    files = [tmp_path / "codebook.pdf", str(tmp_path / "LICENSE")]
    verdict = sf.write(result, tmp_path / "out", reports=False, include=files)
    assert verdict.measured["included_not_judged"] == ["LICENSE", "codebook.pdf"]
    assert (tmp_path / "out" / "release" / "LICENSE").read_text() == "CC0\n"
    assert [file.size for file in read_release(tmp_path / "out").included] == [4, 256]
    assert sf.verify(tmp_path / "out").outcome == "holds"


def test_a_changed_included_file_is_found(result, tmp_path):
    (tmp_path / "LICENSE").write_text("CC0\n")
    sf.write(result, tmp_path / "out", reports=False, include=[tmp_path / "LICENSE"])
    (tmp_path / "out" / "release" / "LICENSE").write_text("CC0 Alice\n")
    verdict = sf.verify(tmp_path / "out")
    assert verdict.undeclared == ("LICENSE: its content is not the declared one",)
    (tmp_path / "out" / "release" / "LICENSE").unlink()
    with pytest.raises(SchemaError, match="LICENSE: the file is missing"):
        sf.verify(tmp_path / "out")


def test_a_declared_file_cannot_be_elsewhere(result, tmp_path):
    (tmp_path / "LICENSE").write_text("CC0\n")
    sf.write(result, tmp_path / "out", reports=False, include=[tmp_path / "LICENSE"])
    path = tmp_path / "out" / "release" / "release.json"
    for name in ("../LICENSE", "data.csv", ".hidden", "a\\u200bb"):
        path.write_text(path.read_text().replace('"name": "LICENSE"', f'"name": "{name}"'))
        with pytest.raises(SchemaError, match="plain name of its own"):
            sf.verify(tmp_path / "out")


@pytest.mark.parametrize(
    "name", ["data.csv", "DATA.CSV", "release.json", "stream.json", ".hidden", "a\u200bb", "two\nlines"]
)
def test_names_that_clash_or_cannot_be_seen_are_refused(result, tmp_path, name):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / name).write_text("mine")
    with pytest.raises(ParameterError, match="include"):
        sf.write(result, tmp_path / "out", reports=False, include=[tmp_path / "mine" / name])
    assert not (tmp_path / "out").exists()


def test_links_folders_and_missing_files_are_refused(result, tmp_path):
    (tmp_path / "LICENSE").write_text("CC0\n")
    (tmp_path / "link").symlink_to(tmp_path / "LICENSE")
    (tmp_path / "folder").mkdir()
    for name in ("link", "folder", "nothing"):
        with pytest.raises(ParameterError, match=f"include: .*{name}"):
            sf.write(result, tmp_path / "out", reports=False, include=[tmp_path / name])
    with pytest.raises(ParameterError, match="a file of this name already"):
        sf.write(result, tmp_path / "out", reports=False, include=[tmp_path / "LICENSE"] * 2)
    assert not (tmp_path / "out").exists()


def test_a_pipe_in_the_place_of_a_file_does_not_wait(out):
    (out / "release" / "data.csv").unlink()
    os.mkfifo(out / "release" / "data.csv")
    with pytest.raises(SchemaError, match=r"data\.csv: this is not a regular file"):
        sf.verify(out)


def test_attributes_of_files_are_named(out):
    try:
        os.setxattr(out / "release" / "data.csv", "user.note", b"Alice has the flu")
    except (OSError, AttributeError):
        pytest.skip("the file system keeps no extended attributes")
    assert sf.verify(out).undeclared == ("data.csv: extended attribute user.note",)


def test_a_file_of_another_version_of_the_library_is_compared_by_content(out):
    path = out / "release" / "data.parquet"
    content = path.read_bytes()
    version = pa.__version__.encode()
    assert content.count(version) == 1
    path.write_bytes(content.replace(version, version.translate(bytes.maketrans(b"0123456789", b"1111111111"))))
    verdict = sf.verify(out)
    assert verdict.outcome == "holds"
    assert verdict.measured["data.parquet"].startswith("compared by content: written by parquet-cpp-arrow")


@pytest.mark.parametrize(
    ("options", "finding"),
    [
        ({"write_statistics": True}, "statistics"),
        ({"row_group_size": 1}, "row groups"),
        ({"compression": "zstd"}, "compressed"),
    ],
)
def test_files_of_other_versions_are_looked_through(out, options, finding):
    path = out / "release" / "data.parquet"
    table = pq.read_table(path)
    pq.write_table(table, path, **{"compression": "none", "write_statistics": False, **options})
    version = pa.__version__.encode()
    other = version.translate(bytes.maketrans(b"0123456789", b"1111111111"))
    path.write_bytes(path.read_bytes().replace(version, other))
    (found,) = [what for what in sf.verify(out).undeclared if finding in what]
    assert found.startswith("data.parquet: ")


def test_a_release_inside_a_release_is_not_judged_in_its_place(out):
    shutil.copytree(out / "release", out / "aside")
    (out / "release" / "names.csv").write_text("1,Alice\n")
    (out / "aside").rename(out / "release" / "release")
    for path in (out, out / "release"):
        named = sf.verify(path).undeclared
        assert named == (
            "names.csv: a file that is not declared",
            "release: a folder that is not declared",
        )


def test_the_same_records_are_the_same_bytes(result, out, tmp_path):
    again = read_release(out)
    sf.write(type(result)(again, result.owner_record), tmp_path / "again", reports=False)
    for path in (out / "release").iterdir():
        assert path.read_bytes() == (tmp_path / "again" / "release" / path.name).read_bytes()
