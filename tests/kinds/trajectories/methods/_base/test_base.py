"""Random trajectories through every method: a plain attacker finds nobody, and the fast recoding is the plain one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.trajectories.naive import attack
from tests.kinds.trajectories.naive.recode import recode

from sfumato.data.dataset import Dataset
from sfumato.exceptions import InfeasibleError
from sfumato.hierarchies.derive import balanced
from sfumato.kinds.trajectories.dataset import find_coordinates
from sfumato.kinds.trajectories.methods.seqanon import SeqAnon
from sfumato.plugins import all_methods
from sfumato.release.run import Run

PLACES = "abcdef"
SENSITIVE = ("s", "t")
METHODS = [method for method in all_methods().values() if method.kinds == ("trajectories",)]


@st.composite
def trajectories(draw, method):
    places = PLACES + ("st" if "sensitive places" in method.needs else "")
    rows = draw(st.lists(st.lists(st.sampled_from(places), min_size=1, max_size=5), min_size=4, max_size=14))
    xy = {place: (draw(st.integers(0, 3)), draw(st.integers(0, 3))) for place in places}
    options = {}
    if "sensitive places" in method.needs:
        options["sensitive"] = tuple(p for p in SENSITIVE if any(p in row for row in rows))
    if "constraints" in method.needs:
        cut = draw(st.integers(1, 5))
        options["constraints"] = (tuple(PLACES[:cut]), tuple(PLACES[cut:]))
    if "hierarchy place" in method.needs:
        options["hierarchy"] = balanced(list(PLACES), 2)
    return Dataset.of("trajectories", rows, xy, **options)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
@settings(max_examples=60)
@given(data=st.data(), k=st.integers(2, 4), m=st.integers(1, 3), seed=st.integers(0, 9))
def test_no_knowledge_leads_to_fewer_than_k_records_nor_to_a_sensitive_place(method, data, k, m, seed):
    dataset = data.draw(trajectories(method))
    parameters = {"k": k, "m": m, "infeasible": "suppress"}
    if "delta" in method.__dataclass_fields__:
        parameters["delta"] = 60.0
    if "clusters" in method.__dataclass_fields__:
        parameters["clusters"] = data.draw(st.integers(1, 4))
    if "refine" in method.__dataclass_fields__:
        parameters["refine"] = data.draw(st.booleans())
    try:
        result = method(**parameters).anonymize(dataset, Run(bytes([seed] * 32)))
    except InfeasibleError:
        return
    release = result.release
    published, original = release.history().lists(), dataset.history().lists()
    members, gone = release.members(), release.suppressed()
    sensitive = dataset.schema.sensitive
    l = getattr(release.guarantee, "l", 1)
    for row in original:
        for known in attack.knowledges(row, m, sensitive, gone):
            if not known:
                continue
            matching = [record for record in published if attack.contains(record, known, members)]
            assert len(matching) == 0 or len(matching) >= k
            for place in sensitive:
                assert l * sum(place in record for record in matching) <= len(matching)
    for record, row in zip(published, result.owner_record.rows, strict=True):
        assert attack.is_faithful(record, original[row], members, gone)
        for known in attack.knowledges(original[row], m, sensitive, gone):
            assert known == () or sum(attack.contains(other, known, members) for other in published) >= k
    assert len(published) + sum(release.suppressed_records.values()) == len(original)


@settings(max_examples=80)
@given(data=st.data(), k=st.integers(2, 4), m=st.integers(1, 3), apriori=st.booleans())
def test_seqanon_gives_the_recoding_of_the_plain_version(data, k, m, apriori):
    dataset = data.draw(trajectories(SeqAnon))
    try:
        result = SeqAnon(k=k, m=m, apriori=apriori).anonymize(dataset, Run(bytes([0] * 32)))
    except InfeasibleError:
        return
    history = dataset.history()
    rows = [[int(c) for c in history.codes[a:b]] for a, b in zip(history.offsets, history.offsets[1:], strict=False)]
    sizes = tuple(range(1, m + 1)) if apriori else (m, *range(1, m))
    plain = recode(rows, find_coordinates(dataset).tolist(), k, m, sizes=sizes)
    groups = {}
    for code, group in enumerate(plain):
        groups.setdefault(group, []).append(history.labels[code])
    assert result.owner_record.recoding.groups == tuple(sorted(tuple(sorted(group)) for group in groups.values()))


def test_a_larger_random_set_equals_the_plain_version():
    rng = np.random.default_rng(11)
    rows = [[str(p) for p in rng.zipf(1.6, rng.integers(2, 6)) % 20] for _ in range(150)]
    xy = {str(p): (p % 5, p // 5) for p in range(20)}
    dataset = Dataset.of("trajectories", rows, xy)
    history = dataset.history()
    plain = recode(
        [[int(c) for c in history.codes[a:b]] for a, b in zip(history.offsets, history.offsets[1:], strict=False)],
        find_coordinates(dataset).tolist(), 4, 2,
    )  # fmt: skip
    published = SeqAnon(k=4, m=2).anonymize(dataset, Run(bytes([0] * 32))).owner_record.recoding.published
    for a, first in enumerate(history.labels):
        for b, second in enumerate(history.labels):
            assert (plain[a] == plain[b]) == (published[first] == published[second])
