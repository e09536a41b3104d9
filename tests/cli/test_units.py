"""What one record is, on the command line: days, baskets and stays, counted as such or by the people who have them."""

import json

import pytest


@pytest.fixture
def baskets(tmp_path):
    """Baskets of six households; two of them buy most."""
    lines = ["household_id,basket_id,item"]
    for basket in range(40):
        household = basket % 2 if basket < 30 else 2 + basket % 4
        lines += [f"h{household},b{basket},{item}" for item in ("bread", "milk" if basket % 3 else "wine")]
    path = tmp_path / "baskets.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


READING = ("--kind", "sets", "--owner-column", "household_id", "--unit", "basket of household")
METHOD = ("--method", "disassociation", "-p", "k=4", "-p", "m=2", "--no-report")


def test_baskets_are_counted_as_baskets(sfumato, baskets):
    seen = sfumato("inspect", baskets, *READING).stdout
    assert "40 baskets of 6 households, up to 15 of one" in seen.replace("\n", " ")
    done = sfumato("anonymize", baskets, *READING, *METHOD, "--out", "out")
    text = " ".join(done.stdout.split())
    assert "matches no basket or at least 4 baskets" in text
    assert "the guarantee counts baskets, not households" in text
    assert "Households have up to 15 baskets here; the fewest households" in text
    # Options, counters and the note on the column of baskets have the word in any data.
    for named in ("--protect people", "fewest │ │ │ people", "fewest people", "No column names people"):
        text = text.replace(named, "")
    assert " people" not in text


def test_counting_people_is_promised_and_left_to_the_owner_to_check(sfumato, baskets, tmp_path):
    done = sfumato("anonymize", baskets, *READING, *METHOD, "--protect", "people", "--out", "out", "--json").json
    assert done["measured"]["fewest_people"] >= 4
    assert done["unit"] == {"one": "basket", "many": "baskets", "owner": "household"}
    claim = json.loads((tmp_path / "out" / "release" / "release.json").read_text())["guarantee"]
    assert claim["count"] == "people" and "at least 4 different households" in claim["statement"]
    alone = sfumato("verify", "out", expect=2)
    assert "published files do not link baskets to households" in " ".join(alone.stdout.split())
    held = sfumato("verify", "out", "--original", baskets, "--json").json
    assert held["outcome"] == "holds" and held["measured"]["fewest_people"] >= 4
    trace = json.loads((tmp_path / "out" / "owner" / "trace.json").read_text())
    assert trace["counters"]["fewest_people"] >= 4


def test_too_few_people_are_said_in_numbers_and_nothing_is_written(sfumato, baskets, tmp_path):
    failed = sfumato("anonymize", baskets, *READING, *METHOD, "-p", "k=9", "--out", "out", expect=2)
    assert "gives k twice" in failed.stderr
    words = [word for word in METHOD if word != "k=4"]
    at = words.index("-p")
    words[at : at + 1] = ["-p", "k=9"]
    failed = sfumato("anonymize", baskets, *READING, *words, "--protect", "people", "--out", "out", expect=2)
    assert "-p k=9 asks for 9 households, but the 40 baskets are of 6 households" in failed.stderr
    assert not (tmp_path / "out").exists()


def test_a_policy_counts_people_too(sfumato, baskets, tmp_path):
    (tmp_path / "policy.toml").write_text(
        '[data]\npath = "baskets.csv"\nkind = "sets"\nunit = "basket"\ncolumns = { owner = "household_id" }\n\n'
        '[method]\nname = "disassociation"\nk = 4\nm = 2\n\n'
        '[release]\nout = "out"\nprotect = "people"\nreport = false\n'
    )
    done = sfumato("run", "policy.toml", "--json").json
    assert done["verify"]["outcome"] == "holds" and done["verify"]["claimed"]["count"] == "people"


def test_a_later_batch_with_one_newcomer_is_refused(sfumato, checkins, tmp_path):
    lines = checkins.read_text().splitlines()
    head, rows = lines[0], lines[1:]
    people = sorted({row.split(",")[0] for row in rows})

    def write(name, count):
        kept = [row for row in rows if row.split(",")[0] in people[:count]]
        (tmp_path / name).write_text("\n".join([head, *reversed(kept)]) + "\n")
        return name

    words = ("--method", "seqanon", "-p", "k=5", "-p", "m=1", "--no-report")
    sfumato("anonymize", write("first.csv", 100), "--kind", "trajectories", *words, "--out", "first")
    failed = sfumato("apply", "first", write("more.csv", 101), "--out", "second", expect=2)
    assert "1 new record of 1 person, and k=5" in failed.stderr and "by at least 5 people" in failed.stderr
    assert not (tmp_path / "second").exists()
    sfumato("apply", "first", write("many.csv", 106), "--out", "second", "--no-report")
    failed = sfumato("apply", "second", write("fewer.csv", 104), "--out", "third", expect=2)
    assert "1 of 2" in failed.stderr or "2 of 2" in failed.stderr
    assert "canary" not in failed.stderr
