"""Partitioned releases: made anywhere and at any pace the same, whole or not at all, and checked one by one."""

import dataclasses
import itertools
import json
import shutil

import numpy as np
import pytest

import sfumato as sf
from sfumato import plugins
from sfumato.attacks.risk import Risk, unite_risks
from sfumato.cli.style import COMMAND_LINE
from sfumato.data.select import take_rows
from sfumato.engines.local import Local
from sfumato.engines.publish import publish_in_partitions
from sfumato.exceptions import SchemaError
from sfumato.messages import write
from sfumato.release import partitioned
from sfumato.release.locate import set_partitions_beside
from sfumato.release.storage import read_release, write_release
from sfumato.verification.policy_check import OWNER_CLAIM
from tests.contracts.kinds.contract_data import KINDS, required_parameters
from tests.contracts.kinds.test_contract import ordinary_rows

SECRET = bytes([1] * 32)
ONE_PER_KIND = ["seqanon", "trajectories/local-km", "hl", "disassociation", "local-km", "mondrian", "rfirst", "l-mdav"]


def build(name, people=90):
    method = plugins.all_methods()[name]
    return KINDS[method.kinds[0]].build(ordinary_rows(people=people), method), method(**required_parameters(method))


def publish(name, out, engine=None, **options):
    data, method = build(name)
    options = {"partition_size": 40, "secret": SECRET, "max_suppressed_records": 1, **options}
    return data, publish_in_partitions(data, method, out, engine=engine or Local(1), **options)


def files(folder):
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    out = tmp_path_factory.mktemp("sound") / "out"
    data, _ = publish("apriori", out)
    return data, out


@pytest.fixture
def damaged(sound, tmp_path):
    """A copy to be damaged."""
    shutil.copytree(sound[1], tmp_path / "out")
    return sound[0], tmp_path / "out"


@pytest.mark.filterwarnings("ignore::sfumato.exceptions.ReleaseWarning")
@pytest.mark.parametrize("name", ONE_PER_KIND)
def test_every_kind_is_published_verified_attacked_and_measured_in_partitions(name, tmp_path):
    data, made = publish(name, tmp_path / "out")
    assert made.verdict
    assert sf.verify(tmp_path / "out")
    assert sf.verify(tmp_path / "out", data)
    assert len(made.release) + sum(made.release.suppressed_records.values()) == made.release.records_in == len(data)
    assert sf.attack(tmp_path / "out", data).people == len(data)
    assert all(np.isfinite(score.value) for score in sf.measure(tmp_path / "out", data))
    partition = tmp_path / "out" / "release" / "data" / "part-00002"
    assert sf.read_release(partition).guarantee == made.release.guarantee
    assert sf.verify(partition)


def test_two_cores_publish_the_same_bytes_as_one(tmp_path):
    publish("seqanon", tmp_path / "one")
    publish("seqanon", tmp_path / "two", Local(2))
    assert files(tmp_path / "one" / "release") == files(tmp_path / "two" / "release")


class Stopped(Local):
    """An engine that is stopped after so many partitions."""

    def __init__(self, after):
        super().__init__(1)
        self.after, self.made = after, 0

    def stream(self, work, jobs):
        for partition in super().stream(work, jobs):
            if self.made == self.after:
                raise KeyboardInterrupt
            self.made += 1
            yield partition


@pytest.mark.parametrize("after", [0, 1, 2])
def test_a_run_that_was_stopped_goes_on_with_the_partitions_that_are_missing(after, sound, tmp_path):
    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        publish("apriori", out, Stopped(after))
    assert [path.name[:7] for path in out.iterdir()] == [".parts-"]
    assert next(out.iterdir()).stat().st_mode & 0o077 == 0
    engine = Stopped(9)
    _, made = publish("apriori", out, engine)
    assert made.counters["parts_from_before"] == after
    assert engine.made == 3 - after
    assert files(out / "release") == files(sound[1] / "release")
    assert sorted(path.name for path in out.iterdir()) == ["owner", "release"]


def test_a_stopped_run_keeps_the_secret_it_drew(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        publish("apriori", tmp_path, Stopped(1), secret=None)
    kept = next(tmp_path.glob(".parts-*/secret.hex")).read_text()
    _, made = publish("apriori", tmp_path, secret=None)
    assert made.counters["parts_from_before"] == 1
    assert (tmp_path / "owner" / "secret.hex").read_text() == kept


@pytest.mark.parametrize(
    "change",
    [{"secret": bytes([2] * 32)}, {"partition_size": 45}, {"max_suppressed_records": 0.5}],
    ids=["another secret", "another size", "another limit"],
)
def test_partitions_of_another_run_are_not_taken(change, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        publish("apriori", tmp_path, Stopped(1))
    _, made = publish("apriori", tmp_path, **change)
    assert made.counters["parts_from_before"] == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["owner", "release"]


@pytest.mark.parametrize("file", ["release/data.csv", "release/release.json", "ready.json"])
def test_a_partition_that_was_changed_while_nobody_looked_is_made_again(file, sound, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        publish("apriori", tmp_path, Stopped(2))
    data = next(tmp_path.glob(f".parts-*/part-00000/{file}"))
    data.write_bytes(data.read_bytes()[:-9])
    _, made = publish("apriori", tmp_path)
    assert made.counters["parts_from_before"] == 1
    assert files(tmp_path / "release") == files(sound[1] / "release")


def test_an_error_names_the_partition_and_leaves_nothing(tmp_path):
    people = [[("mail", 1)]] * 7 + [[("news", 3)]] * 7
    data = sf.Dataset.of("sequences", people, monitored=("post",))
    with pytest.raises(sf.InfeasibleError, match=r"^part-0000\d: "):
        publish_in_partitions(
            data,
            sf.methods.Hl(k=3),
            tmp_path / "deep" / "out",
            partition_size=7,
            engine=Local(1),
        )
    assert not (tmp_path / "deep").exists()


def test_promises_about_the_whole_are_refused(tmp_path):
    people = [(20 + n, "ill" if n % 2 else "well") for n in range(40)]
    data = sf.Dataset.of("table", people, ("age", "state"), sensitive=("state",))
    with pytest.raises(sf.ParameterError, match="t compares every class with the whole release"):
        publish_in_partitions(
            data, sf.methods.Mondrian(k=2, t=0.5), tmp_path / "out", partition_size=20, engine=Local(1)
        )
    for name in ("essa", "anatomy"):
        data, method = build(name)
        with pytest.raises(sf.ParameterError, match="cannot be published in partitions"):
            publish_in_partitions(data, method, tmp_path / "out", engine=Local(1))
    assert not (tmp_path / "out").exists()


def test_files_of_the_owners_own_are_declared_and_not_judged(tmp_path):
    (tmp_path / "LICENSE").write_text("Do what you like.")
    publish("apriori", tmp_path / "out", include=[tmp_path / "LICENSE"])
    assert sf.verify(tmp_path / "out").measured["included_not_judged"] == ["LICENSE"]
    (tmp_path / "out" / "release" / "LICENSE").write_text("Ann lives here.")
    assert sf.verify(tmp_path / "out").outcome == "undeclared"
    with pytest.raises(sf.ParameterError, match="the release has a file of this name already"):
        (tmp_path / "release.json").write_text("{}")
        publish("apriori", tmp_path / "other", include=[tmp_path / "release.json"])
    assert not (tmp_path / "other").exists()


def test_people_are_counted_in_every_partition_where_k_counts_people(tmp_path):
    days = sf.Dataset.of("sets", ordinary_rows(people=120)).of_people([f"p{n % 40}" for n in range(120)])
    publish_in_partitions(
        days, sf.methods.Apriori(k=3, m=1), tmp_path, partition_size=60, protect="people", engine=Local(1)
    )
    verdict = sf.verify(tmp_path, days)
    assert verdict
    least = verdict.measured["fewest_people"]
    assert (least["least"] if isinstance(least, dict) else least) >= 3


def test_a_release_is_replaced_by_force_only(sound, damaged):
    _, out = damaged
    with pytest.raises(sf.SfumatoError, match="force=True"):
        publish("apriori", out)
    publish("apriori", out, secret=bytes([2] * 32), force=True)
    assert sf.verify(out)
    assert files(out / "release") != files(sound[1] / "release")


def test_a_recoding_of_partitions_is_not_applied_and_partitions_are_named(sound):
    data, out = sound
    with pytest.raises(sf.ParameterError, match=r"apply: .* is a partitioned release"):
        sf.apply(out, data)
    with pytest.raises(sf.SchemaError, match=r"is a release in partitions.*part-00000"):
        sf.read_release(out)


def test_the_original_is_known_in_any_order(sound):
    data, out = sound
    assert sf.verify(out, take_rows(data, np.arange(len(data))[::-1]))


def test_another_original_is_no_original_of_it(sound):
    data, out = sound
    with pytest.raises(sf.SchemaError, match="Give the same original"):
        sf.verify(out, take_rows(data, np.arange(80)))
    verdict = sf.verify(out, sf.Dataset.of("sets", ordinary_rows(6, 90)))
    assert verdict.outcome == "unsettled"
    assert "made from other records" in verdict.unsettled[0]


def test_without_the_owners_partition_the_original_settles_nothing(damaged):
    data, out = damaged
    shutil.rmtree(out / "owner")
    assert sf.verify(out)
    assert sf.verify(out, data).outcome == "unsettled"
    with pytest.raises(sf.SchemaError, match="owner/ is missing"):
        sf.attack(out, data)


def test_risks_of_partitions_are_united_from_everybody(sound):
    data, out = sound
    united = sf.attack(out, data)
    assert len(united.set_sizes) == len(data)
    assert united.smallest_anonymity_set >= 2
    assert united.mean_success == pytest.approx(np.mean(1 / united.set_sizes))


@pytest.mark.parametrize("name", ["mondrian", "hi", "mc"])
def test_what_goes_beyond_the_promise_is_found_once_for_all_partitions(name, tmp_path):
    data, _ = publish(name, tmp_path / "out")
    found = sf.attack_beyond(tmp_path / "out", data)
    assert len({finding.knowledge for finding in found}) == len(found)
    alone = [
        finding
        for release, known, rows in set_partitions_beside(tmp_path / "out", data)
        for finding in sf.attack_beyond(release, known) + attack_beyond_with(release, known, rows)
    ]
    for finding in found:
        of_parts = [other for other in alone if other.knowledge == finding.knowledge]
        if hasattr(finding, "people"):
            assert finding.people == sum(other.people for other in of_parts)
        if hasattr(finding, "certain_counts"):
            assert finding.certain_counts == {
                key: sum(other.certain_counts[key] for other in of_parts) for key in finding.certain_counts
            }
    rising = sf.attack_rising(tmp_path / "out", data)
    assert all(risk.people == len(data) for risk in rising["after"])


def attack_beyond_with(release, known, rows):
    """What needs to know who became which record."""
    modules = plugins.find_stronger_attackers(release.kind, release.guarantee.knowledge)
    needing = [module for module in modules if module.attack(release, known, None) is None]
    return [found for module in needing if (found := module.attack(release, known, rows)) is not None]


def test_partitions_of_which_few_people_were_attacked_count_by_their_people():
    everybody = Risk.of(np.array([1] * 10), "items")
    drawn = Risk.of(np.array([2] * 10), "items", people=90)
    united = unite_risks([everybody, drawn])
    assert united.mean_success == pytest.approx(0.1 * 1 + 0.9 * 0.5)
    assert united.unique_share == pytest.approx(0.1)
    assert (united.people, united.measured) == (100, 20)
    assert np.mean(united.set_sizes == 1) == pytest.approx(0.1, abs=0.1)
    assert united.margin == pytest.approx(0.9 * drawn.margin)
    assert united.smallest_anonymity_set == 1


def edit(out, change):
    path = next(path for path in (out / "release" / "release.json", out / "release.json") if path.is_file())
    told = json.loads(path.read_text())
    change(told)
    path.write_text(json.dumps(told, indent=2, ensure_ascii=False) + "\n")


def partition(out, number):
    return out / "release" / "data" / f"part-{number:05}"


def swap(out):
    partition(out, 0).rename(out / "x")
    partition(out, 1).rename(partition(out, 0))
    (out / "x").rename(partition(out, 1))


def take_from(out, number, file):
    path = partition(out, number) / file
    path.write_bytes(b"\n".join(path.read_bytes().split(b"\n")[:-2]) + b"\n")


def claim_more(told):
    told["guarantee"]["parameters"]["k"] = 9


BREAKING = {
    "a partition is missing": lambda out: shutil.rmtree(partition(out, 1)),
    "a partition is not listed any more": lambda out: edit(out, lambda told: told["parts_of_people"].pop()),
    "no part is listed": lambda out: edit(out, lambda told: told["parts_of_people"].clear()),
    "a partition is listed twice": lambda out: edit(
        out, lambda told: told["parts_of_people"].append(told["parts_of_people"][0])
    ),
    "partitions are swapped": swap,
    "a partition is a link": lambda out: (
        partition(out, 0).rename(out / "x"),
        partition(out, 0).symlink_to(out / "x", target_is_directory=True),
    ),
    "a partition lost a record": lambda out: take_from(out, 0, "data.csv"),
    "a partition's meaning of values is another's": lambda out: shutil.copy(
        partition(out, 0) / "values.csv", partition(out, 1) / "values.csv"
    ),
    "the whole claims more than its partitions": lambda out: edit(out, claim_more),
    "the whole counts more": lambda out: edit(out, lambda told: told["records"].update({"published": 91})),
    "the whole says something else": lambda out: edit(
        out, lambda told: told["guarantee"].update({"statement": "Nobody can be found."})
    ),
    "the whole has another note": lambda out: edit(out, lambda told: told.update({"method_note": "Safe."})),
    "a partition has another note": lambda out: edit(
        partition(out, 1), lambda told: told.update({"method_note": "Safe."})
    ),
    "a partition leads outside": lambda out: edit(
        out, lambda told: told["parts_of_people"][0].update({"name": "../../owner/part-00000"})
    ),
}


@pytest.mark.parametrize("damage", BREAKING.values(), ids=BREAKING.keys())
def test_damage_to_what_all_partitions_are_together_breaks_the_release(damage, damaged):
    _, out = damaged
    damage(out)
    assert sf.verify(out).outcome == "broken"


@pytest.mark.parametrize("left", [1, 2, 4])
def test_partitions_that_went_or_came_are_found_with_the_original(left, damaged):
    data, out = damaged
    if left > 3:
        shutil.copytree(partition(out, 0), partition(out, 3))
    for number in range(left, 3):
        shutil.rmtree(partition(out, number))
    partitions = [partitioned.describe_partition(partition(out, number), f"part-{number:05}") for number in range(left)]
    partitioned.write_divided(partitioned.unite_partitions(partitions), out / "release")
    assert sf.verify(out).outcome == "holds"
    verdict = sf.verify(out, original=data)
    assert verdict.outcome == "broken" and verdict.counterexample["check"] == OWNER_CLAIM
    for look in (sf.attack, sf.measure, sf.verify):
        (out / "owner" / "trace.json").unlink(missing_ok=True)
        with pytest.raises(SchemaError, match=f"owner/ is of 3 partitions, but the release has {left}"):
            look(out, original=data)


def test_a_partition_that_breaks_its_promise_breaks_all(damaged):
    """The whole is written anew around a partition that promises more than it keeps: its own check still finds it."""
    _, out = damaged
    for number in range(3):
        path = partition(out, number) / "release.json"
        told = json.loads(path.read_text())
        told["guarantee"]["parameters"]["k"] = 25
        path.write_text(json.dumps(told, indent=2, ensure_ascii=False) + "\n")
    partitions = [partitioned.describe_partition(partition(out, number), f"part-{number:05}") for number in range(3)]
    partitioned.write_divided(partitioned.unite_partitions(partitions), out / "release")
    verdict = sf.verify(out)
    assert verdict.outcome == "broken"
    assert verdict.counterexample["part"] == "part-00000"


def test_a_note_that_all_partitions_share_and_the_method_does_not_give_is_found(damaged):
    _, out = damaged
    for number in range(3):
        release = dataclasses.replace(read_release(partition(out, number)), method_note="Safe.")
        write_release(release, partition(out, number))
    partitions = [partitioned.describe_partition(partition(out, number), f"part-{number:05}") for number in range(3)]
    partitioned.write_divided(partitioned.unite_partitions(partitions), out / "release")
    verdict = sf.verify(out)
    assert verdict.outcome == "undeclared"
    assert verdict.undeclared[0] == "part-00000/release.json: a note that the method does not give"


def test_a_whole_without_a_note_is_refused(damaged):
    _, out = damaged
    edit(out, lambda told: told.pop("method_note"))
    with pytest.raises(SchemaError, match="not the manifest of a release in partitions"):
        sf.verify(out)


STRAY = {
    "a partition nobody lists": lambda out: shutil.copytree(partition(out, 0), partition(out, 7)),
    "a file beside the partitions": lambda out: (out / "release" / "data" / "names.csv").write_text("ann"),
    "a file beside the manifest": lambda out: (out / "release" / "names.csv").write_text("ann"),
    "a file in a partition": lambda out: (partition(out, 1) / "names.csv").write_text("ann"),
    "a key in the manifest": lambda out: edit(out, lambda told: told.update({"ann": 7})),
    "a key of a partition in the manifest": lambda out: edit(
        out, lambda told: told["parts_of_people"][0].update({"ann": 7})
    ),
    "another page": lambda out: (out / "release" / "README.md").write_text("Call Ann."),
}


@pytest.mark.parametrize("stray", STRAY.values(), ids=STRAY.keys())
def test_what_nobody_declared_is_found(stray, damaged):
    _, out = damaged
    stray(out)
    verdict = sf.verify(out)
    assert not verdict
    assert verdict.undeclared or verdict.outcome == "broken"


def test_jobs_are_taken_when_there_is_room_for_them():
    """Nothing holds all partitions at once: with two cores never more than three jobs are made ahead of results."""
    made, most = [], 0
    jobs = (made.append(number) or number for number in range(9))
    for done, _ in enumerate(itertools.islice(Local(2).stream(abs, jobs), 9), start=1):
        most = max(most, len(made) - done)
    assert len(made) == 9
    assert most <= 2


def test_a_process_that_dies_says_what_to_do():
    import os

    with pytest.raises(sf.SfumatoError, match=r"a process ended in the middle of a partition \(exit code 3\)"):
        list(Local(2).stream(os._exit, [3]))


@pytest.mark.filterwarnings("ignore::sfumato.exceptions.ReleaseWarning")
def test_advice_of_partitions_is_one_that_helps_them_all(tmp_path):
    """What is asked for differs from partition to partition, and the parameter is one for all of them."""
    soon = [[("mail", 1000 * i), ("news", 1000 * i + 3)] for i in range(40)]
    late = [[("mail", 1000 * i), ("news", 1000 * i + 90)] for i in range(100, 140)]
    data = sf.Dataset.of("sequences", soon + late, monitored=("mail",))
    made = publish_in_partitions(
        data, sf.methods.Hi(k=4), tmp_path / "out", partition_size=40, engine=Local(1), secret=SECRET
    )
    (asked,) = [one for one in made.verdict.remaining if one.about == "neighbouring-events"]
    assert asked.hint.startswith("What helps: blur=100 with") and str(asked) in made.warnings
    assert asked.counts == {"people": 80, "of": 80}


@pytest.mark.filterwarnings("ignore::sfumato.exceptions.ReleaseWarning")
def test_advice_of_partitions_names_options_as_each_way_in_writes_them(tmp_path):
    rows = [[("mail", 1000 * i), ("news", 1000 * i + 3)] for i in range(40)]
    data = sf.Dataset.of("sequences", rows, monitored=("mail",))
    made = publish_in_partitions(
        data, sf.methods.Hi(k=4), tmp_path / "out", partition_size=20, engine=Local(1), secret=SECRET
    )
    (advice,) = [one.hint for one in made.verdict.remaining if one.about == "neighbouring-events"]
    assert "blur=10 " in advice and "monitored='*'" in advice
    assert "-p blur=10 " in write(advice, COMMAND_LINE) and "--monitored '*'" in write(advice, COMMAND_LINE)
