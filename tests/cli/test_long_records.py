"""One long record and a large m: refused with the number, before the machine is busy."""

import pytest


@pytest.fixture
def visits(tmp_path):
    """Write 30 people, five of whom were at 300 different places."""
    lines = [f"p{person},{time},place{(time * 7 + person) % 300}" for person in range(5) for time in range(300)]
    lines += [f"p{person},{time},place{time}" for person in range(5, 30) for time in range(3)]
    (tmp_path / "visits.csv").write_text("person,time,place\n" + "\n".join(lines) + "\n")
    (tmp_path / "where.csv").write_text("place,x,y\n" + "".join(f"place{n},{n % 17},{n % 19}\n" for n in range(300)))
    return "visits.csv"


@pytest.fixture
def baskets(tmp_path):
    """Write 30 baskets, five of which have 300 items."""
    lines = [" ".join(map(str, range(300)))] * 5 + ["1 2 3"] * 25
    (tmp_path / "baskets.txt").write_text("\n".join(lines) + "\n")
    return "baskets.txt"


def test_inspect_refuses_what_it_cannot_count(sfumato, visits):
    said = sfumato("inspect", visits, "--kind", "trajectories", "-m", "6", expect=2).stderr
    assert "record 1 has 300 values, which hold" in said
    assert "Use a smaller m" in said


@pytest.mark.parametrize("method", [pytest.param("seqanon", marks=pytest.mark.slow), "local-km"])
def test_methods_for_trajectories_refuse(sfumato, visits, method, tmp_path):
    said = sfumato(
        "anonymize", visits, "--kind", "trajectories", "--places-file", "where.csv", "--method", method,
        "-p", "k=2", "-p", "m=7", "--out", "out", expect=2,
    ).stderr  # fmt: skip
    assert "which hold" in said or "cannot be told apart" in said or "too many to tell apart" in said
    assert not (tmp_path / "out").exists()


def test_local_recoding_of_baskets_refuses(sfumato, baskets):
    said = sfumato(
        "anonymize", baskets, "--kind", "sets", "--method", "local-km", "--hierarchy", "item=fanout:10",
        "-p", "k=2", "-p", "m=6", "--out", "out", expect=2,
    ).stderr  # fmt: skip
    assert "a record has 300 items, which hold" in said


def test_disassociated_baskets_are_verified_in_a_moment(sfumato, baskets):
    words = ("--kind", "sets", "--method", "disassociation", "-p", "k=2", "-p", "m=6", "--out", "out", "--no-report")
    sfumato("anonymize", baskets, *words)
    assert sfumato("verify", "out", "--json").json["holds"]
