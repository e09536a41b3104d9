"""What an attacker reaches with the best and with random knowledge, against trying everything."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.trajectories.naive import attack as naive
from tests.kinds.trajectories.recodings import SENSITIVE, groupings, rows_of_places, rows_with_sensitive, sizes
from tests.kinds.trajectories.verify.releases import make_release, recode

from sfumato.data.dataset import Dataset
from sfumato.exceptions import ParameterError
from sfumato.kinds.trajectories.attacks import attack, risk_of_original
from sfumato.kinds.trajectories.guarantees import KmAnonymity


@given(rows_with_sensitive, sizes)
def test_risk_of_the_original(original: list[list[str]], m: int) -> None:
    expected = naive.answers(original, {}, (), original, m, SENSITIVE)
    risk = risk_of_original(Dataset.of("trajectories", original, sensitive=SENSITIVE), m)
    assert risk.set_sizes.tolist() == [answer.smallest for answer in expected]
    assert risk.smallest_anonymity_set == min(answer.smallest for answer in expected)
    assert risk.mean_success == pytest.approx(np.mean([1 / answer.smallest for answer in expected]))
    assert risk.max_success == 1 / risk.smallest_anonymity_set
    assert risk.unique_share == np.mean([answer.smallest == 1 for answer in expected])
    assert risk.max_sensitive_share == max(answer.share for answer in expected)


@given(rows_of_places, groupings(), sizes, st.integers(0, 5))
def test_attack_sums_up_the_matches(original: list[list[str]], groups: dict[str, list[str]], m: int, kept: int) -> None:
    published = [recode(row, groups) for row in original[:kept]]
    release = make_release(published, groups, KmAnonymity(k=2, m=m))
    data = Dataset.of("trajectories", original)
    rows = np.arange(len(published))
    risk, again = attack(release, data, rows), attack(release, data, rows)
    expected = naive.answers(published, release.members(), (), original, m)
    sizes_expected = [answer.smallest for answer in expected[: len(published)]]
    assert risk.set_sizes.tolist() == sizes_expected + [0] * (len(original) - len(published))
    assert risk.mean_success == pytest.approx(sum(1 / size for size in sizes_expected) / len(original))
    assert risk.mean_success_random is not None
    assert risk.mean_success_random <= risk.mean_success + 1e-12
    assert risk.to_dict() == again.to_dict()


def test_a_guarantee_without_m_cannot_be_attacked() -> None:
    release = make_release([["a"]], guarantee=SimpleNamespace(name="other"))  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="how many places"):
        attack(release, Dataset.of("trajectories", [["a"]]))
