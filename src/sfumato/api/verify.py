"""Checking published files: what they tell alone, and beside the original and what its owner keeps."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from sfumato import plugins
from sfumato.api.aggregate import combine_attacks, describe_untested
from sfumato.api.attack import attack_more
from sfumato.attacks.inference import find_inferences
from sfumato.base.verdict import Verdict
from sfumato.data.dataset import Dataset
from sfumato.data.kind import find_kind, require
from sfumato.data.select import take_rows
from sfumato.exceptions import SchemaError, VerificationError
from sfumato.formats.memory import Place
from sfumato.messages import Message, option
from sfumato.progress import report_progress
from sfumato.release import inventory, owner, partitioned, storage
from sfumato.release.locate import Source, find_original, find_owner_facts, find_place
from sfumato.release.owner import NO_OWNER_FACTS, OwnerFacts
from sfumato.release.release import Release, Result
from sfumato.verification import people
from sfumato.verification.lookalikes import warn_of_lookalikes
from sfumato.verification.order import verify_order
from sfumato.verification.policy_check import verify_against_policy, verify_owner_claim
from sfumato.verification.release_checks import find_checks
from sfumato.verification.structure import READABLE

__all__ = ["check_written", "verify", "verify_partition", "verify_undivided"]

_WHO_IS_WHERE = (
    "The release was not compared with the original: owner/ is missing, which links people to its partitions. "
    "Keep owner/ beside release/."
)
_REORDERED = "has the same records in another order; they were matched by their content"
_FIT = {True: "though nothing published contradicts it", False: "and the two do not fit"}
_UNORDERED = " Without times, the order of its rows must be the same, too."


def check_written(result: Result, place: Place) -> Verdict:
    """Check the files that were written of a result; raise where its claim does not hold or something is amiss."""
    written, alone = _verify_published(place)
    verdict = _combine(alone, _verify_with_owner(result, written, alone))
    if not verdict:
        raise VerificationError(_explain_refusal(result.release, verdict))
    return verdict


def _explain_refusal(release: Release, verdict: Verdict) -> str:
    name = release.guarantee.label
    if not verdict.holds:
        return f"{name}: the release does not keep its guarantee: {verdict.in_short}."
    problems = "; ".join((*verdict.unsettled, *verdict.undeclared))
    return f"{name}: the written release failed its checks and was not left on disk: {problems}."


def _verify_with_owner(result: Result, written: Release, alone: Verdict) -> Verdict | None:
    """Check what was written against the original too, where the published files alone leave the claim open."""
    original, rows = result.owner_record.original, result.owner_record.rows
    if original is None:
        return None
    verifier = plugins.find_verifier(result.release.guarantee)
    verdict: Verdict = people.verify_people(written, original, rows)
    if alone.unsettled or find_checks(written.kind).needs_original:
        verdict &= verifier.verify_against(written, original, rows)
    return verdict


def _combine(alone: Verdict, counted: Verdict | None) -> Verdict:
    """Combine what the files say with what was counted in the original, which settles what the files leave open."""
    return alone if counted is None else dataclasses.replace(alone, unsettled=()) & counted


def verify(source: Source, original: Dataset | None = None, *, attack: bool = True) -> Verdict:
    """Check the published files against their claim; with the original, also what an attacker could match.

    Nothing of the method is trusted: the records are read from the files and counted anew. The verdict also says what
    remains possible.

    Parameters
    ----------
    source
        The directory of a release. Or a result or release that was not written: it is checked from the bytes of the
        files that would be, in memory. A result knows its original; give ``result.release`` to see what the published
        files tell alone.
    original
        What was published from.
    attack
        Whether attackers are run, with the original, who know more than the guarantee covers; what they find is part of
        what remains possible.

    Examples
    --------
    >>> import sfumato as sf
    >>> verify(sf.anonymize(sf.Dataset.of("table", [(20,), (21,)], ("age",)), sf.methods.Mondrian(k=2)))
    Verified: the guarantee holds and every file is declared.
      parameter  claimed  measured
      k          2        2
      classes             1
      fitting             2
    About the method (cannot be verified from the files): ...
    What remains possible:
      Uniqueness for someone who knows more than the guarantee covers was not tested.
    """
    folder = partitioned.find_divided(source) if isinstance(source, str | Path) else None
    if folder is not None:
        return _verify_partitions(Path(str(source)), folder, original, attack=attack)
    original = find_original(source, original)
    owner_facts = NO_OWNER_FACTS if original is None else find_owner_facts(source, original)
    return _verify_at(find_place(source), original, owner_facts, attack=attack)


def _verify_partitions(path: Path, folder: Place, original: Dataset | None, *, attack: bool) -> Verdict:
    """Check a release in partitions: what it says of all of them, and one partition after another."""
    release = partitioned.read_divided(folder)
    verdict = (
        partitioned.check_divided(release, folder) if original is None else verify_undivided(path, folder, release)
    )
    if not verdict.holds:
        return verdict
    rows = None if original is None else owner.read_division(path, original, len(release.partitions))
    if original is not None and rows is None:
        verdict &= Verdict(True, {}, {}, unsettled=(_WHO_IS_WHERE,))
    verdicts = {}
    for number, partition in enumerate(release.partitions):
        partition_original = None if original is None or rows is None else take_rows(original, rows[number])
        verdicts[partition.name] = verify_partition(path, folder, partition.name, partition_original, attack=attack)
    return Verdict.unite(verdicts) & verdict


def verify_undivided(path: Path, folder: Place, release: partitioned.DividedRelease) -> Verdict:
    """Check what a release in partitions says of all of them, also against owner/, where that is given.

    Parameters
    ----------
    path
        The directory of the whole, with ``owner/``.
    folder, release
        That of what is published, and what it says.
    """
    verdict, guarantee = partitioned.check_divided(release, folder), owner.read_recorded_guarantee(path)
    return verdict if guarantee is None else verdict & verify_owner_claim(release, guarantee)


def verify_partition(path: Path, folder: Place, name: str, original: Dataset | None, *, attack: bool = True) -> Verdict:
    """Check one partition of a release, with its people where they are given.

    Parameters
    ----------
    path
        The directory of the whole, with ``owner/``.
    folder
        That of what is published.
    name
        Of the partition.
    original
        The people of the partition.
    attack
        Whether attackers are run on it who know more than the guarantee covers.
    """
    # A partition has its people by their names, whatever the order of the file.
    owner_facts = (
        NO_OWNER_FACTS
        if original is None
        else owner.read_owner_facts(path / "owner" / name, original)._replace(reordered=False)
    )
    try:
        return _verify_at(folder / partitioned.DATA / name, original, owner_facts, attack=attack)
    except SchemaError as error:
        raise error.at(name) from None


def _verify_at(place: Place, original: Dataset | None, owner_facts: OwnerFacts, *, attack: bool) -> Verdict:
    """Check the files at a place, with the original and owner/ where they are given."""
    report_progress("verify the published files", 0, 0)
    release, alone = _verify_published(place)
    if not alone.checks.get(READABLE, True):
        return alone
    verdict = alone if original is None else _verify_beside(release, alone, original, owner_facts)
    stronger = (
        attack_more(release, original, owner_facts.rows) if attack and verdict.holds and not owner_facts.another else ()
    )
    remaining = verdict.remaining.refine(combine_attacks(None, stronger))
    if attack or original is None:
        remaining = remaining.refine(describe_untested(release, original, stronger))
    return dataclasses.replace(verdict, remaining=remaining)


def _verify_beside(release: Release, alone: Verdict, original: Dataset, owner_facts: OwnerFacts) -> Verdict:
    """Check a release against its original, and against owner/ where that is given."""
    report_progress("verify with the original", 0, 0)
    counted = plugins.find_verifier(release.guarantee).verify_against(release, original, owner_facts.rows)
    counted &= verify_against_policy(release, original, owner_facts.guarantee, owner_facts.recoded)
    if owner_facts.rows is not None:
        report_progress("compare every record with its original", 0, 0)
        counted &= find_kind(release.kind).verify_faithful.load()(release, original, owner_facts.rows)
    if owner_facts.another:
        another = Verdict(True, {}, {}, unsettled=(_explain_mismatch(original, fits=counted.holds),))
        if original.person_codes() is None:
            another = people.verify_people(release, original, None) & another
        return alone & another
    if owner_facts.reordered:
        counted &= Verdict(True, {}, {"original": _REORDERED})
    return _combine(alone, counted & people.verify_people(release, original, owner_facts.rows))


def _explain_mismatch(original: Dataset, *, fits: bool) -> str:
    """Say that the original is another one, and which slips lead to that with data of its kind."""
    roles = {column.role for column in original.schema.columns}
    ordered = "history" in roles and "time" not in roles and find_kind(original.kind).ordered
    return Message(
        f"By owner/, the release was made from other records than those of this original, {_FIT[fits]}. "
        "Give the same original, read with the same options, such as ",
        option("places"),
        ", ",
        option("split"),
        " and ",
        option("columns"),
        f".{_UNORDERED if ordered else ''}",
    )


def _verify_published(path: Place) -> tuple[Release, Verdict]:
    """Read the published files, and check what they tell on their own."""
    folder = storage.find_release(path)
    release = storage.read_release(folder)
    verdict = plugins.find_verifier(release.guarantee).verify(release)
    if not verdict.checks.get(READABLE, True):
        return release, verdict
    if verdict.holds:  # of a broken release, nothing that it lists can be counted on
        verdict = dataclasses.replace(verdict, remaining=find_inferences(release, verdict.measured))
    verdict = verdict & _verify_files(release, folder) & people.leave_people_open(release)
    return release, verdict & warn_of_lookalikes(release)


def _verify_files(release: Release, folder: Place) -> Verdict:
    """Check everything that lies in the folder, byte by byte, and what order and numbers could tell."""
    verdict = verify_order(release) & _verify_method(release) & _verify_reasons(release)
    kind = storage.marked_kind(folder)
    if kind is None:
        return verdict & inventory.check_folder(release, folder)
    return verdict & require(find_kind(kind).folder).check_folder(release, folder)


def _verify_method(release: Release) -> Verdict:
    """Look for a method or a note that is none of this program's, or not with such a claim: both can say anything.

    Whether a note is true cannot be told from the files, only whether it is the one that such releases carry.
    """
    method = plugins.methods_for(release.kind).get(release.method)
    if method is None or type(release.guarantee) not in method.guarantees:
        return Verdict(True, {}, {}, undeclared=("release.json: a method that does not make such releases",))
    if release.method_note not in (method.list_notes(release.guarantee) or ("",)):
        return Verdict(True, {}, {}, undeclared=("release.json: a note that the method does not give",))
    return Verdict(True, {}, {}, method_note=release.method_note)


def _verify_reasons(release: Release) -> Verdict:
    """Look for reasons of withholding that nothing here gives: a reason can say anything."""
    if release.suppressed_records.keys() <= {*find_kind(release.kind).suppression_reasons}:
        return Verdict(True, {}, {})
    return Verdict(True, {}, {}, undeclared=("release.json: a reason for withholding that no method gives",))
