"""What k counts: records, or the different people who have them."""

from __future__ import annotations

import dataclasses

import numpy as np

from sfumato.base.guarantee import COUNTS
from sfumato.base.method import Method
from sfumato.data.dataset import Dataset
from sfumato.data.record_unit import plural
from sfumato.exceptions import InfeasibleError, ParameterError
from sfumato.messages import Message, MethodName, option, parameter
from sfumato.release.release import Result
from sfumato.release.run import Run
from sfumato.verification.people import find_smallest_group
from sfumato.verification.release_checks import find_checks

__all__ = ["anonymize"]


def anonymize(dataset: Dataset, method: Method, run: Run, protect: str = "records") -> Result:
    """Run a method so that k counts records or people.

    Where it counts people, the method is run with a rising k until every group has k people. It need never rise above
    (k - 1) times the records of the person who has most of them, plus one: so many records are those of k people. The
    guarantee claims the k that was requested.

    Examples
    --------
    >>> import sfumato as sf
    >>> visits = sf.Dataset.of("trajectories", [["a"], ["a"], ["b"], ["b"]], {"a": (0, 0), "b": (1, 1)})
    >>> days = visits.of_people(["ann", "ann", "bob", "bob"])
    >>> anonymize(days, sf.methods.SeqAnon(k=2, m=1), Run(bytes(32)), "people").release.guarantee.count
    'people'
    """
    if protect not in COUNTS:
        raise ParameterError(Message(option("protect"), f" must be one of {', '.join(COUNTS)}, got {protect!r}."))
    name, people = MethodName(type(method).__name__, method.name), option("protect", "people")
    unit, k = dataset.unit, getattr(method, "k", None)
    if protect == "people" and find_checks(dataset.kind).find_smallest_groups is None:
        raise ParameterError(
            Message(name, ": ", people, f" is not available for {dataset.kind} data."), hint="Leave it out."
        )
    if protect == "records" or not unit.owner:
        return method.anonymize(dataset, run)
    person = dataset.person_codes()
    if person is None:
        raise ParameterError(
            Message(name, ": ", people, f" needs a column that links {unit.many} to people."),
            hint=Message("Name it: ", option("columns", {"owner": "NAME"}), "."),
        )
    if not isinstance(k, int) or k < 2:
        raise ParameterError(Message(name, ": ", people, " needs a method with a k of at least 2."))
    records = np.bincount(person)
    if len(records) < k:
        raise InfeasibleError(
            Message(
                name,
                ": ",
                parameter("k", k),
                f" asks for {unit.owners(k)}, but the {unit.count(len(dataset))} are of {unit.owners(len(records))}.",
            ),
            hint=Message(
                f"Use a smaller k or data of more {plural(unit.owner)}, or count {unit.many}: ",
                option("protect", "records"),
                ".",
            ),
        )
    return _raise_k(dataset, method, run, k, min((k - 1) * int(records.max()) + 1, len(dataset)))


def _raise_k(dataset: Dataset, method: Method, run: Run, k: int, limit: int) -> Result:
    """Run the method with a rising k until every group has k people, then with smaller ones that may do as well."""
    short, reached, tried = k - 1, 0, k
    best: Result | None = None
    while True:
        run.counters.clear()
        try:
            result = dataclasses.replace(method, k=tried).anonymize(dataset, run)  # type: ignore[call-arg]
        except (InfeasibleError, ParameterError) as error:
            if tried == k:
                raise
            raise _explain(
                dataset, method, short, reached, Message(f"{tried} are not possible: ", error.text)
            ) from None
        smallest_group = find_smallest_group(result.release, dataset, result.owner_record.rows)
        smallest = 0 if smallest_group is None else smallest_group.people
        if smallest >= k:
            best, enough = result, tried
            counters = {**run.counters, "k_in_records": tried}
        else:
            short, reached = tried, smallest
            if tried >= limit:
                raise _explain(dataset, method, short, reached, "more would not help.")
        if best is None:
            tried = min(limit, max(tried + 1, -(-tried * k // max(smallest, 1))))
        elif enough - short <= 1 + short // 8:
            run.counters.clear()
            run.counters.update(counters)
            return _set_guarantee(best, k, method)
        else:
            tried = (short + enough) // 2


def _explain(dataset: Dataset, method: Method, tried: int, smallest: int, why: str) -> InfeasibleError:
    unit = dataset.unit
    return InfeasibleError(
        Message(
            MethodName(type(method).__name__, method.name),
            ": ",
            parameter("k", getattr(method, "k", 0)),
            f" {plural(unit.owner)} cannot be reached. Groups of {tried} {unit.many} have only "
            f"{unit.owners(smallest)}, and ",
            why,
        ),
        hint=f"Use a smaller k, or fewer {unit.many} of each {unit.owner}.",
    )


def _set_guarantee(result: Result, k: int, method: Method) -> Result:
    guarantee = dataclasses.replace(result.release.guarantee, k=k, count="people")  # type: ignore[call-arg]
    release = dataclasses.replace(result.release, guarantee=guarantee)
    return Result(release, dataclasses.replace(result.owner_record, parameters=method.parameters()))
