"""Parts come out the same on every engine, for every method that publishes people."""

import importlib.util
import os
import shutil
import sys

import pytest
from tests.kinds.contract_data import KINDS, required_parameters
from tests.test_composition import COMPOSING
from tests.test_contract import ordinary_rows

import sfumato as sf
from sfumato import registry
from sfumato.core.plan import make_plan
from sfumato.core.publishing.secret import Secret
from sfumato.core.selection import take_rows
from sfumato.division import PartJob, publish_in_parts, publish_part
from sfumato.engines.local import Local
from sfumato.engines.spark import Spark
from sfumato.io.streaming import buckets

SECRET = Secret(bytes([1] * 32))

if importlib.util.find_spec("pyspark") is None:
    MISSING = "PySpark is not installed: pip install 'sfumato[cluster]', or make cluster"
elif shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
    MISSING = "Java is not installed: apt install openjdk-17-jre-headless, or see make cluster"
else:
    MISSING = ""


def list_jobs():
    """Two parts of small data for every method, numbered through."""
    jobs = []
    for method in COMPOSING:
        chosen = method(**required_parameters(method))
        data = KINDS[method.kinds[0]].build(ordinary_rows(people=60), method)
        for rows in make_plan(data, chosen, SECRET, 30):
            jobs.append(PartJob(len(jobs), take_rows(data, rows), chosen, SECRET, "records", 1.0))
    return jobs


def published(part):
    return {name: content for name, content in part.files.items() if name.startswith("release/")}


@pytest.fixture(scope="module")
def jobs():
    return list_jobs()


@pytest.fixture(scope="module")
def expected(jobs):
    return {job.number: published(publish_part(job)) for job in jobs}


@pytest.fixture(scope="module")
def spark():
    if MISSING:
        pytest.skip(MISSING)
    engine = Spark.start("local[2]")
    yield engine
    engine.session.stop()


def test_processes_publish_the_same_bytes(jobs, expected):
    found = {part.number: published(part) for part in Local(2).stream(publish_part, iter(jobs))}
    assert found == expected


def test_a_cluster_publishes_the_same_bytes(spark, jobs, expected):
    found = {part.number: published(part) for part in spark.stream(publish_part, iter(jobs))}
    assert found == expected


def files(folder):
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


@pytest.mark.parametrize("name", ["trajectories/local-km", "local-km"])
def test_a_release_is_the_same_on_a_cluster(name, spark, tmp_path):
    method = registry.all_methods()[name]
    data = KINDS[method.kinds[0]].build(ordinary_rows(people=90), method)
    for out, engine in (("here", Local(1)), ("there", spark)):
        publish_in_parts(
            data, method(**required_parameters(method)), tmp_path / out, part_size=40, engine=engine, secret=SECRET
        )
    assert files(tmp_path / "here" / "release") == files(tmp_path / "there" / "release")
    assert sf.verify(tmp_path / "there", data)


def test_a_task_that_fails_says_which_part_and_why(spark, tmp_path):
    data = sf.Dataset.of("sequences", [[("mail", 1)]] * 14, monitored=("post",))
    with pytest.raises(sf.InfeasibleError, match=r"^part-0000\d: Hl: only 0 of 7 people have a monitored event"):
        publish_in_parts(data, sf.methods.Hl(k=3), tmp_path / "out", part_size=7, engine=spark)
    assert not (tmp_path / "out").exists()


def test_other_errors_tell_no_value():
    with pytest.raises(sf.SfumatoError, match=r"^engine: a part failed \(ValueError\)\.$"):
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
        made = publish_in_parts(
            tmp_path / "data.csv",
            sf.methods.Disassociation(k=3, m=2),
            tmp_path / out,
            kind="sets",
            part_size=30,
            engine=engine,
            secret=SECRET,
        )
        assert made.read_whole == ""
    assert files(tmp_path / "here" / "release") == files(tmp_path / "there" / "release")
