"""What every verifier does first: is it the claim that it judges, and can the release be read at all?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

from sfumato.base.guarantee import Guarantee
from sfumato.base.verdict import Verdict
from sfumato.exceptions import VerificationError
from sfumato.release.release import Release
from sfumato.verification.structure import READABLE, verify_structure

__all__ = ["ClaimedGuarantee", "read_claimed"]

GuaranteeT = TypeVar("GuaranteeT", bound=Guarantee)


class ClaimedGuarantee(NamedTuple, Generic[GuaranteeT]):
    """A claim, what is wrong with the structure of its release, and the verdict if that cannot be read.

    Examples
    --------
    >>> ClaimedGuarantee._fields
    ('guarantee', 'structure', 'unreadable')
    """

    guarantee: GuaranteeT
    structure: Verdict
    unreadable: Verdict | None


def read_claimed(
    release: Release,
    guarantee_type: type[GuaranteeT],
    check: Callable[[Release], Verdict] = verify_structure,
    describe: Callable[[GuaranteeT], dict[str, Any]] | None = None,
    *,
    whole: bool = False,
) -> ClaimedGuarantee[GuaranteeT]:
    """Return the claim of a release, or refuse one that another verifier judges.

    Parameters
    ----------
    release
        What was published.
    guarantee_type
        The guarantee that the verifier judges.
    check
        How the structure is checked.
    describe
        What a verdict says was claimed; by default the parameters.
    whole
        Whether the structure must hold altogether for anything to be counted.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.kinds.sets.guarantees import ItemsetAnonymity
    >>> release = sf.anonymize(sf.Dataset.of("sets", [["a"], ["a"]]), sf.methods.Disassociation(k=2, m=2)).release
    >>> read_claimed(release, type(release.guarantee)).unreadable is None
    True
    >>> read_claimed(release, ItemsetAnonymity)
    Traceback (most recent call last):
        ...
    sfumato.exceptions.VerificationError: itemset-anonymity: the release claims km-items; use the verifier of that
    guarantee.
    """
    guarantee = release.guarantee
    if not isinstance(guarantee, guarantee_type):
        raise VerificationError(
            f"{guarantee_type.name}: the release claims {guarantee.name}; use the verifier of that guarantee."
        )
    structure = check(release)
    if structure.checks[READABLE] and (structure.holds or not whole):
        return ClaimedGuarantee(guarantee, structure, None)
    parameters = guarantee.parameters() if describe is None else describe(guarantee)
    return ClaimedGuarantee(
        guarantee, structure, Verdict(False, parameters, {}, structure.counterexample, structure.checks)
    )
