"""Partitions come out the same on every engine, for every method that publishes people."""

import json
import subprocess
import sys

import pyarrow.parquet as pq
import pytest
from tests.contracts.kinds.contract_data import KINDS, required_parameters
from tests.contracts.kinds.test_composition import COMPOSING
from tests.contracts.kinds.test_contract import ordinary_rows
from tests.engines.sessions import MISSING, files

import sfumato as sf
from sfumato import plugins
from sfumato.data.secret import Secret
from sfumato.data.select import take_rows
from sfumato.engines.local import Local
from sfumato.engines.publish import PartitionJob, publish_in_partitions, publish_partition
from sfumato.engines.spark import Spark
from sfumato.readers.partitioned import buckets
from sfumato.release.partition_plan import make_plan

SECRET = Secret(bytes([1] * 32))


def list_jobs():
    """Two partitions of small data for every method, numbered through."""
    jobs = []
    for method in COMPOSING:
        chosen = method(**required_parameters(method))
        data = KINDS[method.kinds[0]].build(ordinary_rows(people=60), method)
        for rows in make_plan(data, chosen, SECRET, 30):
            jobs.append(PartitionJob(len(jobs), take_rows(data, rows), chosen, SECRET, "records", 1.0))
    return jobs


def published(partition):
    return {name: content for name, content in partition.files.items() if name.startswith("release/")}


@pytest.fixture(scope="module")
def jobs():
    return list_jobs()


@pytest.fixture(scope="module")
def expected(jobs):
    return {job.number: published(publish_partition(job)) for job in jobs}


def test_processes_publish_the_same_bytes(jobs, expected):
    found = {partition.number: published(partition) for partition in Local(2).stream(publish_partition, iter(jobs))}
    assert found == expected


def test_a_cluster_publishes_the_same_bytes(spark, jobs, expected):
    found = {partition.number: published(partition) for partition in spark.stream(publish_partition, iter(jobs))}
    assert found == expected


@pytest.mark.parametrize("name", ["trajectories/local-km", "local-km"])
def test_a_release_is_the_same_on_a_cluster(name, spark, tmp_path):
    method = plugins.all_methods()[name]
    data = KINDS[method.kinds[0]].build(ordinary_rows(people=90), method)
    for out, engine in (("here", Local(1)), ("there", spark)):
        publish_in_partitions(
            data, method(**required_parameters(method)), tmp_path / out, partition_size=40, engine=engine, secret=SECRET
        )
    assert files(tmp_path / "here" / "release") == files(tmp_path / "there" / "release")
    assert sf.verify(tmp_path / "there", data)


def test_a_task_that_fails_says_which_partition_and_why(spark, tmp_path):
    data = sf.Dataset.of("sequences", [[("mail", 1)]] * 14, monitored=("post",))
    with pytest.raises(sf.InfeasibleError, match=r"^part-0000\d: Hl: only 0 of 7 people have a monitored event"):
        publish_in_partitions(data, sf.methods.Hl(k=3), tmp_path / "out", partition_size=7, engine=spark)
    assert not (tmp_path / "out").exists()


def test_other_errors_tell_no_value():
    with pytest.raises(sf.SfumatoError, match=r"^engine: a partition failed \(ValueError\)\.$"):
        list(Local(2).stream(int, ["ann"]))


def test_what_is_missing_for_a_cluster_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(sf.ParameterError, match=r"needs PySpark.*sfumato\[cluster\]"):
        Spark.start("local[2]")


@pytest.mark.filterwarnings("ignore::sfumato.ReleaseWarning")
def test_a_file_read_in_bounded_memory_gives_the_same_release_on_a_cluster(spark, tmp_path, monkeypatch):
    monkeypatch.setattr(buckets, "_SIZE", 1_000)
    lines = [f"p{n % 60},i{n * n % 7}" for n in range(240)]
    (tmp_path / "data.csv").write_text("person,item\n" + "\n".join(lines) + "\n")
    for out, engine in (("here", Local(1)), ("there", spark)):
        made = publish_in_partitions(
            tmp_path / "data.csv",
            sf.methods.Disassociation(k=3, m=2),
            tmp_path / out,
            kind="sets",
            partition_size=30,
            engine=engine,
            secret=SECRET,
        )
        assert made.read_whole == ""
    assert files(tmp_path / "here" / "release") == files(tmp_path / "there" / "release")


BASKETS = sf.methods.Disassociation(k=3, m=2)


@pytest.mark.filterwarnings("ignore::sfumato.ReleaseWarning")
@pytest.mark.parametrize("pattern", ["data", "data/*.csv", "data/part-1.csv"])
def test_places_that_spark_reads_give_the_release_of_the_same_rows(pattern, spark, tmp_path, monkeypatch):
    monkeypatch.setattr(buckets, "_SIZE", 1_000)
    (tmp_path / "data").mkdir()
    for partition in range(3):
        lines = [f"p{n % 60},i{n * n % (7 + partition)}" for n in range(partition * 99, 240 + partition)]
        (tmp_path / "data" / f"part-{partition}.csv").write_text("person,item\n" + "\n".join(lines) + "\n")
    (tmp_path / "data" / "_SUCCESS").write_text("")
    here = tmp_path / pattern.removesuffix("/*.csv")
    for out, data, engine in (("here", here, Local(1)), ("there", f"file://{tmp_path}/{pattern}", spark)):
        made = publish_in_partitions(
            data, BASKETS, tmp_path / out, kind="sets", partition_size=30, engine=engine, secret=SECRET
        )
        assert (made.read_whole, made.original.source) == ("", here.name)
    assert files(tmp_path / "here" / "release") == files(tmp_path / "there" / "release")


@pytest.mark.filterwarnings("ignore::sfumato.ReleaseWarning")
def test_check_ins_in_parquet_files_give_the_same_release_on_a_cluster(spark, tmp_path, monkeypatch):
    monkeypatch.setattr(buckets, "_SIZE", 4_000)
    table = plugins.find_kind("trajectories").generator.load().generate(60, 1, places=12)
    (tmp_path / "data").mkdir()
    for partition in range(3):
        pq.write_table(
            table.slice(partition * 100, 100 if partition < 2 else None),
            tmp_path / "data" / f"{partition}.snappy.parquet",
        )
    shared = {"kind": "trajectories", "partition_size": 30, "secret": SECRET, "max_suppressed_records": 1}
    for out, data, engine in (
        ("here", tmp_path / "data", Local(1)),
        ("there", f"file://{tmp_path}/data", spark),
    ):
        publish_in_partitions(data, sf.methods.SeqAnon(k=3, m=2), tmp_path / out, engine=engine, **shared)
    assert files(tmp_path / "here" / "release") == files(tmp_path / "there" / "release")


PLACES = {
    "file://{}/nowhere": "there is no such place",
    "file://{}/empty": "there are no files",
    "file://{}/mixed": "must have the same header",
    "nonsense://host/data": "Spark does not know this scheme",
}


@pytest.mark.parametrize(("place", "told"), PLACES.items())
def test_bad_places_are_refused_and_nothing_is_left(place, told, spark, tmp_path):
    for folder in ("empty", "mixed"):
        (tmp_path / folder).mkdir()
    (tmp_path / "mixed" / "a.csv").write_text("person,item\n1,x\n")
    (tmp_path / "mixed" / "b.csv").write_text("item,person\nx,1\n")
    with pytest.raises(sf.SchemaError, match=told):
        publish_in_partitions(place.format(tmp_path), BASKETS, tmp_path / "out", kind="sets", engine=spark)
    assert not (tmp_path / "out").exists()


@pytest.mark.filterwarnings("ignore::sfumato.ReleaseWarning")
def test_a_release_is_put_where_spark_writes_whole_or_not_at_all(spark, tmp_path, monkeypatch):
    lines = [f"p{n % 60},i{n * n % 7}" for n in range(240)]
    (tmp_path / "data.csv").write_text("person,item\n" + "\n".join(lines) + "\n")
    shared = {"kind": "sets", "partition_size": 30, "engine": spark, "secret": SECRET}
    publish_in_partitions(tmp_path / "data.csv", BASKETS, tmp_path / "here", **shared)
    place = f"file://{tmp_path}/deep/there"

    def publish(**more):
        publish_in_partitions(tmp_path / "data.csv", BASKETS, place, **shared, **more)

    with monkeypatch.context() as patch:
        patch.setattr("sfumato.engines.spark._digest", lambda file: "another")
        with pytest.raises(sf.VerificationError, match="what was written there is not the release"):
            publish()
    assert not (tmp_path / "deep").exists()
    publish()
    there = tmp_path / "deep" / "there"
    assert files(there / "release") == files(tmp_path / "here" / "release")
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["there"]
    assert (there / "owner").stat().st_mode & 0o777 == 0o700
    assert sf.verify(there, sf.read(tmp_path / "data.csv", "sets"))
    with pytest.raises(sf.SfumatoError, match="already exists"):
        publish()
    publish(force=True)
    assert sf.verify(there)
    (there / "notes.txt").write_text("mine")
    with pytest.raises(sf.SfumatoError, match="holds more than a release"):
        publish(force=True)
    assert (there / "notes.txt").read_text() == "mine"


@pytest.mark.skipif(bool(MISSING), reason=MISSING)
def test_the_command_line_reads_and_writes_where_spark_does(tmp_path):
    (tmp_path / "data").mkdir()
    for partition in range(2):
        lines = [f"p{n},i{n * n % 7}" for n in range(partition * 30, partition * 30 + 30)]
        (tmp_path / "data" / f"{partition}.csv").write_text("person,item\n" + "\n".join(lines) + "\n")
    code = "from sfumato.cli import main; main()"
    words = ["--kind", "sets", "--method", "disassociation", "-p", "k=3", "-p", "m=2", "--partition-size", "30"]
    there = ["--engine", "spark", "--master", "local[2]", "--out", f"file://{tmp_path}/out"]

    def anonymize(data):
        command = [sys.executable, "-c", code, "anonymize", data, *words, *there, "--json"]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    done = anonymize(f"file://{tmp_path}/data")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["parts"] == 2
    assert sf.verify(tmp_path / "out", sf.read(tmp_path / "data", "sets"))
    done = anonymize(f"file://{tmp_path}/nowhere")
    assert (done.returncode, "nowhere: there is no such place" in done.stderr) == (2, False)
    assert "already exists" in done.stderr
