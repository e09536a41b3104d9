"""Whatever a record is, sentences count it by its own name, and never say '1 people'."""

import dataclasses
import html
import re

import pytest
from tests.contracts.kinds.contract_data import KINDS, required_parameters

import sfumato as sf
from sfumato import plugins
from sfumato.api import calls
from sfumato.base.guarantee import list_guarantees
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.reports.text import describe_attacker, fill_in, list_limits

UNITS = [
    RecordUnit("day", "days", "person"),
    RecordUnit("trip", "trips", "person"),
    RecordUnit("stay", "stays", "patient"),
]
METHODS = {
    "km": sf.methods.SeqAnon(k=2, m=1),
    "klm": sf.methods.LmAnon(k=2, m=1, l=2),
    "generalised sets": sf.methods.Apriori(k=2, m=1),
    "separated sets": sf.methods.Disassociation(k=2, m=2),
    "groups": sf.methods.Hi(k=2),
    "classes": sf.methods.Mc(k=2, aggregate="slot"),
    "tables": sf.methods.Mondrian(k=2),
}
ROWS = [["a", "b"], ["a", "c"], ["a", "b", "c"], ["b", "c"], ["a", "s0"], ["b", "a", "c"], ["c", "a"], ["c", "b"]]
CLAIMS = {
    "activity-diversity": {"k": 5, "delta": "2h", "epsilon": "1/2", "sensitive": ("a",)},
    "class-anonymity": {"k": 5},
    "gl-diversity": {"g": 3, "l": 2, "k": 5, "monitored": ("a",)},
    "group-anonymity": {"k": 5, "monitored": ("a",)},
    "k-anonymity": {
        "k": 5,
        "l": 2,
        "diversity": "recursive",
        "c": 2.0,
        "t": 0.2,
        "presence": 0.5,
        "quasi": ("age", "sex"),
        "sensitive": ("ill",),
    },
    "kkm-anonymity": {"k": 5, "m": 2, "l": 2, "quasi": ("age", "sex"), "sensitive": ("a",)},
    "itemset-anonymity": {"k": 5, "itemsets": (("a",),)},
    "klm-anonymity": {"k": 5, "m": 2, "l": 2, "sensitive": ("a",)},
    "km-anonymity": {"k": 5, "m": 2},
    "km-items": {"k": 5, "m": 2, "l": 6, "sensitive": ("a",), "safe": True},
    "l-diversity": {"l": 3},
    "l-eligibility": {"l": 3},
    "prefix-frequency": {"delta": "1/5", "events": ("a",)},
}
SPEAKS_OF_PEOPLE = (
    r"(a|one|that|each) person\b",
    r"not (people|patients)\b",
    r"different (people|patients)\b",
    r"of (\d+|fewer than k) (person|people|patients?)\b",
    r"[Pp]eople have up to",
    r"the fewest (people|patients) that",
    r"promises k (people|patients)",
    r"(--protect |protect='|it counts |counting )(people|patients)",
    r"([Tt]o count|[Ff]or k) (people|patients)",
    r"about the same people",
    r"[Ff]ewest people",
    r"People with\s+Before",
    r"at least k people",
    r"the people of the population",
)
"""Where a sentence about days is truly about the people who have them."""

GUARANTEES = {name: found for kind in plugins.all_kinds() for name, found in list_guarantees(kind).items()}


def strangers(text: str) -> list[str]:
    """Name what is said of people in a text, where that is not whom it is about."""
    for allowed in SPEAKS_OF_PEOPLE:
        text = re.sub(allowed, "", text)
    return re.findall(r".{0,60}\b(?:[Pp]erson|[Pp]eople)\b.{0,60}", text)


def told(page: str) -> str:
    """The words of a page: what it shows and what its plots say, without its style."""
    page = re.sub(r"<style>.*?</style>", " ", page, flags=re.S)
    return html.unescape(re.sub(r"<[^>]+>", " ", page))


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.one)
@pytest.mark.parametrize("name", GUARANTEES)
def test_statements_and_limits_speak_of_the_unit(name, unit):
    guarantee = GUARANTEES[name](**CLAIMS[name])
    for each in (guarantee, dataclasses.replace(guarantee, count="people")):
        texts = [each.statement(unit), *(f"{lead} {text}" for lead, text in list_limits(each, unit))]
        texts.append(describe_attacker(each.kinds[0], each.knowledge, 2, unit))
        assert not [found for text in texts for found in strangers(text)]
    if guarantee.smallest_group and name != "prefix-frequency":
        assert unit.many in guarantee.statement(unit)
        assert f"the guarantee counts {unit.many}, not" in guarantee.statement(unit)
        counted = dataclasses.replace(guarantee, count="people").statement(unit)
        assert f"of at least {guarantee.smallest_group} different" in counted and "not people" not in counted
    assert "several" not in guarantee.statement(PERSON)


@pytest.mark.parametrize("metric", {m.name: m for kind in KINDS for m in plugins.metrics_for(kind)}.values())
def test_measures_are_explained_in_the_unit(metric):
    assert not strangers(fill_in(metric.explanation, UNITS[0]))
    assert not strangers(f"{metric.title} {metric.unit}") or metric.name == "suppressed-people"
    assert "{" not in fill_in(metric.explanation, PERSON)


@pytest.fixture(scope="module")
def published(tmp_path_factory):
    """A release of every form for a unit, made once."""
    kept = {}

    def publish(name, unit):
        if (name, unit) not in kept:
            method = METHODS[name]
            data = KINDS[method.kinds[0]].build(ROWS, method)
            data = data.of_people(["ann", "ann", "bob", "bob", "cem", "cem", "ann", "ann"], unit)
            out = tmp_path_factory.mktemp("unit") / "out"
            result = sf.anonymize(data, method, secret=bytes([1] * 32))
            kept[name, unit] = (data, out, sf.write(result, out))
        return kept[name, unit]

    return publish


@pytest.mark.parametrize("unit", UNITS[:1], ids=lambda unit: unit.one)
@pytest.mark.parametrize("name", METHODS)
def test_everything_that_is_said_about_a_release_speaks_of_the_unit(name, unit, published):
    data, out, verdict = published(name, unit)
    page = told((out / "owner" / "report.html").read_text())
    assert not strangers(page)
    assert f"The promise counts {unit.many}" in page or f"the guarantee counts {unit.many}" in page
    assert "the fewest people that any" in page
    checked = sf.verify(out, data)
    assert not [found for check in checked.checks for found in strangers(check)]
    assert verdict.measured["fewest_people"] == checked.measured["fewest_people"]
    assert not strangers(" ".join(map(str, calls.attack(out, data).to_dict())))
    assert not strangers(repr(data)) and not strangers(repr(calls.inspect(data)["risk"]))
    assert calls.attack(out, data).to_dict()[unit.many] == len(data)


@pytest.mark.parametrize("method", plugins.all_methods().values(), ids=lambda m: m.name)
def test_refusals_speak_of_the_unit(method):
    if method.kinds[0] in {"timeline", "snapshots"}:
        return
    chosen = method(**{**required_parameters(method), **({"k": 50} if "k" in required_parameters(method) else {})})
    data = KINDS[method.kinds[0]].build(ROWS, method).of_people(["ann"] * len(ROWS), UNITS[0])
    try:
        sf.anonymize(data, chosen)
    except sf.SfumatoError as error:
        assert not strangers(str(error))


def test_nothing_says_one_people():
    assert PERSON.count(1) == "1 person"
    assert "1 people" not in repr(sf.Dataset.of("sets", [["a"]]))
