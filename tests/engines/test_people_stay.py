"""People of files stay on the cluster: the machine that starts has facts, keys, digests and published partitions."""

import pickle

import pyarrow.parquet as pq
import pytest
from tests.engines.sessions import files

import sfumato as sf
from sfumato import plugins
from sfumato.engines import spark_store
from sfumato.engines.local import Local
from sfumato.engines.publish import PublishedPartition, publish_in_partitions
from sfumato.readers.partitioned import buckets
from sfumato.readers.partitioned.disk import OnDisk
from sfumato.readers.partitioned.records import StoredPartition
from sfumato.release.store import StoredContent

SECRET = bytes([1] * 32)
BASKETS = sf.methods.Disassociation(k=3, m=2)
NAMES = [f"zaphod{number:03}" for number in range(90)]
ITEMS = [f"gadget{number}" for number in range(7)]

pytestmark = pytest.mark.filterwarnings("ignore::sfumato.ReleaseWarning")


@pytest.fixture(autouse=True)
def small_buckets(monkeypatch):
    monkeypatch.setattr(buckets, "_SIZE", 1_000)


@pytest.fixture
def baskets(tmp_path):
    """Baskets of ninety people in three files."""
    (tmp_path / "data").mkdir()
    rows = [f"{NAMES[n % 90]},{ITEMS[n * n % 7]}" for n in range(360)]
    for partition in range(3):
        text = "\n".join(["person,item", *rows[partition::3], ""])
        (tmp_path / "data" / f"part-{partition}.csv").write_text(text)
    return tmp_path / "data"


def publish(data, out, engine, **more):
    chosen = {"kind": "sets", "partition_size": 15, "secret": SECRET, **more}
    return publish_in_partitions(data, chosen.pop("method", BASKETS), out, engine=engine, **chosen)


class Probe:
    """Looks into the folder of a run whenever that shows how far it is, but for partitions that are published."""

    def __init__(self, out):
        self.out, self.seen, self.found = out, set(), set()

    def __call__(self, _phase, _done, _total):
        for file in self.out.rglob("*"):
            inside = file.relative_to(self.out).parts[1:]
            if file.is_file() and inside and not inside[0].startswith(("part-", "aside")):
                self.seen.add(inside[-1][:4])
                content = file.read_bytes()
                self.found |= {word for word in (*NAMES, *ITEMS) if word.encode() in content}


@pytest.mark.parametrize("place", ["a path of this machine", "what Spark reads"])
def test_no_record_lies_on_the_machine_that_starts(place, spark, baskets, tmp_path, monkeypatch):
    here, there = Probe(tmp_path / "here"), Probe(tmp_path / "there")
    publish(baskets, here.out, Local(1), progress=here)
    # What the probe would find, if it were there.
    assert here.found >= set(NAMES)

    def refuse(*_):
        raise AssertionError("records are on the machine that starts")

    monkeypatch.setattr(StoredPartition, "load", refuse)
    monkeypatch.setattr(OnDisk, "spill_rows", refuse)
    answers, take = [], spark_store._take

    def take_recorded(rows, uri):
        answers.append(take(rows, uri))
        return answers[-1]

    monkeypatch.setattr(spark_store, "_take", take_recorded)
    data = baskets if place == "a path of this machine" else f"file://{baskets}"
    made = publish(data, there.out, spark, progress=there)
    assert (made.read_whole, len(made.release.partitions)) == ("", 6)
    assert there.seen >= {"keys", "cont"}
    assert not there.found
    told = [pickle.dumps(found) for _, found in filter(None, answers) if not isinstance(found, PublishedPartition)]
    assert told
    assert not any(name.encode() in each for each in told for name in NAMES)
    assert files(here.out / "release") == files(there.out / "release")
    assert sf.verify(there.out, sf.read(baskets, "sets"))


def test_who_is_in_which_partition_is_kept_as_ever(spark, baskets, tmp_path):
    kept = []
    for out, engine in (("here", Local(1)), ("there", spark)):
        publish(baskets, tmp_path / out, engine)
        table = pq.read_table(tmp_path / out / "owner" / "parts.parquet")
        kept.append(table.sort_by([("part", "ascending"), ("content", "ascending")]))
    assert kept[0].equals(kept[1])


@pytest.mark.parametrize("after", [1, 5])
def test_a_run_that_was_stopped_goes_on(after, spark, baskets, tmp_path):
    def stop(phase, done, _total):
        if (phase, done) == ("parts", after):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        publish(f"file://{baskets}", tmp_path / "there", spark, progress=stop)
    left = files(tmp_path / "there")
    assert sum(name.endswith("ready.json") for name in left) == after
    assert not any("/people/" in name for name in left)
    made = publish(f"file://{baskets}", tmp_path / "there", spark)
    assert made.counters["parts_from_before"] == after
    publish(baskets, tmp_path / "here", Local(1))
    assert files(tmp_path / "here" / "release") == files(tmp_path / "there" / "release")
    assert sf.verify(tmp_path / "there", sf.read(baskets, "sets"))


def test_all_partitions_from_before_need_no_task(spark, baskets, tmp_path, monkeypatch):
    def stop(phase, done, _total):
        if (phase, done) == ("parts", 6):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        publish(baskets, tmp_path / "out", spark, progress=stop)
    monkeypatch.setattr(spark_store.SparkStore, "stream", None)
    assert publish(baskets, tmp_path / "out", spark).counters["parts_from_before"] == 6
    assert sf.verify(tmp_path / "out", sf.read(baskets, "sets"))


def test_a_partition_that_fails_names_itself_and_nobody(spark, tmp_path, monkeypatch):
    monkeypatch.setattr("sfumato.engines.publish._read_whole", None)
    rows = [f"{name},2024-01-01T00:00:00Z,mail" for name in NAMES[:14]]
    rows.append("ford,2024-01-01T00:00:00Z,post")
    (tmp_path / "data.csv").write_text("\n".join(["person,time,event", *rows, ""]))
    with pytest.raises(sf.InfeasibleError, match=r"^part-0000\d: Hl: only \d of \d people have") as told:
        publish(
            tmp_path / "data.csv",
            tmp_path / "out",
            spark,
            method=sf.methods.Hl(k=3),
            kind="sequences",
            partition_size=8,
            reading={"monitored": ("post",)},
        )
    assert not any(name in str(told.value) for name in NAMES)
    assert not (tmp_path / "out").exists()


def test_records_in_the_order_of_rows_give_the_release_of_this_machine(spark, tmp_path):
    pq.write_table(plugins.find_kind("table").generator.load().generate(90, 1), tmp_path / "data.parquet")
    reading = {"identifier": ("person",), "quasi": ("age", "sex"), "drop": ("*",)}
    shared = {"kind": "table", "method": sf.methods.Mondrian(k=3), "reading": reading}
    for out, engine in (("here", Local(1)), ("there", spark)):
        made = publish(tmp_path / "data.parquet", tmp_path / out, engine, **shared)
        assert made.read_whole == ""
    assert files(tmp_path / "here" / "release") == files(tmp_path / "there" / "release")


def test_numbers_are_dealt_out_to_tasks_and_boards_are_removed(spark):
    # Inside of here, so that tasks are sent all of them.
    def count_tasks(number, found):
        from pyspark import TaskContext

        yield number, TaskContext.get().partitionId(), sorted(found)
        yield StoredContent("more", number + 1, "copy", b"".join(content.to_pybytes() for content in found.values()))
        yield StoredContent("same", number, "copy", b"")

    def list_names(number, found):
        yield number, list(found)

    def raise_error(number, found):
        yield int(f"zaphod at {number} of {len(found)}")

    with spark.open_store() as store:
        for begin in (0, 4):
            store.add(StoredContent("files", number, f"{begin:02}", b"x") for number in range(begin, begin + 6))
        answers = list(store.change(["files"], range(2, 10), count_tasks, ["more", "same"], ["same"]))
        both = {number: ["00"] * (number < 6) + ["04"] * (number > 3) for number in range(2, 10)}
        assert sorted(answers) == [(number, number - 2, both[number]) for number in both]
        store.clear("files")
        assert not list(store.change(["files"], range(10), count_tasks, []))
        stayed = list(store.change(["same"], range(2, 10), count_tasks, []))
        assert sorted(stayed) == [(number, number - 2, ["copy"]) for number in range(2, 10)]
        again = list(store.stream(["more"], range(4, 20), list_names))
        assert sorted(again) == [(number, ["copy"]) for number in range(4, 11)]
        store.add(StoredContent("many", number, name, b"") for name in "ab" for number in range(30))
        many = list(store.change(["many"], range(30), count_tasks, ["more", "same"], ["same"]))
        assert sorted(many) == [(number, number % 8, ["a", "b"]) for number in range(30)]
        store.clear("more")
        stayed = list(store.change(["same"], range(2, 10), count_tasks, []))
        assert sorted(number for number, _, _ in stayed) == list(range(2, 10))
        with pytest.raises(sf.SfumatoError, match=r"^engine: a partition failed \(ValueError\)\.$"):
            list(store.stream(["many"], range(9), raise_error))
    assert not store._frames
