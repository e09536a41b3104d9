"""What the published files leave open is counted in the original before anything is left on disk."""

import dataclasses

import pytest

import sfumato as sf
from sfumato.base.verdict import Verdict
from sfumato.exceptions import VerificationError
from sfumato.kinds.trajectories.verify import km_anonymity

DATA = sf.Dataset.of("trajectories", [["a", "b"]] * 3, {"a": (0, 0), "b": (1, 1)})


@pytest.mark.parametrize("holds", [True, False])
def test_a_claim_that_the_files_leave_open_is_judged_by_the_original(tmp_path, monkeypatch, holds):
    alone = km_anonymity.verify

    def leave_open(release):
        return dataclasses.replace(alone(release), unsettled=("There are too many readings.",))

    monkeypatch.setattr(km_anonymity, "verify", leave_open)
    monkeypatch.setattr(km_anonymity, "verify_against", lambda *_: Verdict(holds, {}, {}))
    result = sf.anonymize(DATA, sf.methods.SeqAnon(k=2, m=1))
    if holds:
        assert sf.write(result, tmp_path / "out", reports=False)
    else:
        with pytest.raises(VerificationError, match="does not keep its guarantee"):
            sf.write(result, tmp_path / "out", reports=False)
        assert not (tmp_path / "out").exists()
    assert not holds or sf.verify(tmp_path / "out").outcome == "unsettled"
