"""Names that messages suggest: of an original no value that only few people have."""

import pytest

import sfumato as sf
from sfumato.queries.syntax import QueryError

TREE = sf.Hierarchy.from_parents({"insulin": "medicine", "bread": "food", "medicine": "*", "food": "*"})


def fail(source, question):
    with pytest.raises(QueryError) as caught:
        sf.query(source, question)
    return str(caught.value)


@pytest.mark.parametrize(("having", "suggested"), [(9, False), (10, True)])
def test_of_an_original_a_value_is_suggested_only_if_ten_records_have_it(having, suggested):
    sets = sf.Dataset.of("sets", [["insulin"]] * having + [["bread"]])
    table = sf.Dataset.of("table", [("insulin",)] * having + [("bread",)], ("drug",))
    for told in (fail(sets, "count record with insuline"), fail(table, "count record where drug = insuline")):
        assert "is called 'insuline'" in told
        assert ("Did you mean 'insulin'?" in told) == suggested


def test_ten_records_of_one_person_are_not_enough():
    data = sf.Dataset.of("sets", [["insulin"]] * 20).of_people(["ann"] * 11 + ["bob"] * 9)
    assert "Did you mean" not in fail(data, "count record with insuline")


def test_categories_columns_and_values_of_releases_are_suggested():
    data = sf.Dataset.of("sets", [["insulin"], ["bread"]], hierarchy=TREE)
    assert "Did you mean 'medicine'?" in fail(data, "count record with medicin")
    assert "Did you mean 'age'?" in fail(sf.Dataset.of("table", [(20,)], ("age",)), "count record where ag < 3")
    visits = sf.Dataset.of("sequences", [[("clinic", 1)], [("clinic", 2)]], monitored=("clinic",))
    release = sf.anonymize(visits, sf.methods.Hi(k=2), secret=bytes(32)).release
    assert "Did you mean" not in fail(visits, "count person where clinc")
    assert "Did you mean 'clinic'?" in fail(release, "count person where clinc")
