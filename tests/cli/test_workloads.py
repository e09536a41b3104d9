"""Workloads from the command line: drawn, shown, edited, and put to releases of every kind."""

import numpy as np
import pytest
from tests.contracts.kinds.contract_data import KINDS, required_parameters
from tests.contracts.kinds.test_contract import ordinary_rows

import sfumato as sf
from sfumato import plugins
from sfumato.cli import run
from sfumato.metrics.workload import Workload

SECRET = bytes([1] * 32)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_queries_of_every_kind_are_drawn_saved_and_put_to_releases_of_several_methods(kind, tmp_path):
    names = [name for name in plugins.find_kind(kind).recommended if name in plugins.methods_for(kind)]
    asked = {}
    for name in names:
        method = plugins.methods_for(kind)[name]
        data = KINDS[kind].build(ordinary_rows(), method)
        drawn = sf.draw_workload(data, count=12, seed=3)
        assert 0 < len(drawn) <= 12 and drawn == sf.draw_workload(data, count=12, seed=3)
        saved = Workload.from_csv(drawn.to_csv())
        assert saved == drawn
        result = sf.anonymize(data, method(**required_parameters(method)), secret=SECRET, max_suppressed_records=1)
        sf.write(result, tmp_path / name, reports=False)
        scores = {score.name: score for score in sf.measure(tmp_path / name, data, workload=saved)}
        answered = [score for score in scores.values() if "sanity_bound" in score.details]
        assert answered and all(np.isfinite(score.value) for score in answered)
        assert answered[0].details["queries"] == len(saved)
        asked[name] = saved
    assert asked


def test_what_a_kind_does_not_have_is_refused_with_the_number_of_the_query(tmp_path):
    timeline = KINDS["timeline"].build(ordinary_rows(), plugins.methods_for("timeline")["essa"])
    result = sf.anonymize(timeline, sf.methods.Essa(delta="2/3"), secret=SECRET)
    sf.write(result, tmp_path / "out", reports=False)
    for query in (
        ("nowhere",),
        ("p01", "p02"),
        ("p01", "time=x..y"),
        ("p01", "time=5..3"),
        ("p01", "time=1", "time=2"),
    ):
        with pytest.raises(sf.SchemaError, match="query 2 of the workload"):
            sf.measure(tmp_path / "out", timeline, workload=Workload((("p01",), query)))


def test_generate_show_and_edit(tmp_path, capsys):
    data, file, less = tmp_path / "baskets.csv", tmp_path / "queries.txt", tmp_path / "less.txt"
    data.write_text("person,item\n" + "".join(f"p{n},i{n % 7}\np{n},j{n % 3}\n" for n in range(40)))
    words = ["workload", "generate", str(data), "--kind", "sets", "--count", "15", "--out", str(file)]
    assert run(words) == 0
    assert run(words) == 2, "a file that is there stays"
    queries = Workload.from_csv(file.read_text()).queries
    assert len(queries) == 15
    assert run(["workload", "show", str(file)]) == 0
    assert (
        run(["workload", "edit", str(file), "--drop", "1-3", "--parts", "1", "--add", "i1 > j2", "--out", str(less)])
        == 0
    )
    left = Workload.from_csv(less.read_text()).queries
    assert left == (*(query for query in queries[3:] if len(query) == 1), ("i1", "j2"))
    for wrong in (["--drop", "99"], ["--drop", "x"], ["--filter", "nothing has this"], ["--add", "a >> b"]):
        kept = less.read_bytes()
        assert run(["workload", "edit", str(file), *wrong, "--out", str(less), "--force"]) == 2
        assert less.read_bytes() == kept
    assert "there is no such" not in capsys.readouterr().out
