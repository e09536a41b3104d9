"""Is the claim about what the owner asked for? A promise that leaves values out protects less than it seems to."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import pyarrow as pa

from sfumato.base.verdict import Verdict
from sfumato.data.dataset import Dataset
from sfumato.release.release import HasGuarantee, Release, describe_guarantee

__all__ = ["verify_against_policy", "verify_owner_claim"]

LISTED = "the claim names the values that were asked for"
OWNER_CLAIM = "the claim is the one that the owner kept"
TRUE_VALUES = "listed values are values of the original"
ROLES = "columns play the parts that were asked for"

_WORDS = {
    "quasi": "quasi-identifiers",
    "monitored": "monitored events",
    "sensitive": "sensitive values",
    "events": "sensitive events",
    "itemsets": "itemsets",
}
_OPTIONS = {"monitored": "monitored", "sensitive": "sensitive", "events": "sensitive", "quasi": "quasi"}
_ROLES = {"quasi": "quasi-identifier", "sensitive": "sensitive"}
"""Parameters that name columns, where columns and not values play that part."""


def verify_against_policy(
    release: Release,
    original: Dataset,
    recorded_guarantee: Mapping[str, Any] | None = None,
    recoded: Collection[str] = (),
) -> Verdict:
    """Compare a claim with the owner's policy: the options the original was read with, and the claim that was kept.

    Monitored events, sensitive values and itemsets must be exactly those that were asked for; with covers, a timeline
    also names events the sensitive ones hide among. Where the original was read without naming any, and no claim was
    kept, the comparison is left open. Values that are listed as generalised or removed must be values the owner has.

    Parameters
    ----------
    release, original
        What was published, and what it was made from, with the owner's lists.
    recorded_guarantee
        The claim and the numbers of records that the owner's trace remembers, if it is at hand.
    recoded
        Values of the recoding that the owner kept: one learnt on an earlier batch has values this one has not.

    Examples
    --------
    >>> import sfumato as sf
    >>> days = [[("mail", 1), ("news", 2)], [("mail", 3), ("chat", 4)]]
    >>> data = Dataset.of("sequences", days, monitored=("mail",))
    >>> release = sf.anonymize(data, sf.methods.Hi(k=2)).release
    >>> verify_against_policy(release, data).outcome
    'holds'
    >>> verify_against_policy(release, Dataset.of("sequences", days, monitored=("mail", "chat"))).counterexample
    {'check': 'the claim names the values that were asked for', 'parameter': 'monitored', 'asked': 2, 'claimed': 1}
    """
    difference, unsettled = _compare_lists(release, original)
    checks, counterexample = {LISTED: difference is None}, difference
    if recorded_guarantee is not None:
        other = verify_owner_claim(release, recorded_guarantee)
        checks |= other.checks
        counterexample = counterexample or other.counterexample
        unsettled = ()
    for name, seen in (
        (ROLES, _compare_roles(release, original)),
        (TRUE_VALUES, _find_unknown(release, original, recoded)),
    ):
        checks[name] = seen is None
        counterexample = counterexample or seen
    return Verdict(counterexample is None, {}, {}, counterexample, checks, unsettled)


def _compare_lists(release: Release, original: Dataset) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    guarantee = release.guarantee
    for name, option in _OPTIONS.items():
        if not hasattr(guarantee, name):
            continue
        wanted = _list_requested(original, name)
        claimed = set(getattr(guarantee, name))
        if claimed and not wanted:
            return None, (_describe_inconclusive(name, len(claimed), option),)
        hidden = name == "events" and getattr(guarantee, "cover", 1) > 1
        # An event that is gone hides among nobody and is not named, and whoever looks at the release sees that.
        if not hidden and claimed != set(wanted):
            return {"check": LISTED, "parameter": name, "asked": len(set(wanted)), "claimed": len(claimed)}, ()
    if hasattr(guarantee, "itemsets"):
        return _compare_itemsets(guarantee.itemsets, original.constraints.get("privacy", ()))
    return None, ()


def _list_requested(original: Dataset, name: str) -> tuple[str, ...]:
    """Return the values, or else the columns, that the owner named."""
    schema = original.schema
    listed = schema.monitored if name == "monitored" else () if name == "quasi" else schema.sensitive
    if name != "quasi" and any(column.role == "history" for column in schema.columns):
        return listed  # beside a history, what is sensitive are values of it
    return listed or tuple(column.name for column in schema.columns if column.role == _ROLES.get(name))


def _compare_itemsets(
    claimed: Collection[tuple[str, ...]], wanted: Collection[tuple[str, ...]]
) -> tuple[dict[str, Any] | None, tuple[str, ...]]:
    if not wanted:
        return None, (_describe_inconclusive("itemsets", len(claimed), "constraints: privacy=FILE"),)
    requested = {frozenset(itemset) for itemset in wanted}
    named = {frozenset(itemset) for itemset in claimed}
    if requested == named:
        return None, ()
    return {"check": LISTED, "parameter": "itemsets", "asked": len(requested), "claimed": len(named)}, ()


def _describe_inconclusive(name: str, claimed: int, option: str) -> str:
    return (
        f"The claim names {claimed:,} {_WORDS[name]}, and these files do not say which ones were requested. Read the "
        f"original with them ({option}), or keep owner/ beside release/."
    )


def verify_owner_claim(release: HasGuarantee, recorded_guarantee: Mapping[str, Any]) -> Verdict:
    """Look for a method, a parameter or a number of records that differs from what the owner kept.

    Examples
    --------
    >>> import sfumato as sf
    >>> release = sf.anonymize(Dataset.of("table", [(20,), (21,)], ("age",)), sf.methods.Mondrian(k=2)).release
    >>> verify_owner_claim(release, {**describe_guarantee(release), "k": 3}).counterexample
    {'check': 'the claim is the one that the owner kept', 'differing': ['k']}
    """
    guarantee = describe_guarantee(release)
    differing = sorted(
        name
        for name in guarantee.keys() | recorded_guarantee.keys()
        if _plain(guarantee.get(name)) != _plain(recorded_guarantee.get(name))
    )
    counterexample = {"check": OWNER_CLAIM, "differing": differing} if differing else None
    return Verdict(counterexample is None, {}, {}, counterexample, {OWNER_CLAIM: counterexample is None})


def _plain(value: Any) -> Any:
    """Return lists for tuples: a trace was read from a file."""
    return [_plain(entry) for entry in value] if isinstance(value, tuple | list) else value


def _compare_roles(release: Release, original: Dataset) -> dict[str, Any] | None:
    """Look for an attribute that the owner calls a quasi-identifier or sensitive, and the release does not."""
    wanted = {column.name: column.role for column in original.schema.columns}
    columns = [
        *release.columns,
        *(column for extra_table in release.extra_tables.values() for column in extra_table.columns),
    ]
    for column in columns:
        wanted_role = wanted.get(column.name, column.role)
        if {wanted_role, column.role} & {"quasi-identifier", "sensitive"} and wanted_role != column.role:
            return {"check": ROLES, "column": column.name, "asked": wanted_role, "published": column.role}
    return None


def _list_labels(original: Dataset) -> set[str]:
    """Return the labels of the history, or where there is none those of all columns."""
    if any(column.role == "history" for column in original.schema.columns):
        labels = set(original.history().labels)
    else:
        labels = set()
    for column in original.schema.columns:
        if column.role in _ROLES.values():
            labels.update(original.table.column(column.name).unique().cast(pa.string()).to_pylist())
    return labels


def _find_unknown(release: Release, original: Dataset, recoded: Collection[str]) -> dict[str, Any] | None:
    """Look for members and removed values that neither the original nor its hierarchies and constraints know."""
    rows = release.values.to_pylist()
    if not rows:
        return None
    vocabulary = {*_list_labels(original), *recoded}
    for hierarchy in original.hierarchies.values():
        vocabulary.update(hierarchy.leaf_labels)
    for groups in original.constraints.values():
        vocabulary.update(value for group in groups for value in group)
    unknown = [row["value"] is None for row in rows if row["member"] not in vocabulary]
    if not unknown:
        return None
    return {"check": TRUE_VALUES, "file": "values.csv", "members": unknown.count(False), "removed": unknown.count(True)}
