"""The file that describes a warehouse: what is wrong is named with where it is and what would be right."""

from __future__ import annotations

import pytest

from sfumato.exceptions import SfumatoError
from sfumato.ontologies.definition import read_definition

GOOD = """
[prefixes]
e = "http://e/"
[[source]]
name = "one"
file = "one.ttl"
[[source]]
name = "two"
file = "two.csv"
[source.table]
subject = "e:{id}"
columns = { id = "e:id" }
[mapping]
subclass = [["e:a", "e:b"]]
[[mapping.restriction]]
class = "e:c"
of = "e:a"
property = "e:p"
some = "e:b"
[[rule]]
name = "r"
where = ["?x e:p ?y"]
of = "?y"
pattern = "(?P<z>.+)"
add = ["?x e:q ?z"]
[[match]]
name = "m"
a = { source = "one", value = "e:id", apply = ["lower"] }
b = { source = "two", value = "iri", apply = ["local-name"] }
[checks]
single = ["e:id"]
[[competence]]
name = "q"
query = "q.rq"
expected = "q.csv"
"""
BAD = [
    ('file = "one.ttl"', 'fil = "one.ttl"', r"\[\[source\]\] 1: there is no 'fil' here. Did you mean 'file'\?"),
    ("[checks]", "[cheks]", r"there is no 'cheks' here. Did you mean 'checks'\?"),
    ("columns = {", "column = {", r"there is no 'column' here. Did you mean 'columns'\?"),
    ('id = "e:id"', 'id = { property = "e:id", languag = "en" }', r"Did you mean 'language'\?"),
    ('some = "e:b"', 'sme = "e:b"', r"\[restriction\]\] 1: there is no 'sme' here. Did you mean 'some'\?"),
    ('name = "two"', 'name = "one"', "the name 'one' is used twice"),
    ('name = "two"', 'name = "t/../wo"', "source.*name"),
    ('["e:a", "e:b"]', '["x:a", "e:b"]', r"\[mapping\]: 'x:a': the prefix 'x' is unknown"),
    ('["e:a", "e:b"]', '["e:a"]', r"mapping"),
    ('source = "two"', 'source = "tow"', r"\[\[match\]\] 1 \(m\): There is no source 'tow'. Did you mean 'two'\?"),
    ('apply = ["lower"]', 'apply = ["lowr"]', r"there is no step 'lowr'. Did you mean 'lower'\?"),
    ("?x e:q ?z", "?x e:q ?w", r"\[\[rule\]\] 1 \(r\): \?w of add is neither"),
    ("?x e:q ?z", "?x e:q", "must have three terms, got 2"),
    ("(?P<z>.+)", "(?P<z>.+", "not a regular expression"),
    ('of = "?y"', "", "of and pattern must be given together"),
    ('of = "?y"', 'of = "?k"', r"\?k is in no pattern of where"),
    ('e = "http://e/"', 'e = "http://e /"', "it has spaces"),
    ('file = "one.ttl"', 'file = "one.ttl"\nformat = "turtel"', r"Did you mean 'turtle'\?"),
    ('e = "http://e/"', 'e = "http://e/"\n"a b" = "http://a/"', "is not a prefix"),
    ("[checks]", "[checks", "not a TOML file"),
    ('"e:id"]', '"eid"]', "is not a name"),
]


def test_a_good_file_is_read_with_paths_beside_it(tmp_path):
    (tmp_path / "w.toml").write_text(GOOD)
    found = read_definition(tmp_path / "w.toml")
    assert found.source[0].file == str(tmp_path / "one.ttl")
    assert found.competence[0].query == str(tmp_path / "q.rq")


@pytest.mark.parametrize(("old", "new", "said"), BAD, ids=[new or "nothing" for _, new, _ in BAD])
def test_what_is_wrong_is_named(old, new, said, tmp_path):
    assert old in GOOD
    (tmp_path / "w.toml").write_text(GOOD.replace(old, new, 1))
    with pytest.raises(SfumatoError, match=said) as raised:
        read_definition(tmp_path / "w.toml")
    assert "w.toml" in str(raised.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(SfumatoError, match=r"no\.toml: there is no such file"):
        read_definition(tmp_path / "no.toml")


def test_a_name_with_blanks_is_refused_in_words(make):
    with pytest.raises(SfumatoError, match="name: must begin with a letter or a digit and have only letters"):
        make('[[source]]\nname = "my source"\nfile = "a.ttl"\n', {"a.ttl": "<urn:a> <urn:b> 1 ."})
