"""k-anonymity of classes of activity data, counted anew: short enough to read in one sitting."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.core.activity import PublishedClasses
from sfumato.core.dataset import Dataset
from sfumato.core.errors import VerificationError
from sfumato.core.guarantee import Guarantee
from sfumato.core.release import Release
from sfumato.core.verdict import Verdict
from sfumato.guarantees.class_anonymity import ClassAnonymity
from sfumato.verify.activity_faithful import verify_faithful
from sfumato.verify.structure import READABLE, verify_structure

__all__ = ["GUARANTEE", "verify", "verify_against", "verify_sizes"]

GUARANTEE = ClassAnonymity

Ints = npt.NDArray[np.int64]

_CHECK = "every class has k people"


def verify(release: Release) -> Verdict:
    """Check a release on its own: does every class have at least k people, and do its shares make up their time?

    Examples
    --------
    >>> import sfumato as sf
    >>> data = Dataset.from_activity([["sleep", "eat"], ["sleep", "sleep"]])
    >>> verify(sf.anonymize(data, sf.methods.Mc(k=2, aggregate="slot"), secret=bytes(32)).release)
    Verdict(holds=True, claimed k=2, slot=1, digits=None, measured k=2, classes=1)

    References
    ----------
    Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data by Using l-diversity Privacy Model, Section 2.
    """
    return verify_sizes(release, ClassAnonymity)


def verify_sizes(release: Release, wanted: type[Guarantee]) -> Verdict:
    """Check the structure of a release of classes, and that each has as many people as is claimed.

    Parameters
    ----------
    release
        What was published.
    wanted
        The claim it must make.
    """
    claim = release.guarantee
    if not isinstance(claim, wanted):
        raise VerificationError(f"{claim.name}: this verifier judges {wanted.name}.")
    k = int(claim.parameters()["k"])
    structure = verify_structure(release)
    if not structure.checks[READABLE]:
        return Verdict(False, claim.parameters(), {}, structure.witness, structure.checks)
    found = PublishedClasses.of(release)
    small = np.flatnonzero(found.sizes < k)
    witness = None
    if len(small):
        witness = {"check": _CHECK, "class": found.names[small[0]], "size": int(found.sizes[small[0]])}
    measured = {"k": int(found.sizes.min(initial=len(release))), "classes": len(found.names)}
    return structure & Verdict(witness is None, claim.parameters(), measured, witness, {_CHECK: witness is None})


def verify_against(release: Release, original: Dataset, rows: Ints | None = None) -> Verdict:
    """Check a release against the original: are the classes those of the owner's class file, with k people each?

    Without the class file nothing can be checked but the release on its own.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = Dataset.from_activity([["sleep", "eat"], ["sleep", "sleep"]])
    >>> result = sf.anonymize(data, sf.methods.Mc(k=2, aggregate="slot"), secret=bytes(32))
    >>> verify_against(result.release, data, result.trace.rows).holds
    True
    """
    verdict = verify(release)
    return verdict if rows is None or not verdict else verdict & verify_faithful(release, original, rows)
