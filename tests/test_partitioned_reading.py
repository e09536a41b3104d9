"""A release made from a file in bounded memory is, byte for byte, the one made from the data read whole."""

import contextlib
import json
import pickle
import random
import re
import shutil
import tempfile
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato import plugins
from sfumato.engines.local import Local
from sfumato.engines.publish import publish_in_partitions
from sfumato.engines.tasks import mark_file
from sfumato.engines.verify import verify_file
from sfumato.readers.options import ReadOptions
from sfumato.readers.partitioned import buckets, remote, stored
from sfumato.readers.partitioned import rows as rows_of_files
from sfumato.release.run import StoredFile
from sfumato.release.store import StoredContent
from tests.examples import settings
from tests.notes import find_note

SECRET = bytes([7] * 32)
QUASI = {"identifier": ("person",), "quasi": ("age", "sex"), "sensitive": ("diagnosis",), "drop": ("*",)}
ITEMS = {"identifier": ("person",), "quasi": ("birth_year", "race"), "drop": ("*",), "separator": "|"}
CASES = {
    "trajectories": (sf.methods.SeqAnon(k=3, m=2), {}),
    "sets": (sf.methods.Apriori(k=3, m=1), {"hierarchies": {"item": "fanout:3"}}),
    "sequences": (sf.methods.Hl(k=3), {"monitored": ("site06", "site13"), "resolution": "hour"}),
    "activity": (sf.methods.Mc(k=3), {"resolution": "hour"}),
    "table": (sf.methods.Mondrian(k=3), QUASI),
    "rt": (sf.methods.RFirst(k=3, m=1), ITEMS),
}
SMALL = {
    "trajectories": {"places": 12},
    "sets": {"items": 20, "mean_length": 3},
    "sequences": {"events": 30, "mean_events": 6},
    "activity": {"model": "plain", "days": 2, "activities": 60},
}


@pytest.fixture(autouse=True)
def small_buckets(monkeypatch):
    """Many buckets of few people."""
    monkeypatch.setattr(buckets, "_SIZE", 1_000)
    monkeypatch.setattr(buckets, "_MOST", 7)


def generate(kind, size=60, shuffled=False):
    table = plugins.find_kind(kind).generator.load().generate(size, 1, **SMALL.get(kind, {}))
    order = list(range(table.num_rows))
    if shuffled:
        random.Random(3).shuffle(order)
    return table.take(pa.array(order))


def save(table, path):
    if path.suffix == ".csv":
        texts = [table.column(name).cast(pa.string()) for name in table.column_names]
        pa_csv.write_csv(pa.table(texts, names=table.column_names), path)
    else:
        pq.write_table(table, path, row_group_size=50)
    return path


def files(folder):
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def publish_both(path, kind, method, options, tmp_path, engine=None, size=30):
    """Publish a file whole and in bounded memory; return both."""
    shared = {"partition_size": size, "secret": SECRET, "max_suppressed_records": 1}
    whole = sf.read(path, kind, **options)
    one = publish_in_partitions(whole, method, tmp_path / "whole", engine=Local(1), **shared)
    two = publish_in_partitions(
        path, method, tmp_path / "file", kind=kind, reading=options, engine=engine or Local(1), **shared
    )
    assert two.read_whole == ""
    assert two.original.notes == one.original.notes
    assert files(tmp_path / "whole" / "release") == files(tmp_path / "file" / "release")
    assert sf.verify(tmp_path / "file", whole)
    assert len(two.release.partitions) > 1
    return one, two


@pytest.mark.filterwarnings("ignore::sfumato.ReleaseWarning")
@pytest.mark.parametrize("shuffled", [False, True], ids=["in the order of people", "scattered"])
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("kind", CASES)
def test_a_file_gives_the_release_that_its_data_give(kind, suffix, shuffled, tmp_path):
    path = save(generate(kind, shuffled=shuffled), tmp_path / f"data{suffix}")
    publish_both(path, kind, *CASES[kind], tmp_path)


def save_files(table, folder, suffix):
    """Write rows into three files of unequal lengths, and an empty one."""
    folder.mkdir()
    ends = [0, table.num_rows // 5, table.num_rows // 2, table.num_rows, table.num_rows]
    for number in range(4):
        rows = table.slice(ends[number], ends[number + 1] - ends[number])
        save(rows, folder / f"part-{number + 8}{suffix}")
    return folder


@pytest.mark.filterwarnings("ignore::sfumato.ReleaseWarning")
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("kind", CASES)
def test_a_folder_of_files_gives_the_release_that_its_data_give(kind, suffix, tmp_path):
    folder = save_files(generate(kind, shuffled=True), tmp_path / "data", suffix)
    publish_both(folder, kind, *CASES[kind], tmp_path)


@pytest.mark.filterwarnings("ignore::sfumato.ReleaseWarning")
def test_files_without_a_header_and_empty_ones_are_read_as_one(tmp_path):
    lines = [f"{n % 40}\t2010-10-{1 + n % 20:02}T10:00:00Z\t{n % 5}.5\t{n % 5}.25\tp{n % 5}" for n in range(200)]
    (tmp_path / "data").mkdir()
    for number, text in enumerate(["", *("\n".join(lines[at : at + 50]) for at in range(0, 200, 50))]):
        (tmp_path / "data" / f"{number}.txt").write_text(text)
    publish_both(tmp_path / "data", "trajectories", sf.methods.SeqAnon(k=2, m=1), {}, tmp_path, size=20)


class LocalStore:
    """A shelf of another machine: whatever goes there and comes back is pickled."""

    def __init__(self, place):
        self.place, self.files, self.answers = place, {}, []

    def add(self, files):
        for file in files:
            self.files.setdefault(file.collection, {}).setdefault(file.number, {})[file.name] = file.content

    def read_files(self, uri, sizes, work, gives=()):
        paths = list(sizes)
        random.Random(5).shuffle(paths)
        for path in paths:
            content = pa.py_buffer((self.place / path.removeprefix("far://away/")).read_bytes())
            yield from self._do(work, gives, path, content)

    def change(self, collections, numbers, work, gives, in_place=()):
        for number in numbers:
            files = {}
            for collection in collections:
                files |= self.files.get(collection, {}).get(number, {})
            if files:
                found = {name: pa.py_buffer(files[name]) for name in sorted(files)}
                yield from self._do(work, gives, number, found, in_place=in_place)

    def _do(self, work, gives, *given, in_place=()):
        for found in pickle.loads(pickle.dumps(work))(*given):
            if isinstance(found, StoredContent):
                assert found.collection in gives
                assert found.number == given[0] or found.collection not in in_place
                self.add([found])
            else:
                self.answers.append(pickle.dumps(found))
                yield pickle.loads(self.answers[-1])

    def stream(self, collections, numbers, work):
        return self.change(collections, numbers, work, ())

    def clear(self, *collections):
        for collection in collections:
            self.files.pop(collection, None)


class Elsewhere:
    """An engine that shares no files with this machine, and reads those of a place that it alone knows."""

    def __init__(self, place):
        self.place, self.store = place, LocalStore(place)

    def stream(self, work, jobs):
        for job in jobs:
            work, job = pickle.loads(pickle.dumps((work, job)))
            yield pickle.loads(pickle.dumps(work(job)))

    def list_files(self, uri):
        found = self.place / uri.removeprefix("far://away/")
        files = [found] if found.is_file() else sorted(found.rglob("*"))
        return [StoredFile(f"far://away/{file.relative_to(self.place)}", file.stat().st_size, "") for file in files]

    @contextlib.contextmanager
    def open_store(self):
        try:
            yield self.store
        finally:
            self.store.files.clear()

    def work_on_files(self, uri, sizes, work):
        return self.store.read_files(uri, sizes, work)

    def check_free(self, uri, *, force):
        if (self.place / uri.removeprefix("far://away/")).exists() and not force:
            raise sf.SfumatoError(f"{uri}: something is there already")

    def upload_release(self, folder, uri, *, force):
        shutil.copytree(folder, self.place / uri.removeprefix("far://away/"), dirs_exist_ok=force)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sfumato.ReleaseWarning")
@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize("kind", CASES)
def test_files_that_only_an_engine_reaches_give_the_release_that_their_data_give(kind, suffix, tmp_path):
    folder = save_files(generate(kind, shuffled=True), tmp_path / "data", suffix)
    method, options = CASES[kind]
    shared = {"kind": kind, "reading": options, "partition_size": 30, "secret": SECRET, "max_suppressed_records": 1}
    one = publish_in_partitions(folder, method, tmp_path / "here", engine=Local(1), **shared)
    engine = Elsewhere(tmp_path)
    two = publish_in_partitions("far://away/data", method, tmp_path / "there", engine=engine, **shared)
    assert (two.read_whole, two.original.notes, two.original.source) == ("", one.original.notes, "data")
    assert files(tmp_path / "here" / "release") == files(tmp_path / "there" / "release")
    assert engine.store.answers


@pytest.mark.filterwarnings("ignore::sfumato.ReleaseWarning")
@pytest.mark.parametrize("kind", CASES)
def test_files_of_this_machine_that_are_handed_over_give_the_release_that_their_data_give(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(stored, "_LOT", 2_000)
    monkeypatch.setattr(rows_of_files, "_BLOCK", 1_000)
    path = save(generate(kind, shuffled=True), tmp_path / "data.csv")
    publish_both(path, kind, *CASES[kind], tmp_path, engine=Elsewhere(tmp_path))


NAMED = {
    "hierarchies": ("table", {**QUASI, "hierarchies": {"sex": "{}/sex.csv"}}, sf.methods.Mondrian(k=3)),
    "regions": ("trajectories", {"places": "regions:{}/towns.csv,outside=drop"}, sf.methods.SeqAnon(k=2, m=1)),
}


@pytest.mark.filterwarnings("ignore::sfumato.ReleaseWarning")
@pytest.mark.parametrize(("kind", "options", "method"), NAMED.values(), ids=NAMED.keys())
def test_files_that_options_name_go_where_people_are(kind, options, method, tmp_path, monkeypatch):
    path = save(generate(kind, shuffled=True), tmp_path / "data.csv")
    (tmp_path / "named").mkdir()
    (tmp_path / "named" / "sex.csv").write_text("female;*\nmale;*\nF;*\nM;*\n")
    table = pa_csv.read_csv(path)
    if kind == "trajectories":
        west, east, middle = (f(table.column("lon").to_pylist()) for f in (min, max, lambda x: sum(x) / len(x)))
        squares = [f"{a} -89,{b} -89,{b} 89,{a} 89,{a} -89" for a, b in ((west - 1, middle), (middle, east + 1))]
        lines = [f'{name},"POLYGON (({square}))"' for name, square in zip(("west", "east"), squares, strict=True)]
        (tmp_path / "named" / "towns.csv").write_text("\n".join(["name,wkt", *lines, ""]))
    filled = json.loads(json.dumps(options).replace("{}", str(tmp_path / "named")))
    seen, move = [], stored.move_named_files

    def hide(given, packed, folder):
        moved = move(given, packed, folder)
        seen.append(str(moved))
        return moved

    monkeypatch.setattr(stored, "move_named_files", hide)
    _, made = publish_both(path, kind, method, filled, tmp_path, engine=Elsewhere(tmp_path))
    assert seen and not any(str(tmp_path / "named") in each for each in seen)
    assert {name: made.original.read_options[name] for name in filled if name in ("places", "hierarchies")} == {
        name: filled[name] for name in filled if name in ("places", "hierarchies")
    }


def test_files_with_other_types_are_read_whole_wherever_they_are(tmp_path):
    (tmp_path / "data").mkdir()
    for number, items in enumerate((["1", "2"] * 5, [1, 2] * 5)):
        table = pa.table({"person": [f"p{number}{at}" for at in range(10)], "item": items})
        pq.write_table(table, tmp_path / "data" / f"{number}.parquet")
    with pytest.raises(sf.SchemaError) as whole:
        sf.read(tmp_path / "data", "sets")
    engine = Elsewhere(tmp_path)
    for data in (tmp_path / "data", "far://away/data"):
        with pytest.raises(sf.SchemaError) as partitions:
            publish_in_partitions(
                data,
                sf.methods.Disassociation(k=2, m=1),
                tmp_path / "out",
                kind="sets",
                partition_size=5,
                engine=engine,
            )
        assert str(partitions.value) == str(whole.value)
        assert not engine.store.files


def test_a_partition_that_fails_by_a_fault_says_which_and_no_value():
    making = stored.Making(abs, None, (3, 7), None)
    with pytest.raises(sf.SfumatoError, match=r"^engine: part-00007 failed \(\w+\)\.$"):
        list(stored.make_partition(making, 1, {"slice-00000": pa.py_buffer(b"zaphod")}))


def test_rows_of_many_short_files_do_not_all_lie_in_one_bucket():
    batch, salt = pa.RecordBatch.from_pydict({"age": [20, 30]}), buckets.draw_salt()
    found = [bucket for file in range(20) for bucket, _ in buckets.distribute(batch, None, 5, salt, 0, file)]
    assert sorted(found) == sorted(list(range(5)) * 4)


def test_files_that_an_engine_reaches_and_that_have_to_be_read_whole_are_fetched(tmp_path):
    (tmp_path / "data.jsonl").write_text('{"person": "a", "item": "x"}\n{"person": "b", "item": "x"}\n')
    method = sf.methods.Disassociation(k=2, m=1)
    made = publish_in_partitions(
        "far://away/data.jsonl", method, tmp_path / "out", kind="sets", engine=Elsewhere(tmp_path), reports=True
    )
    assert (made.read_whole, made.original.source) == ("files of jsonl are read so", "data.jsonl")
    assert sf.verify(tmp_path / "out", sf.read(tmp_path / "data.jsonl", "sets"))
    assert not list((tmp_path / "out").glob(".parts-*"))


FAR = {
    "nothing": ({}, "far://away/data: there are no files."),
    "no data": ({"LICENSE": "free"}, "no file in it has the extension of a known format"),
    "another header": ({"a.csv": "person,item\n1,x\n", "b.csv": "item,person\nx,1\n"}, "the same header"),
    "another format": (
        {"a.csv": "person,item\n1,x\n", "b.jsonl": "{}\n"},
        "the extension is not that of a known format",
    ),
    "values in folders": ({"year=2024/a.csv": "person,item\n1,x\n"}, "hold the values of column 'year'"),
    "an empty cell": ({"a.csv": "person,item\n1,x\n", "b.csv": "person,item\n1,\n"}, "empty"),
}


@pytest.mark.parametrize(("content", "told"), FAR.values(), ids=FAR.keys())
def test_files_of_an_engine_with_something_wrong_are_refused_and_nothing_is_left(content, told, tmp_path):
    (tmp_path / "data").mkdir()
    for name, text in content.items():
        (tmp_path / "data" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "data" / name).write_text(text)
    with pytest.raises(sf.SchemaError, match=re.escape(told)):
        publish_in_partitions(
            "far://away/data",
            sf.methods.Disassociation(k=2, m=1),
            tmp_path / "out",
            kind="sets",
            engine=Elsewhere(tmp_path),
        )
    assert not (tmp_path / "out").exists()


def test_a_file_that_is_too_large_for_a_task_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(remote, "_LARGEST", 10)
    (tmp_path / "data.csv").write_text("person,item\n1,x\n2,x\n")
    method = sf.methods.Disassociation(k=2, m=1)
    with pytest.raises(sf.SchemaError, match=r"data\.csv: the file has more than .* several smaller files"):
        publish_in_partitions("far://away/data.csv", method, tmp_path / "out", kind="sets", engine=Elsewhere(tmp_path))


@pytest.mark.filterwarnings("ignore::sfumato.ReleaseWarning")
def test_a_release_is_put_where_only_an_engine_writes(tmp_path, monkeypatch):
    (tmp_path / "passing").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "passing"))
    path = save(generate("sets"), tmp_path / "data.csv")
    shared = {"kind": "sets", "reading": CASES["sets"][1], "partition_size": 30, "secret": SECRET}
    publish_in_partitions(path, CASES["sets"][0], tmp_path / "here", engine=Local(1), **shared)
    far = Elsewhere(tmp_path)
    publish_in_partitions(path, CASES["sets"][0], "far://away/there", engine=far, **shared)
    assert files(tmp_path / "here" / "release") == files(tmp_path / "there" / "release")
    with pytest.raises(sf.SfumatoError, match="something is there already"):
        publish_in_partitions(path, CASES["sets"][0], "far://away/there", engine=far, **shared)
    with pytest.raises(sf.ParameterError, match="only the engine spark writes to such places"):
        publish_in_partitions(path, CASES["sets"][0], "far://away/other", engine=Local(1), **shared)
    assert not list((tmp_path / "passing").iterdir())


def test_such_places_need_an_engine_that_reads_them(tmp_path):
    with pytest.raises(sf.ParameterError, match=r"far://away/data: only the engine spark reads URIs"):
        publish_in_partitions("far://away/data", sf.methods.Disassociation(k=2, m=1), tmp_path / "out", kind="sets")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::sfumato.ReleaseWarning")
def test_processes_read_the_same(tmp_path):
    path = save(generate("sets"), tmp_path / "data.csv")
    publish_both(path, "sets", *CASES["sets"], tmp_path, engine=Local(2))


OPTIONS = {
    "one record a day": {"split": "day"},
    "a grid": {"places": "grid:5km"},
    "sensitive places": {"sensitive": ("v01",)},
    "a tree of places": {"hierarchies": {"place": "quadtree:4"}},
    "places by name": {"drop": ("lon", "lat"), "hierarchies": {"place": "fanout:3"}},
    "no time": {"drop": ("time",)},
}


@pytest.mark.filterwarnings("ignore::sfumato.ReleaseWarning")
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
def test_what_is_said_about_all_rows_is_settled_once(options, tmp_path):
    path = save(generate("trajectories", 40), tmp_path / "data.csv")
    labels = "hierarchy" if "hierarchies" in options else "coordinates"
    method = sf.methods.LocalKm(k=2, m=1, labels=labels, infeasible="suppress")
    publish_both(path, "trajectories", method, options, tmp_path, size=20)


@pytest.mark.filterwarnings("ignore::sfumato.ReleaseWarning")
def test_rows_with_empty_cells_are_left_out_and_counted(tmp_path):
    table = generate("sets")
    items = table.column("item").to_pylist()
    items[3] = items[40] = ""
    path = save(table.set_column(1, "item", pa.array(items)), tmp_path / "data.csv")
    _, made = publish_both(path, "sets", CASES["sets"][0], {**CASES["sets"][1], "missing": "drop"}, tmp_path)
    assert find_note(made.original.notes, "empty-rows-left-out").counts == {"rows": 2}


@pytest.mark.filterwarnings("ignore::sfumato.ReleaseWarning")
def test_check_ins_without_a_header_are_recognised(tmp_path):
    lines = [f"{n % 40}\t2010-10-{1 + n % 20:02}T10:00:00Z\t{n % 5}.5\t{n % 5}.25\tp{n % 5}" for n in range(200)]
    (tmp_path / "data.txt").write_text("\n".join(lines))
    publish_both(tmp_path / "data.txt", "trajectories", sf.methods.SeqAnon(k=2, m=1), {}, tmp_path, size=20)


rows = st.lists(st.tuples(st.integers(0, 12), st.sampled_from("abcde")), min_size=30, max_size=80)


@pytest.mark.slow
@settings(max_examples=10)
@given(rows, st.integers(1, 9))
def test_no_number_of_buckets_changes_anything(rows, count):
    import tempfile
    from pathlib import Path

    rows += [(n, "a") for n in range(13)]
    text = "person,item\n" + "\n".join(f"p{who},{what}" for who, what in rows)
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(buckets, "_SIZE", max(len(text) // count, 1))
        path = Path(folder) / "data.csv"
        path.write_text(text)
        publish_both(
            path, "sets", sf.methods.Apriori(k=2, m=1), {"hierarchies": {"item": "flat"}}, Path(folder), size=5
        )


WHOLE = {
    "json lines": ("data.jsonl", '{"person": "a", "item": "x"}\n{"person": "b", "item": "x"}\n', {}, "files of jsonl"),
    "owners": ("data.csv", "basket,item,who\n1,x,a\n2,x,b\n", {"columns": {"owner": "who"}}, "one owner"),
    "steps": ("data.csv", "who,item\na,x\nb,x\n", {"steps": ("rename who=person",)}, "steps"),
    "transactions": ("data.dat", "1 2 3\n1 2\n", {}, "no rows of a table"),
    "transactions by name": ("data.txt", "1,2\n1,2\n", {"format": "transactions"}, "files of transactions are read so"),
    "blanks": ("data.csv", "person item more\na x 1\nb x 2\n", {"format": "csv", "drop": ("more",)}, "blanks"),
}


@pytest.mark.filterwarnings("ignore::sfumato.ReleaseWarning")
@pytest.mark.parametrize(("name", "text", "options", "reason"), WHOLE.values(), ids=WHOLE.keys())
def test_what_cannot_be_read_in_buckets_is_read_whole_and_says_so(name, text, options, reason, tmp_path):
    (tmp_path / name).write_text(text)
    made = publish_in_partitions(
        tmp_path / name,
        sf.methods.Disassociation(k=2, m=1),
        tmp_path / "out",
        kind="sets",
        reading=options,
        engine=Local(1),
    )
    assert reason in made.read_whole
    assert not list((tmp_path / "out").glob(".parts-*"))


BAD = {
    "an empty cell": ("trajectories", lambda lines: [*lines, "p9,2024-01-01T00:00:00Z,,0,0"]),
    "a bad time": ("trajectories", lambda lines: [*lines, "p9,yesterday,v01,0,0"]),
    "a time without a zone": ("trajectories", lambda lines: [*lines, "p9,2024-01-01T00:00:00,v01,0,0"]),
    "a bad number": ("trajectories", lambda lines: [*lines, "p9,2024-01-01T00:00:00Z,v01,x,0"]),
    "a cell too many": ("trajectories", lambda lines: [*lines, "p9,2024-01-01T00:00:00Z,v01,0,0,0"]),
    "a quote that stays open": ("trajectories", lambda lines: [*lines, '"p9,2024-01-01T00:00:00Z,v01,0,0']),
    "a NUL byte": ("trajectories", lambda lines: [*lines, "p9\0,2024-01-01T00:00:00Z,v01,0,0"]),
    "a column twice": ("trajectories", lambda lines: [lines[0] + ",lon", *(line + ",1" for line in lines[1:])]),
    "no such column": ("trajectories", lambda lines: ["who,time,place,lon,lat", *lines[1:]]),
}


@pytest.mark.parametrize(("kind", "damage"), BAD.values(), ids=BAD.keys())
def test_a_bad_row_is_told_in_the_same_words_and_nothing_is_left(kind, damage, tmp_path):
    path = save(generate(kind, 20), tmp_path / "data.csv")
    path.write_text("\n".join(damage(path.read_text().splitlines())) + "\n")
    with pytest.raises(sf.SfumatoError) as whole:
        sf.read(path, kind)
    with pytest.raises(type(whole.value)) as partitions:
        publish_in_partitions(
            path, CASES[kind][0], tmp_path / "deep" / "out", kind=kind, engine=Local(1), partition_size=10
        )
    assert str(partitions.value) == str(whole.value)
    assert not (tmp_path / "deep").exists()


@pytest.mark.parametrize("name", [pa.float64(), pa.decimal128(9, 2), pa.timestamp("s"), pa.binary()], ids=str)
def test_people_named_by_what_names_nobody_are_refused_in_the_same_words(name, tmp_path):
    people = pa.array([str(at) for at in range(40)] if name == pa.binary() else range(40), name)
    path = save(pa.table({"person": people, "item": ["a", "b"] * 20}), tmp_path / "data.parquet")
    with pytest.raises(sf.SfumatoError) as whole:
        sf.read(path, "sets")
    with pytest.raises(type(whole.value)) as partitions:
        publish_in_partitions(path, sf.methods.Disassociation(k=2, m=1), tmp_path / "out", kind="sets", engine=Local(1))
    assert str(partitions.value) == str(whole.value)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("phase", ["read rows", "read people", "sort people", "parts"])
def test_who_stops_it_leaves_nobody_behind(phase, tmp_path):
    path = save(generate("sets"), tmp_path / "data.csv")

    def stop(name, done, _total):
        if name == phase and done:
            raise KeyboardInterrupt

    method, options = CASES["sets"]
    shared = {"kind": "sets", "reading": options, "engine": Local(1), "partition_size": 30, "secret": SECRET}
    with pytest.raises(KeyboardInterrupt):
        publish_in_partitions(path, method, tmp_path / "out", progress=stop, **shared)
    left = {file.name for file in (tmp_path / "out").rglob("*.arrow")}
    assert not left
    assert not list((tmp_path / "out").glob(".parts-*/people"))
    made = publish_in_partitions(path, method, tmp_path / "out", **shared)
    assert made.counters["parts_from_before"] == (1 if phase == "parts" else 0)
    assert sf.verify(tmp_path / "out")


def test_partitions_of_other_data_are_not_taken_up(tmp_path):
    """A file may change and keep its name, size and time: who lies in it decides."""
    import os

    path = save(generate("sets"), tmp_path / "data.csv")
    method, options = CASES["sets"]
    shared = {"kind": "sets", "reading": options, "engine": Local(1), "partition_size": 30, "secret": SECRET}

    def stop(name, done, _total):
        if name == "parts" and done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        publish_in_partitions(path, method, tmp_path / "out", progress=stop, **shared)
    before, text = path.stat(), path.read_text()
    path.write_text(text.replace("p0000001", "p0000002", 1))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    made = publish_in_partitions(path, method, tmp_path / "out", **shared)
    assert made.counters["parts_from_before"] == 0
    assert sf.verify(tmp_path / "out", sf.read(path, "sets", **options))


@pytest.fixture
def published(tmp_path):
    path = save(generate("trajectories", shuffled=True), tmp_path / "data.csv")
    method, options = CASES["trajectories"]
    publish_in_partitions(
        path, method, tmp_path / "out", kind="trajectories", engine=Local(1), partition_size=30, **options
    )
    return path, tmp_path / "out"


def test_a_release_is_held_against_its_file_partition_by_partition(published):
    path, out = published
    found = verify_file(out, path, engine=Local(1))
    assert found
    assert found.measured == sf.verify(out, sf.read(path, "trajectories")).measured
    assert not list(out.glob(".verify-*"))


def test_a_partition_that_is_not_what_its_people_did_is_found(published):
    path, out = published
    partition = out / "release" / "data" / "part-00000"
    other = sf.anonymize(
        sf.Dataset.of("trajectories", [["v01", "v02"]] * 31, {"v01": (0, 0), "v02": (1, 1)}), CASES["trajectories"][0]
    )
    kept = [file for file in partition.iterdir() if file.name in {"data.parquet", "data.csv"}]
    sf.write(other, out.parent / "other", reports=False)
    for file in kept:
        file.write_bytes((out.parent / "other" / "release" / file.name).read_bytes())
    found = verify_file(out, path, engine=Local(1))
    assert found is not None
    assert not found


def test_another_file_is_left_to_whoever_reads_it_whole(published):
    path, out = published
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[:-40]) + "\n")
    assert verify_file(out, path, engine=Local(1)) is None
    with pytest.raises(sf.SchemaError, match="Give the same original"):
        sf.verify(out, sf.read(path, "trajectories"))


def test_what_lies_around_does_not_change_how_a_run_is_known_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "transactions").mkdir()
    (tmp_path / "sets.txt").write_text("a,b\n")
    reading = ReadOptions("sets", format="transactions", separator="comma")
    method = sf.methods.Apriori(k=2, m=1)
    before = mark_file(Path("sets.txt"), reading, method)
    (tmp_path / "out").mkdir()
    (tmp_path / "transactions" / "x").touch()
    assert mark_file(Path("sets.txt"), reading, method) == before
