"""The printed examples: six people, and releases of them that keep their promise."""

from __future__ import annotations

from tests.kinds.trajectories.verify.releases import make_release, recode

from sfumato.kinds.trajectories.guarantees import KlmAnonymity, KmAnonymity
from sfumato.release.release import Release

SIX = [list("dace"), list("baec"), list("ade"), list("bdec"), list("dc"), list("de")]
SIX_SENSITIVE = [list("dace"), list("baec"), list("adef"), list("bdec"), list("dgc"), list("de")]
ABC = {"{a|b|c}": ["a", "b", "c"]}
ABD = {"{a|b|d}": ["a", "b", "d"]}
THREE = [list("bdec"), list("baec"), list("dgc")]


def six_published(k: int = 2, m: int = 2) -> Release:
    """Return the six people with a, b and c generalised, which is 2^2-anonymous."""
    return make_release([recode(row, ABC) for row in SIX], ABC, KmAnonymity(k=k, m=m))


def three_published(k: int = 2, m: int = 2, l: int = 2) -> Release:
    """Return the second cluster with a, b and d generalised and g sensitive, which is (2,2)^2-anonymous."""
    guarantee = KlmAnonymity(k=k, m=m, l=l, sensitive=("f", "g"))
    return make_release([recode(row, ABD) for row in THREE], ABD, guarantee)
