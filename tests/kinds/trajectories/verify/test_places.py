"""Coordinates of places: what could be read off means of people's positions, what is published instead, and damage."""

from __future__ import annotations

import csv
import json
import random
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tests.notes import find_note

import sfumato as sf
from sfumato.api import calls
from sfumato.data.dataset import Dataset
from sfumato.data.places import Observations
from sfumato.exceptions import ParameterError, SfumatoError
from sfumato.formats.json_files import encode_json
from sfumato.kinds.trajectories.methods.seqanon import SeqAnon, USeqAnon
from sfumato.release.run import Run

SECRET = bytes([1] * 32)
K = 3


def write_visits(path: Path, axes: tuple[str, str] = ("lon", "lat"), seed: int = 0, people: int = 24) -> Path:
    """Everybody goes home, which nobody else does, to the office and to the park; fixes have six digits."""
    draw = random.Random(seed)
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["person", "time", "place", *axes])
        for person in range(people):
            for time, (place, x, y) in enumerate(
                [("office", 8.2, 53.1), (f"home{person % 8}", 8.3 + person / 100, 53.2), ("park", 8.25, 53.15)] * 2
            ):
                blur = [round(draw.uniform(-2e-4, 2e-4), 6) for _ in range(2)]
                out.writerow([f"p{person}", time, place, round(x + blur[0], 6), round(y + blur[1], 6)])
    return path


def publish(tmp_path: Path, name: str = "out", k: int = K, **read_options) -> tuple[Path, Dataset]:
    data = sf.read(
        read_options.pop("path", None) or write_visits(tmp_path / "visits.csv"), "trajectories", **read_options
    )
    result = sf.anonymize(data, SeqAnon(k=k, m=1, infeasible="suppress"), secret=SECRET)
    sf.write(result, tmp_path / name, reports=False)
    return tmp_path / name, data


def published_places(out: Path) -> list[dict[str, str]]:
    with (out / "release" / "places.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def rewrite_places(out: Path, change) -> None:
    rows = published_places(out)
    rows = change(rows) or rows
    with (out / "release" / "places.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def find_outcome(out: Path) -> str:
    """Say what the files alone tell, or that they cannot be read."""
    try:
        return sf.verify(out).outcome
    except SfumatoError as error:
        assert "53." not in str(error)
        return "refused"


def count_visits(*means: float, digits: int = 6, most: int = 200) -> int | None:
    """Read off means of numbers with so many digits how many there were: the smallest number that makes them whole."""
    for n in range(1, most):
        totals = [Fraction(repr(mean)) * n * 10**digits for mean in means]
        # Means are known to half of the ninth digit, and that n times.
        if all(abs(total - round(total)) <= Fraction(n * 6, 10_000) for total in totals):
            return n
    return None


def test_the_attack_works_on_means() -> None:
    draw = random.Random(4)
    observations = [round(draw.uniform(53, 54), 6) for _ in range(7)]
    assert count_visits(round(sum(observations) / 7, 9)) == 7
    assert count_visits(observations[0]) == 1


def test_neither_positions_nor_numbers_of_visits_can_be_read_off_a_release(tmp_path: Path) -> None:
    out, data = publish(tmp_path)
    assert data.observations is not None
    observations = set(zip(data.observations.x.tolist(), data.observations.y.tolist(), strict=True))
    means = {tuple(point) for point in np.round(np.column_stack([data.places["lon"], data.places["lat"]]), 9).tolist()}
    listed = published_places(out)
    shown = [(float(row["lon"]), float(row["lat"]), int(row["level"])) for row in listed if row["lon"] != "*"]
    assert len(shown) >= 2
    for lon, lat, level in shown:
        assert (lon, lat) not in observations
        assert (round(lon, 9), round(lat, 9)) not in means
        step = 360 / 2**level
        assert (lon / step) % 1 == 0.5
        assert (lat / step) % 1 == 0.5
    names = data.places["place"].to_pylist()
    visits = np.bincount(data.observations.place)
    told = {row["place"]: (float(row["lon"]), float(row["lat"])) for row in listed if row["lat"] != "*"}
    exact = np.round(np.column_stack([data.places["lon"], data.places["lat"]]), 9).tolist()
    # What means would tell: all but a few numbers that happen to be whole earlier.
    assert sum(count_visits(*mean) == n for mean, n in zip(exact, visits, strict=True)) >= 6
    assert not any(count_visits(*point) == visits[names.index(place)] for place, point in told.items())
    # Three people each live at home0 to home7, some of them kilometres apart: cells hold all three, or there are none.
    for row in listed:
        place = data.places["place"].to_pylist().index(row["place"])
        mine = data.observations.place == place
        if row["lon"] == "*":
            assert len(set(data.observations.person[mine].tolist())) < K
    assert sf.verify(out)
    assert sf.verify(out, data)


def test_the_places_of_few_people_have_no_coordinates_and_it_is_said(tmp_path: Path) -> None:
    data = sf.read(write_visits(tmp_path / "visits.csv"), "trajectories")
    run = Run(SECRET)
    result = sf.anonymize(data, SeqAnon(k=10, m=1, infeasible="suppress"), run=run)
    hidden = [row["place"] for row in result.release.places.to_pylist() if row["lon"] is None]
    assert hidden == [f"home{i}" for i in range(8)]
    assert find_note(run.notes, "places-without-coordinates").counts == {"hidden": 8, "places": 10}
    assert find_note(data.notes, "coordinates-of-visits")


def test_nothing_else_of_the_projection_is_published(tmp_path: Path) -> None:
    """Metres east are longitudes times the cosine of everybody's mean latitude: they would tell that mean."""
    out, _ = publish(tmp_path)
    assert list(published_places(out)[0]) == ["place", "lon", "lat", "level"]
    told = json.loads((out / "release" / "release.json").read_text())["places"]["origin"]
    assert told == {"source": "cells", "coordinates": "lonlat", "side": 360.0, "levels": 24}


def test_removed_places_are_not_described(tmp_path: Path) -> None:
    xy = {"a": (0, 0), "b": (1, 0), "c": (9, 9)}
    data = Dataset.of("trajectories", [["a", "c"], ["a"], ["a"], ["a", "b"]], xy, constraints=(("a",), ("b",), ("c",)))
    release = USeqAnon(k=2, m=1, delta=90.0).anonymize(data, Run(SECRET)).release
    assert set(release.suppressed()) == {"b", "c"}
    assert release.places["place"].to_pylist() == ["a"]


def test_coordinates_of_a_places_file_are_published_as_given(tmp_path: Path) -> None:
    visits = write_visits(tmp_path / "visits.csv", ("far", "up"))
    file = tmp_path / "places.csv"
    names = ["office", "park", *(f"home{i}" for i in range(8))]
    file.write_text("place,lon,lat\n" + "".join(f"{n},{8 + i / 7:.9f},53.123456789\n" for i, n in enumerate(names)))
    out, data = publish(tmp_path, path=visits, places_file=str(file), drop=("far", "up"))
    given = {row["place"]: (float(row["lon"]), float(row["lat"])) for row in csv.DictReader(file.open())}
    assert {row["place"]: (float(row["lon"]), float(row["lat"])) for row in published_places(out)} == given
    assert sf.verify(out, data)
    rewrite_places(out, lambda rows: rows[0].update(lat="53.1"))
    assert sf.verify(out)
    assert sf.verify(out, data).outcome == "broken"


def test_visits_own_coordinates_cannot_pass_for_given_ones(tmp_path: Path) -> None:
    out, data = publish(tmp_path)

    def lie(rows):
        return [{"place": row["place"], "lon": 8.2, "lat": 53.1} for row in rows]

    rewrite_places(out, lie)
    manifest = out / "release" / "release.json"
    told = json.loads(manifest.read_text())
    told["places"] = {"columns": ["place", "lon", "lat"], "origin": {"source": "given", "coordinates": "lonlat"}}
    manifest.write_bytes(encode_json(told))
    assert sf.verify(out)  # the files alone cannot know
    assert sf.verify(out, data).counterexample["check"] == "coordinates come from where the release says"


DAMAGES = {
    "a digit": lambda rows: rows[-1].update(lon=str(float(rows[-1]["lon"]) + 1e-9)),
    "the last bit": lambda rows: rows[-1].update(lat=repr(float(np.nextafter(float(rows[-1]["lat"]), 99)))),
    "another level": lambda rows: rows[-1].update(level="25"),
    "a level of a corner": lambda rows: rows[-1].update(level=str(int(rows[-1]["level"]) - 1)),
    "no level": lambda rows: rows[-1].update(level="*"),
    "half a point": lambda rows: rows[-1].update(lon="*"),
    "not a number": lambda rows: rows[-1].update(lon="nan"),
    "infinite": lambda rows: rows[-1].update(lon="inf"),
    "another column": lambda rows: [{**row, "mean": "53.1234"} for row in rows],
    "a place missing": lambda rows: rows[1:],
    "a place too many": lambda rows: [*rows, {**rows[-1], "place": "elsewhere"}],
    "a place twice": lambda rows: [*rows, rows[-1]],
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_coordinates_are_found_in_the_files_alone(tmp_path: Path, damage: str) -> None:
    out, _ = publish(tmp_path)
    assert sf.verify(out)
    rewrite_places(out, DAMAGES[damage])
    surplus = {"another column", "a place too many", "a place twice"}
    assert find_outcome(out) in ({"undeclared"} if damage in surplus else {"broken", "refused"})


@pytest.mark.parametrize(
    "change",
    [{"source": "elsewhere"}, {"side": 1.0}, {"levels": 60}, {"coordinates": "polar"}, {"seed": 7}, {"size": 5.0}],
)
def test_a_false_hierarchy_is_refused(tmp_path: Path, change: dict) -> None:
    out, _ = publish(tmp_path)
    manifest = out / "release" / "release.json"
    told = json.loads(manifest.read_text())
    told["places"]["origin"] |= change
    manifest.write_bytes(encode_json(told))
    assert find_outcome(out) in {"broken", "refused", "undeclared"}


def test_a_smaller_cell_than_k_people_are_in_is_found_with_the_original(tmp_path: Path) -> None:
    out, data = publish(tmp_path)

    def shrink(rows):
        """Take the finest cell of somebody's own position."""
        row = next(row for row in rows if row["lon"] != "*")
        place = data.places["place"].to_pylist().index(row["place"])
        at = int(np.flatnonzero(data.observations.place == place)[0])
        step = 360 / 2**24
        row["lon"], row["lat"] = (
            repr(float((v // step + 0.5) * step)) for v in (data.observations.x[at], data.observations.y[at])
        )
        row["level"] = "24"

    rewrite_places(out, shrink)
    assert sf.verify(out)
    verdict = sf.verify(out, data)
    assert verdict.outcome == "broken"
    assert verdict.counterexample["check"] == "coordinates are those of at least k people"
    assert verdict.counterexample["people"] < K


@pytest.mark.parametrize("rule", ["grid:500m", "grid:20km", "quadtree:30,people=4"])
@pytest.mark.parametrize("axes", [("lon", "lat"), ("x", "y")])
def test_squares_are_what_their_names_say(tmp_path: Path, rule: str, axes: tuple[str, str]) -> None:
    out, data = publish(tmp_path, path=write_visits(tmp_path / "v.csv", axes), places=rule, drop=("place",))
    assert sf.verify(out, data)
    assert list(published_places(out)[0]) == ["place", *axes, "outline"]
    before = (out / "release" / "places.csv").read_text()
    for change in (
        lambda rows: rows[0].update({axes[0]: repr(float(rows[0][axes[0]]) + 1e-6)}),
        lambda rows: rows[0].update({axes[1]: repr(float(rows[0][axes[1]]) + 1e-8)}),
        lambda rows: rows[0].update(outline=rows[0]["outline"].replace("((", "((0")),
        lambda rows: rows[0].update(outline="*"),
        lambda rows: [{name: row[name] for name in ("place", *axes)} for row in rows],
    ):
        rewrite_places(out, change)
        assert find_outcome(out) in {"broken", "refused"}
        (out / "release" / "places.csv").write_text(before)
    assert sf.verify(out)


def test_one_person_changes_no_square_but_those_of_others_less(tmp_path: Path) -> None:
    """Squares of a grid lie where they lie, whoever else is there."""
    file = write_visits(tmp_path / "all.csv")
    lines = file.read_text().splitlines(keepends=True)
    fewer = tmp_path / "fewer.csv"
    fewer.write_text("".join([lines[0], *(line for line in lines[1:] if not line.startswith("p0,"))]))
    for rule in ("grid:500m", "quadtree:30,people=4"):
        both = [sf.read(path, "trajectories", places=rule, drop=("place",)) for path in (file, fewer)]
        told = [{row["place"]: (row["lon"], row["lat"], row["outline"]) for row in d.places.to_pylist()} for d in both]
        shared = set(told[0]) & set(told[1])
        assert shared
        assert all(told[0][place] == told[1][place] for place in shared)


def test_a_quadtree_among_fewer_than_k_people_is_refused(tmp_path: Path) -> None:
    data = sf.read(write_visits(tmp_path / "v.csv"), "trajectories", places="quadtree:30,people=4", drop=("place",))
    with pytest.raises(ParameterError, match=r"squares of 4 people; k=5.*people=5"):
        sf.anonymize(data, SeqAnon(k=5, m=1, infeasible="suppress"))


def test_a_quadtree_quartered_among_fewer_than_k_people_is_found_with_the_original(tmp_path: Path) -> None:
    visits = write_visits(tmp_path / "v.csv")
    options = {"places": "quadtree:60,people=4", "drop": ("place",)}
    out, _ = publish(tmp_path, path=visits, **options)
    fine = sf.read(visits, "trajectories", places="quadtree:60,people=4", drop=("place",))
    few = np.isin(fine.observations.person, np.unique(fine.observations.person)[:2])
    lonely = Observations(*(column[few] for column in fine.observations))
    without = sf.Dataset(fine.schema, fine.table, fine.places, place_origin=fine.place_origin, observations=lonely)
    assert not sf.verify(out, without).checks["coordinates are those of at least k people"]


def test_a_later_batch_publishes_its_own_cells_and_nothing_of_places_it_does_not_visit(tmp_path: Path) -> None:
    out, _ = publish(tmp_path, k=6)
    later = write_visits(tmp_path / "later.csv", seed=1, people=48)
    lines = later.read_text().splitlines(keepends=True)
    later.write_text("".join(line for line in lines if ",home7," not in line))
    batch = sf.read(later, "trajectories")
    sf.write(calls.apply(out, batch), tmp_path / "second", reports=False)
    assert sf.verify(tmp_path / "second", batch)
    rows = {row["place"]: row for row in published_places(tmp_path / "second")}
    assert rows["office"]["lon"] != "*"
    assert rows["home7"]["lon"] == "*"
