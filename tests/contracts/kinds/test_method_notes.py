"""What methods say of themselves: sentences that people understand, and that are true of what the methods do."""

import dataclasses
import itertools
import math
import re
from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from tests.contracts.kinds.contract_data import KINDS, required_parameters
from tests.contracts.kinds.test_contract import ordinary_rows
from tests.damage import releases

import sfumato as sf
from sfumato import plugins
from sfumato.base.guarantee import NOTE_LABEL
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.kinds.sequences.methods._base import grouping
from sfumato.kinds.snapshots.guarantees import LDiversity
from sfumato.kinds.table.guarantees import KAnonymity
from sfumato.release.run import Run
from sfumato.reports.page import render_guarantee

SECRET = bytes([1] * 32)
NOT_OURS = r"\b(whoever|told|at hand|heeded|as it is)\b"
ITEMS = Hierarchy.from_paths([("a1", "a", "*"), ("a2", "a", "*"), ("b", "*")])
BASKETS = [basket for size in (1, 2, 3) for basket in itertools.combinations(("a1", "a2", "b"), size)]
AGES = Hierarchy.from_paths([("a0", "a", "*"), ("a1", "a", "*"), ("b0", "b", "*"), ("b1", "b", "*")])


def find_cells(release, names):
    return sorted(map(repr, release.table.select(names).to_pylist()))


def shuffle(data, name, seed):
    at = data.table.column_names.index(name)
    order = pa.array(np.random.default_rng(seed).permutation(len(data)))
    column = data.table.column(at).take(order)
    return dataclasses.replace(data, table=data.table.set_column(at, data.table.schema.field(at), column))


def publish(data, method):
    return sf.anonymize(data, method, secret=SECRET, max_suppressed_records=1)


def list_originals(records, size):
    """Return all originals with the share of the drawn ones that are like each."""
    for drawn in itertools.combinations_with_replacement(records, size):
        ways = math.factorial(size)
        for count in Counter(drawn).values():
            ways //= math.factorial(count)
        yield drawn, Fraction(ways, len(records) ** size)


def find_likeliest(method, make, column, records, know, size=4):
    """Return the largest chance of one published record for somebody of whom something is known.

    The reader knows the method: the originals that are left are those for which it publishes exactly this release.
    """
    worlds = defaultdict(lambda: defaultdict(Fraction))
    for original, share in list_originals(records, size):
        try:
            result = method.anonymize(make(original), Run(SECRET))
        except sf.SfumatoError:
            continue
        rows = [repr(cell) for cell in result.release.table.column(column).to_pylist()]
        for row, at in zip(rows, result.owner_record.rows.tolist(), strict=True):
            for known in know(original[at]):
                worlds[tuple(sorted(rows))][known, row] += share
    chances = [Fraction(0)]
    for rows, masses in worlds.items():
        together = defaultdict(Fraction)
        for (known, _), mass in masses.items():
            together[known] += mass
        chances += [mass / rows.count(row) / together[known] for (known, row), mass in masses.items()]
    return max(chances)


def make_sets(baskets):
    return sf.Dataset.of("sets", [list(basket) for basket in baskets], hierarchy=ITEMS)


def make_ages(rows):
    return sf.Dataset.of("table", list(rows), ("age",), hierarchies={"age": AGES})


@pytest.mark.parametrize("name", plugins.all_methods())
def test_every_release_carries_a_note_of_its_method(name):
    method = plugins.all_methods()[name]
    data = KINDS[method.kinds[0]].build(ordinary_rows(people=60), method)
    chosen = method(**required_parameters(method))
    release = publish(data, chosen).release
    assert release.method_note == chosen.note(release.guarantee)
    assert release.method_note in (method.list_notes(release.guarantee) or ("",))
    assert sf.verify(release).method_note == release.method_note
    shown = re.sub("<[^>]*>", "", render_guarantee(release)).replace("&#x27;", "'").replace("’", "'")
    assert f"{NOTE_LABEL}: {release.method_note}" in shown


@pytest.mark.parametrize("name", plugins.all_methods())
def test_notes_are_two_sentences_at_most(name):
    method = plugins.all_methods()[name]
    claims = [
        *(KAnonymity(k=2, quasi=("age",)), KAnonymity(k=2, l=2, quasi=("age",), sensitive=("ill",))),
        *(LDiversity(l=2), LDiversity(l=2, delays="hidden")),
    ]
    release = publish(
        KINDS[method.kinds[0]].build(ordinary_rows(people=60), method), method(**required_parameters(method))
    ).release
    for guarantee in [release.guarantee, *(guarantee for guarantee in claims if type(guarantee) in method.guarantees)]:
        for note in method.list_notes(guarantee):
            sentences = re.split(r"(?<=\.) ", note)
            assert len(sentences) <= 2
            assert all(len(sentence.split()) <= 22 for sentence in sentences)
            assert not re.search(NOT_OURS, note, re.IGNORECASE)


@pytest.mark.parametrize("name", plugins.methods_for("table"))
def test_groups_of_tables_do_not_depend_on_sensitive_values_with_k_only(name):
    method = plugins.methods_for("table")[name](k=3)
    data = releases.numbers() if name == "mdav" else releases.table()
    release = publish(data, method).release
    assert "do not depend on sensitive values" in release.method_note
    for seed in range(5):
        other = shuffle(shuffle(data, "illness", seed), "smokes", seed + 50)
        quasi = release.guarantee.quasi
        assert find_cells(publish(other, method).release, quasi) == find_cells(release, quasi)


@pytest.mark.parametrize("name", plugins.methods_for("table"))
def test_groups_of_tables_depend_on_sensitive_values_with_l(name):
    method = plugins.methods_for("table")[name](k=3, l=4)
    data = releases.numbers() if name == "mdav" else releases.table()
    release = publish(data, method).release
    assert "depend on sensitive values" in release.method_note
    found = {
        tuple(find_cells(publish(shuffle(data, "illness", seed), method).release, release.guarantee.quasi))
        for seed in range(8)
    }
    assert len(found) > 1


@pytest.mark.parametrize("name", plugins.methods_for("table"))
def test_knowing_the_method_does_not_tell_the_records_of_a_group_apart(name):
    method = plugins.methods_for("table")[name](k=2)
    if name == "mdav":
        rows = [(20,), (21,), (60,), (61,)]
        found = find_likeliest(method, lambda o: sf.Dataset.of("table", list(o), ("age",)), "age", rows, lambda r: [r])
    else:
        found = find_likeliest(method, make_ages, "age", [(age,) for age in AGES.leaf_labels], lambda row: [row])
    assert found <= Fraction(1, 2)


@pytest.mark.parametrize("name", plugins.methods_for("rt"))
def test_groups_with_sets_do_not_depend_on_sensitive_items_with_k_only(name):
    rng = np.random.default_rng(6)
    rows = [(int(rng.integers(20, 60)), "fm"[rng.integers(2)], f"c{rng.integers(5)}") for _ in range(40)]
    walks = releases.walks()
    kept, hidden = [[x for x in w if x != "p3"] for w in walks], [[x for x in w if x == "p3"] for w in walks]

    def publish_with(order):
        items = [known + hidden[at] for known, at in zip(kept, order, strict=True)]
        ill = [(*row[:2], rows[at][2]) for row, at in zip(rows, order, strict=True)]
        data = sf.Dataset.of("rt", ill, ("age", "sex", "ill"), items, sensitive=("ill",), sensitive_items=("p3",))
        return publish(data, plugins.methods_for("rt")[name](k=5, m=1, transaction="pcta")).release

    def find_known(release):
        members = release.members()
        cells = release.table.select([*release.guarantee.quasi, "items"]).to_pylist()
        return sorted(
            repr({**row, "items": sorted(str(members.get(x, x)) for x in row["items"] if x != "p3")}) for row in cells
        )

    first = publish_with(range(40))
    assert "do not depend on sensitive values" in first.method_note
    for seed in range(3):
        assert find_known(publish_with(np.random.default_rng(seed).permutation(40))) == find_known(first)


@pytest.mark.parametrize("name", [n for n, m in plugins.methods_for("sequences").items() if n != "et"])
def test_groups_of_sequences_depend_on_monitored_events_alone_with_k_only(name, monkeypatch):
    """Who is taken up first is drawn by the secret and all of the data; here it is held."""
    for module in {grouping, __import__(plugins.methods_for("sequences")[name].__module__, fromlist=["x"])}:
        if hasattr(module, "draw_order"):
            monkeypatch.setattr(module, "draw_order", lambda people, run: np.arange(len(people)))
    method = plugins.methods_for("sequences")[name](k=3)
    walks = releases.walks()
    rows = [[(place, 50 * step + 7 * at % 40) for step, place in enumerate(row)] for at, row in enumerate(walks)]

    def publish_with(seed):
        rng = np.random.default_rng(seed)
        other = [
            [e if e[0] in {"p0", "p1"} else (f"p{rng.integers(2, 9)}", int(rng.integers(0, 200))) for e in row]
            for row in rows
        ]
        data = sf.Dataset.of("sequences", other, monitored=("p0", "p1"))
        return publish(data, method).release

    first = publish_with(0)
    assert first.method_note == "Groups depend on monitored events only."
    for seed in (1, 2, 3):
        found = publish_with(seed)
        assert find_cells(found, ["monitored", "monitored_times"]) == find_cells(
            first, ["monitored", "monitored_times"]
        )


@pytest.mark.parametrize("m", [1, 2])
@pytest.mark.parametrize(
    ("name", "options"),
    [("apriori", {}), ("apriori", {"refine": True}), *((name, {"parts": 2}) for name in ("lra", "vpa"))],
)
def test_no_matching_record_is_likelier_than_one_in_k(name, options, m):
    method = plugins.methods_for("sets")[name](k=2, m=m, **options)
    assert "knowing the method made none likelier than 1 in k" in method.list_notes(None)[0]

    def know(basket):
        return [known for size in range(1, m + 1) for known in itertools.combinations(basket, size)]

    assert find_likeliest(method, make_sets, "items", BASKETS, know) == Fraction(1, 2)


@pytest.mark.parametrize("name", ["local-km", "coat", "pcta"])
def test_a_matching_record_can_be_certain_to_those_who_know_the_method(name):
    method = plugins.methods_for("sets")[name](k=2, m=1)
    assert "the method's choices rule some out" in method.list_notes(None)[0]
    assert find_likeliest(method, make_sets, "items", BASKETS, lambda basket: [(item,) for item in basket]) > 0.5


def test_a_release_of_visits_can_have_a_single_original():
    """Published aa, aa, a{a|b}, {a|b}a: whoever was at b is in the third record."""
    method = sf.methods.LocalKm(k=2, m=1)
    places = {"a": (0, 0), "b": (1, 0)}
    published = defaultdict(list)
    for original, _ in list_originals(["aa", "ab", "ba", "bb"], 4):
        data = sf.Dataset.of("trajectories", [list(row) for row in original], places)
        release = method.anonymize(data, Run(SECRET)).release
        published[tuple(sorted(map(tuple, release.history().lists())))].append(original)
    found = tuple(sorted([("a", "a"), ("a", "a"), ("a", "{a|b}"), ("{a|b}", "a")]))
    assert published[found] == [("aa", "aa", "aa", "ab")]
    assert method.list_notes(None)[0].endswith("the method's choices rule some out.")


def test_items_stand_apart_because_few_records_have_them_together():
    method = sf.methods.Disassociation(k=2, m=2)
    together = []
    for original, _ in list_originals([("a",), ("b",), ("a", "b")], 6):
        data = sf.Dataset.of("sets", [list(row) for row in original])
        rows = method.anonymize(data, Run(SECRET)).release.history().lists()
        if ["a"] in rows and ["b"] in rows and ["a", "b"] not in rows:
            together.append((original.count(("a", "b")), min(sum(x in row for row in original) for x in "ab")))
    assert max(both for both, _ in together) < method.k <= max(support for _, support in together)


def test_what_came_on_time_can_make_a_value_certain_with_hidden_delays():
    """Three snapshots of two people: if only the first four come out, all in the second one, the first had x twice."""
    method = sf.methods.Reposition(l=2, window=2, delays="hidden")
    pairs = list(itertools.combinations_with_replacement("xyz", 2))
    fits = Counter()
    for days, key in itertools.product(itertools.product(pairs, repeat=3), range(2)):
        rows = [(at + 1, f"p{at}{who}", value) for at, day in enumerate(days) for who, value in enumerate(day)]
        data = sf.Dataset.of("snapshots", rows, ("name",), "ill")
        try:
            release = method.anonymize(data, Run(bytes([key] * 32))).release
        except sf.SfumatoError:
            continue
        values = {row["ill"]: row["count"] for row in release.extra_tables["sensitive"].table.to_pylist()}
        people = sorted((row["name"], row["snapshot"]) for row in release.table.to_pylist())
        if people == [("p00", 2), ("p01", 2), ("p10", 2), ("p11", 2)] and values == {"x": 2, "y": 1, "z": 1}:
            fits[days[0]] += 1
    assert fits.keys() == {("x", "x")}
    assert method.note(LDiversity(l=2, delays="hidden")).endswith("can make a value likelier, even certain.")
