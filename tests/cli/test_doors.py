"""How somebody new is met: what is missing or mistaken is said at once, with what would work."""

from __future__ import annotations

import shlex
import tomllib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.params import declared
from sfumato.plugins import all_kinds, make_method, methods_for

ROWS = 40
TYPES = {
    "struct": pa.array([{"a": n % 3} for n in range(ROWS)]),
    "list of struct": pa.array([[{"a": n % 3}] for n in range(ROWS)]),
    "map": pa.array([[("a", n % 3)] for n in range(ROWS)], pa.map_(pa.string(), pa.int64())),
    "list": pa.array([["a", "b"][: 1 + n % 2] for n in range(ROWS)]),
    "nested list": pa.array([[[n % 3]] for n in range(ROWS)]),
    "fixed list": pa.array([[n % 3, 1] for n in range(ROWS)], pa.list_(pa.int64(), 2)),
    "binary": pa.array([b"\xff%d" % (n % 3) for n in range(ROWS)]),
    "dictionary": pa.array(["xyz"[n % 3] for n in range(ROWS)]).dictionary_encode(),
    "decimal": pa.array([n % 3 for n in range(ROWS)]).cast(pa.decimal128(30, 2)),
    "duration": pa.array([n % 3 for n in range(ROWS)], pa.duration("s")),
    "time": pa.array([n % 3 for n in range(ROWS)], pa.time64("us")),
    "view": pa.array(["xyz"[n % 3] for n in range(ROWS)], pa.string_view()),
    "null": pa.nulls(ROWS),
}
READ_AS_VALUES = {"dictionary", "decimal", "view", "null"}
NAMES = ("extra", "diagnosis", "patient_id", "place", "time", "items", "weight", "tid")


def write_adults(path, rows=200):
    lines = ["name;age;sex;job;salary"]
    lines += [f"n{n};{20 + n % 9};{'fm'[n % 2]};{'abcd'[n % 4]};{['low', 'high'][n % 4 == 3]}" for n in range(rows)]
    path.write_text("\n".join(lines) + "\n")
    return path


def write_baskets(path):
    items = ["milk", "rye bread", "tea", "jam", "eggs", "soap"]
    path.write_text("".join(",".join(items[n % 5 :: 1 + n % 3] or items[:1]) + "\n" for n in range(60)))
    return path


def write_columns(path, name, cells):
    people = {
        "age": [str(20 + n % 7) for n in range(ROWS)],
        "sex": ["fm"[n % 2] for n in range(ROWS)],
        "city": ["abc"[n % 3] for n in range(ROWS)],
    }
    pq.write_table(pa.table({**people, name: cells}), path)
    return path


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", TYPES)
def test_no_type_of_column_is_a_fault_of_the_program(sfumato, tmp_path, kind, name):
    write_columns(tmp_path / "people.parquet", name, TYPES[kind])
    done = sfumato("start", "people.parquet", "--yes", "--kind", "table")
    policy = tomllib.loads((tmp_path / "policy.toml").read_text())
    if kind not in READ_AS_VALUES:
        assert name in policy["data"]["drop"] and f"`{name}`" in done.stdout
    for other in ("trajectories", "sequences", "sets", "activity", "snapshots", "timeline", "rt"):
        try:
            sf.read(tmp_path / "people.parquet", other)
        except (SchemaError, ParameterError):
            continue


@pytest.mark.parametrize("kind", sorted(TYPES.keys() - READ_AS_VALUES))
def test_a_column_that_is_no_attribute_is_refused_by_name(sfumato, tmp_path, kind):
    write_columns(tmp_path / "people.parquet", "extra", TYPES[kind])
    read_options = ("people.parquet", "--kind", "table", "--quasi", "age,extra", "--drop", "*")
    publishing = ("--method", "mondrian", "-p", "k=2", "--out", "out")
    for words in (("inspect", *read_options), ("anonymize", *read_options, *publishing)):
        assert "column 'extra' must hold numbers, dates or text" in sfumato(*words, expect=2).stderr
    assert not (tmp_path / "out").exists()


def test_types_that_name_the_same_in_other_words_are_read(tmp_path):
    for kind in READ_AS_VALUES:
        write_columns(tmp_path / "people.parquet", "extra", TYPES[kind])
        data = sf.read(tmp_path / "people.parquet", "table", quasi=["age", "extra"], drop=["*"])
        assert len(data) == ROWS


def test_what_the_user_calls_sensitive_beats_the_guess(sfumato, tmp_path):
    write_adults(tmp_path / "adults.csv")
    found = sfumato("start", "adults.csv", "--yes", "--json", "--sensitive", "job").json
    assert found["options"]["sensitive"] == ["job", "salary"] and found["options"]["quasi"] == ["age", "sex"]
    policy = tomllib.loads((tmp_path / "policy.toml").read_text())
    assert policy["data"]["sensitive"] == ["job", "salary"] and policy["method"]["l"] == 2
    ran = sfumato("run", "policy.toml", "--json").json
    assert ran["verify"]["holds"] and ran["anonymize"]["guarantee"]["parameters"]["l"] == 2
    told = sfumato("start", "adults.csv", "--yes", "--force", "--sensitive", "slary", expect=2).stderr
    assert (
        told
        == "sfumato: adults.csv: cannot be read as table: there is no column 'slary'. The nearest one is 'salary'.\n"
    )


def test_a_sensitive_column_has_a_guarantee_and_what_it_leaves_open_is_said(sfumato, tmp_path):
    write_adults(tmp_path / "adults.csv")
    done = sfumato("start", "adults.csv", "--yes")
    assert "75 % of the records share one value of `salary`" in done.stdout and "WARNING" not in done.stdout
    assert tomllib.loads((tmp_path / "policy.toml").read_text())["method"] == {"name": "mondrian", "k": 5, "l": 2}
    lines = (tmp_path / "adults.csv").read_text().replace(";high", ";low")
    (tmp_path / "adults.csv").write_text(lines)
    done = sfumato("start", "adults.csv", "--yes", "--force")
    assert "WARNING" in done.stdout and "No guarantee can protect `salary`" in done.stdout
    text = (tmp_path / "policy.toml").read_text()
    assert "# WARNING: No guarantee can protect `salary`" in text and "l" not in tomllib.loads(text)["method"]


def test_sensitive_values_of_histories_have_a_guarantee(sfumato, tmp_path):
    write_baskets(tmp_path / "baskets.csv")
    sfumato("start", "baskets.csv", "--yes", "--sensitive", "tea")
    assert tomllib.loads((tmp_path / "policy.toml").read_text())["method"]["l"] == 5
    assert sfumato("run", "policy.toml", "--json").json["anonymize"]["guarantee"]["parameters"]["l"] == 5
    (tmp_path / "clicks.txt").write_text("".join(f"{n % 5} -1 {n % 3 + 5} -1 -2\n" for n in range(60)))
    found = sfumato("start", "clicks.txt", "--yes", "--force", "--json", "--sensitive", "1").json
    assert found["kind"] == "trajectories" and found["method"]["l"] == 2 and not found["warnings"]
    days = [
        f"{n},{'abc'[h % 3]},2024-01-01T{h:02}:00:00,2024-01-01T{h + 1:02}:00:00" for n in range(20) for h in range(9)
    ]
    (tmp_path / "days.csv").write_text("\n".join(["person,activity,start,end", *days]) + "\n")
    found = sfumato("start", "days.csv", "--yes", "--force", "--json", "--sensitive", "b").json
    assert {"delta", "epsilon"} <= set(found["method"]) and "100 % of the records" in found["warnings"][0]


def test_sensitive_columns_without_a_guarantee_are_said_loudly(sfumato, tmp_path):
    rows = [f"{20 + n % 9},{'fm'[n % 2]},{['flu', 'cold'][n % 2]},{['a|b', 'b|c|a', 'c'][n % 3]}" for n in range(90)]
    (tmp_path / "people.csv").write_text("\n".join(["age,sex,illness,products", *rows]) + "\n")
    found = sfumato("start", "people.csv", "--yes", "--json").json
    assert found["kind"] == "rt" and "`illness`" in found["warnings"][0]
    wards = [f"2024-01-0{1 + n % 9},{20 + n % 4},{['flu', 'cold'][n % 4 == 0]}" for n in range(90)]
    (tmp_path / "wards.csv").write_text("\n".join(["date,age,disease", *wards]) + "\n")
    found = sfumato("start", "wards.csv", "--yes", "--json", "--force").json
    assert found["kind"] == "snapshots" and "share one value of `disease`" in found["warnings"][0]
    found = sfumato(
        "start", "wards.csv", "--yes", "--json", "--force", "--kind", "snapshots", "--sensitive", "age"
    ).json
    assert found["options"]["sensitive"] == ["age"] and not found["warnings"]


def test_what_start_detects_is_detected_when_data_are_read(sfumato, tmp_path):
    write_baskets(tmp_path / "baskets.csv")
    (tmp_path / "baskets.xyz").write_bytes((tmp_path / "baskets.csv").read_bytes())
    publishing = ("--kind", "sets", "--method", "disassociation", "-p", "k=2", "-p", "m=2", "--out", "out")
    assert sfumato("anonymize", "baskets.csv", *publishing, "--json").json["published"] == 60
    assert sfumato("verify", "out", "--original", "baskets.csv", "--json").json["holds"]
    sfumato("anonymize", "baskets.xyz", *publishing, "--force", "--engine", "local", "--cores", "1")
    data = sf.read(tmp_path / "baskets.xyz", "sets")
    assert data.notes[0].details == {"options": "format transactions; separator ','"}
    told = sf.read(tmp_path / "baskets.xyz", "sets", format="transactions", separator=",")
    assert told.notes[0].code == "rows-read"


def test_what_is_the_owners_to_decide_can_be_pasted(sfumato, tmp_path):
    lines = [f"{n // 4},{53 + n % 3 / 100},{8 + n % 4 / 100}" for n in range(160)]
    (tmp_path / "taxis.csv").write_text("\n".join(["vehicle,lat,lon", *lines]) + "\n")
    told = sfumato("inspect", "taxis.csv", "--kind", "trajectories", "--drop", "*", expect=2).stderr
    given = told.partition("If this guess is right, add: ")[2]
    assert "--drop" not in given
    found = sfumato("inspect", "taxis.csv", "--kind", "trajectories", "--drop", "*", *shlex.split(given), "--json").json
    assert found["people"] == 40
    told = sfumato("inspect", "taxis.csv", "--kind", "sequences", "--column", "time=lat", expect=2).stderr
    assert told.endswith("The file looks like trajectories.\n")


def test_run_takes_force_as_anonymize_does(sfumato, tmp_path):
    write_baskets(tmp_path / "baskets.csv")
    sfumato("start", "baskets.csv", "--yes")
    sfumato("run", "policy.toml")
    assert "already holds a release. Replace it: --force" in sfumato("run", "policy.toml", expect=2).stderr
    assert sfumato("run", "policy.toml", "--force", "--json").json["verify"]["holds"]


def test_the_file_and_the_kind_come_first_and_then_all_that_is_missing(sfumato, tmp_path):
    write_baskets(tmp_path / "baskets.csv")
    publishing = ("--method", "disassociation", "--out", "out")
    told = sfumato("anonymize", "none.csv", "--kind", "setz", *publishing, expect=2).stderr
    assert told == "sfumato: none.csv: there is no such file.\n"
    told = sfumato("anonymize", "baskets.csv", "--kind", "setz", *publishing, expect=2).stderr
    assert "Did you mean --kind sets?" in told
    told = sfumato("anonymize", "baskets.csv", "--kind", "table", *publishing, expect=2).stderr
    assert "does not apply to table data, only to sets. Methods for table: bottom-up," in told
    told = sfumato("anonymize", "baskets.csv", "--kind", "sets", *publishing, expect=2).stderr
    assert "k and m must be given" in told
    sfumato(*shlex.split(told.partition("For example: sfumato ")[2]))
    assert (tmp_path / "out" / "release").is_dir()


def test_all_missing_options_are_named_at_once(sfumato, tmp_path):
    told = sfumato("anonymize", expect=2).stderr
    assert told == "sfumato: anonymize needs DATA, --kind, --method and --out. Detect them: sfumato start data.csv\n"
    told = sfumato("--quiet", "inspect", "my data.csv", expect=2).stderr
    assert told == "sfumato: inspect needs --kind. Detect them: sfumato start 'my data.csv'\n"
    assert sfumato("hierarchy", "derive", expect=2).stderr.startswith("sfumato: hierarchy derive needs ")
    for option, meant in (("--quasi-identifiers", "--quasi"), ("--sep", "--delimiter"), ("--taxonomy", "--hierarchy")):
        told = sfumato("inspect", "a.csv", "--kind", "table", option, "x", expect=2).stderr
        assert told == f"sfumato: {option} is not an option of sfumato inspect. Did you mean {meant}?\n"
    assert "-p k=VALUE" in sfumato("anonymize", "a.csv", "--k", "5", expect=2).stderr


def test_a_policy_is_told_what_to_add(sfumato, tmp_path):
    write_baskets(tmp_path / "baskets.csv")
    (tmp_path / "policy.toml").write_text(
        '[data]\npath = "none.csv"\nkind = "sets"\n[method]\nname = "apriori"\n[release]\nout = "out"\n'
    )
    assert "there is no such file" in sfumato("run", "policy.toml", expect=2).stderr
    (tmp_path / "policy.toml").write_text((tmp_path / "policy.toml").read_text().replace("none", "baskets"))
    assert sfumato("run", "policy.toml", expect=2).stderr.endswith("Add to [method]: k = 5, m = 2\n")
    assert "nowhere.toml: there is no such file" in sfumato("run", "nowhere.toml", expect=2).stderr


@pytest.mark.parametrize("kind", all_kinds())
def test_every_method_can_be_given_what_its_refusal_suggests(kind):
    for name, method in methods_for(kind).items():
        if any(parameter.required for parameter in declared(method)):
            suggested = {}
            with pytest.raises(ParameterError, match="must be given"):
                make_method(name, kind, {}, lambda found, into=suggested: into.update(found) or "")
            assert isinstance(make_method(name, kind, suggested), method)


def test_a_file_of_a_release_names_the_release(sfumato, tmp_path):
    write_baskets(tmp_path / "baskets.csv")
    sfumato("start", "baskets.csv", "--yes")
    sfumato("run", "policy.toml")
    told = sfumato("verify", "baskets-release/release/data.csv", expect=2).stderr
    assert told.endswith("is one file of a release. Give its directory: sfumato verify baskets-release\n")
    sfumato(*shlex.split(told.partition("sfumato verify")[1] + told.partition("sfumato verify")[2])[1:])
    assert "sfumato start baskets.csv" in sfumato("verify", "baskets.csv", expect=2).stderr
    assert "nowhere does not exist" in sfumato("verify", "nowhere", expect=2).stderr


def test_methods_are_given_by_name_in_python():
    data = sf.Dataset.of("table", [(20,), (21,), (30,), (31,)], ("age",))
    given = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32)).release
    for method in ("mondrian", sf.methods.Mondrian):
        assert sf.anonymize(data, method, k=2, secret=bytes(32)).release.table == given.table
    with pytest.raises(ParameterError, match="For example: k=5"):
        sf.anonymize(data, "mondrian")
    with pytest.raises(ParameterError, match="Did you mean 'mondrian'"):
        sf.anonymize(data, "mondrain", k=2)
    with pytest.raises(ParameterError, match="does not apply to table data, only to trajectories"):
        sf.anonymize(data, "seqanon", k=2, m=2)
    with pytest.raises(ParameterError, match=r"Write: sf.methods.Mondrian\(k=...\)"):
        sf.anonymize(data, sf.methods.Mondrian(k=2), k=3)
    with pytest.raises(ParameterError, match="must be a name or a method, got int"):
        sf.anonymize(data, 5)


def test_identifiers_with_few_values_are_questioned(sfumato, tmp_path):
    write_adults(tmp_path / "adults.csv")
    doubt = "Identifier `sex` has only 2 distinct values in 200 rows."
    read_options = ("adults.csv", "--kind", "table", "--quasi", "age", "--identifier", "sex", "--drop", "*")
    assert doubt in sfumato("inspect", *read_options).stdout
    publishing = ("--method", "mondrian", "-p", "k=5", "--no-report", "--out", "out", "--force")
    assert doubt in sfumato("anonymize", *read_options, *publishing).stdout
    done = sfumato("anonymize", *read_options, *publishing, "--engine", "local", "--cores", "1", "--json")
    assert doubt in done.json["warnings"][0]
    data = sf.read(tmp_path / "adults.csv", "table", quasi=["age"], identifier=["sex"], drop=["*"])
    assert str(data.doubts[0]).startswith(doubt)
    with pytest.warns(sf.ReleaseWarning, match="only 2 distinct values in 200 rows"):
        sf.write(sf.anonymize(data, "mondrian", k=5), tmp_path / "again", reports=False)
    assert not sf.read(tmp_path / "adults.csv", "table", quasi=["age"], identifier=["name"], drop=["*"]).doubts
    lines = [f"p{n % 3}@example.org,{20 + n % 9},{'abc'[n % 3]}" for n in range(200)]
    (tmp_path / "people.csv").write_text("\n".join(["contact,age,city", *lines]) + "\n")
    assert "Identifier `contact` has only 3" in sfumato("start", "people.csv", "--yes").stdout


def test_a_folder_without_a_name_is_no_fault_of_the_program(sfumato, tmp_path):
    (tmp_path / "a.csv").write_text("age,sex\n30,f\n31,m\n")
    read_options = (".", "--kind", "table", "--quasi", "age,sex")
    assert sfumato("inspect", *read_options, "--json").json["people"] == 2
    publishing = ("--method", "mondrian", "-p", "k=2", "--out", "out")
    assert (
        sfumato("anonymize", *read_options, *publishing, "--engine", "local", "--cores", "1", "--json").json[
            "published"
        ]
        == 2
    )


def test_columns_that_are_not_there_are_told_from_those_that_are(tmp_path):
    write_adults(tmp_path / "adults.csv")
    with pytest.raises(SchemaError, match=r"no column 'illness'\. Columns: 'name', 'age'"):
        sf.read(tmp_path / "adults.csv", "table", quasi=["age"], sensitive=["illness"], drop=["*"])


def test_hierarchies_that_are_missing_are_named(sfumato, tmp_path):
    write_adults(tmp_path / "adults.csv")
    read_options = ("adults.csv", "--kind", "table", "--quasi", "age", "--drop", "*")
    told = sfumato("inspect", *read_options, "--hierarchy", "age=none.csv", expect=2).stderr
    assert told == "sfumato: none.csv: there is no such hierarchy file.\n"
    told = sfumato("inspect", *read_options, "--hierarchy", "agee=width:8", expect=2).stderr
    assert told == "sfumato: --hierarchy names 'agee', which is no column of the release. Did you mean 'age'?\n"


def test_compile_says_for_which_method_it_works(sfumato, monkeypatch, tmp_path):
    monkeypatch.setattr("sfumato.studies.compilation.make_specimens", lambda _: [])
    assert sfumato("compile", "--kind", "table").stderr == ""
    monkeypatch.undo()
    done = sfumato(
        "compile", "--kind", "timeline", own_process=True, env={"NUMBA_CACHE_DIR": str(tmp_path / "kernels")}
    )
    assert "compiling timeline/essa" in done.stderr.splitlines()
    again = sfumato(
        "compile", "--kind", "timeline", own_process=True, env={"NUMBA_CACHE_DIR": str(tmp_path / "kernels")}
    )
    assert again.stderr == "" and "Already compiled: timeline/essa" in again.stdout
