"""What every verifier does first: is it the claim that it judges, and can the release be read at all?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

from sfumato.base.guarantee import Guarantee
from sfumato.base.verdict import Verdict
from sfumato.exceptions import VerificationError
from sfumato.release.release import Release
from sfumato.verification.structure import READABLE, verify_structure

__all__ = ["Claimed", "read_claim"]

Promise = TypeVar("Promise", bound=Guarantee)


class Claimed(NamedTuple, Generic[Promise]):
    """A claim, what is wrong with the structure of its release, and the verdict if that cannot be read.

    Examples
    --------
    >>> Claimed._fields
    ('claim', 'structure', 'unreadable')
    """

    claim: Promise
    structure: Verdict
    unreadable: Verdict | None


def read_claim(
    release: Release,
    promise: type[Promise],
    check: Callable[[Release], Verdict] = verify_structure,
    claimed: Callable[[Promise], dict[str, Any]] | None = None,
    *,
    whole: bool = False,
) -> Claimed[Promise]:
    """Return the claim of a release, or refuse one that another verifier judges.

    Parameters
    ----------
    release
        What was published.
    promise
        The guarantee that the verifier judges.
    check
        How the structure is checked.
    claimed
        What a verdict says was claimed; by default the parameters.
    whole
        Whether the structure must hold altogether for anything to be counted.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.kinds.sets.guarantees.itemset_anonymity import ItemsetAnonymity
    >>> release = sf.anonymize(sf.Dataset.of("sets", [["a"], ["a"]]), sf.methods.Disassociation(k=2, m=2)).release
    >>> read_claim(release, type(release.guarantee)).unreadable is None
    True
    >>> read_claim(release, ItemsetAnonymity)
    Traceback (most recent call last):
        ...
    sfumato.exceptions.VerificationError: itemset-anonymity: the release claims km-items; use the verifier of that
    guarantee.
    """
    claim = release.guarantee
    if not isinstance(claim, promise):
        raise VerificationError(f"{promise.name}: the release claims {claim.name}; use the verifier of that guarantee.")
    structure = check(release)
    if structure.checks[READABLE] and (structure.holds or not whole):
        return Claimed(claim, structure, None)
    parameters = claim.parameters() if claimed is None else claimed(claim)
    return Claimed(claim, structure, Verdict(False, parameters, {}, structure.witness, structure.checks))
