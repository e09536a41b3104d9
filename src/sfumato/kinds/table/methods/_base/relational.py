"""Methods for tables: what they ask of every class of records, and how classes are published."""

from __future__ import annotations

import abc
import dataclasses
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.base.guarantee import Guarantee
from sfumato.base.method import Method
from sfumato.data.dataset import Dataset
from sfumato.exceptions import InfeasibleError, ParameterError, SchemaError
from sfumato.kinds.table import KIND
from sfumato.kinds.table.dataset import Attribute, attributes_of
from sfumato.kinds.table.encode import encode_cells, publish_table
from sfumato.kinds.table.guarantees import DISTANCES, DIVERSITIES, KAnonymity
from sfumato.kinds.table.methods._base.requirement import Requirement
from sfumato.messages import Message, MethodName, option, parameter
from sfumato.params import Param
from sfumato.release.release import ExtraTable, Result
from sfumato.release.run import Run

__all__ = ["GROUP_TOO_SMALL", "Relational", "read_weights", "uses_sensitive_values"]

Ints = npt.NDArray[np.int64]

(GROUP_TOO_SMALL,) = KIND.suppression_reasons
"""Why a record is suppressed."""

_BLIND = (
    "Groups do not depend on sensitive values. Knowledge of the method does not distinguish the records of a group."
)
_SENSITIVE_VALUES_USED = (
    "Groups depend on sensitive values. Someone who knows the method and all quasi-identifiers may find a "
    "value likelier than its share in a group."
)


@dataclasses.dataclass(frozen=True)
class Relational(Method):
    """Base of methods that find classes of records; each class is published with cells that hold all its values.

    A subclass says how records are put into classes. One that recodes all records alike publishes them itself.
    """

    guarantees: ClassVar[tuple[type[Guarantee], ...]] = (KAnonymity,)

    k: Annotated[int, Param("Smallest number of records that are equal in all quasi-identifiers.", ge=2)]
    l: Annotated[int, Param("Diversity of the sensitive values of these records; 1 for no requirement.", ge=1)] = 1
    diversity: Annotated[str, Param("Kind of diversity.", choices=DIVERSITIES)] = "distinct"
    c: Annotated[float | None, Param("Constant c of recursive (c,l)-diversity.", ge=0)] = None
    t: Annotated[
        float | None,
        Param(
            "Largest distance between the distribution of sensitive values in a group and in all records.", ge=0, le=1
        ),
    ] = None
    distance: Annotated[str, Param("Distance between sensitive values, for t.", choices=DISTANCES)] = "equal"
    weights: Annotated[str | None, Param("Weights of attributes in the loss, 1 by default: age=2,sex=0.5.")] = None

    @classmethod
    def list_notes(cls, guarantee: Guarantee) -> tuple[str, ...]:
        """Say whether sensitive values decided what became a group."""
        return (_SENSITIVE_VALUES_USED if uses_sensitive_values(guarantee) else _BLIND,)

    @abc.abstractmethod
    def partition(self, attributes: tuple[Attribute, ...], requirement: Requirement, run: Run) -> Ints:
        """Return the class of every record, numbered from 0; -1 for one that is suppressed."""

    def build_guarantee(self, dataset: Dataset) -> KAnonymity:
        """Return what the release will guarantee."""
        named = {
            role: tuple(column.name for column in dataset.schema.columns if column.role == role)
            for role in ("quasi-identifier", "sensitive")
        }
        return KAnonymity(
            k=self.k,
            l=self.l,
            diversity=self.diversity,
            c=self.c,
            t=self.t,
            distance=self.distance,
            quasi=named["quasi-identifier"],
            sensitive=named["sensitive"],
        )

    def require(self, dataset: Dataset) -> Requirement:
        """Return what every class must keep, and refuse what no class can."""
        requirement = Requirement.of(self.build_guarantee(dataset), attributes_of(dataset, "sensitive"))
        requirement.refuse_impossible(self.message_name, len(dataset))
        return requirement

    def anonymize(self, dataset: Dataset, run: Run) -> Result:
        """Return a release that keeps the claim."""
        self.accept(dataset, self.k)
        attributes = self.attributes(dataset)
        requirement = self.require(dataset)
        with run.phase("recode"):
            group = self.partition(attributes, requirement, run)
        return self.publish(dataset, attributes, group, run)

    def attributes(self, dataset: Dataset) -> tuple[Attribute, ...]:
        """Return what is generalised, or refuse a table where nothing is known to an attacker."""
        attributes = attributes_of(dataset)
        if not attributes:
            raise SchemaError(
                Message(self.message_name, ": the table has no quasi-identifier."),
                option="quasi",
                hint=Message("Name the columns that an attacker may know: ", option("quasi", ["COLUMN"]), "."),
            )
        read_weights(self.weights, attributes, self.message_name)
        return attributes

    def publish(self, dataset: Dataset, attributes: tuple[Attribute, ...], group: Ints, run: Run) -> Result:
        """Publish every class as the cells that hold it."""
        rows = np.flatnonzero(group >= 0)
        if not len(rows):
            raise InfeasibleError(
                Message(
                    self.message_name, f": all {len(group):,} records would be suppressed; nothing is left to publish."
                ),
                hint=Message("Choose a smaller ", parameter("k"), " or fewer quasi-identifiers."),
            )
        classes = np.unique(group[rows], return_inverse=True)[1].astype(np.int64)
        quasi = [encode_cells(attribute.take(rows), classes) for attribute in attributes]
        suppressed_records = {GROUP_TOO_SMALL: len(dataset) - len(rows)}
        extra_tables = {
            **self.require(dataset).take(rows).describe_order(),
            **self.further_tables(attributes, rows, classes),
        }
        return publish_table(
            dataset,
            self,
            self.build_guarantee(dataset),
            rows,
            quasi,
            run,
            suppressed_records=suppressed_records,
            extra_tables=extra_tables,
        )

    def further_tables(self, attributes: tuple[Attribute, ...], rows: Ints, classes: Ints) -> dict[str, ExtraTable]:  # noqa: ARG002
        """Return what is published beside the records; nothing, unless a method says otherwise."""
        return {}


def read_weights(
    text: str | None, attributes: tuple[Attribute, ...], owner: str | MethodName
) -> npt.NDArray[np.float64]:
    """Return the weight of every attribute; 1 where none is given.

    Examples
    --------
    >>> data = Dataset.of("table", [(20, "f"), (29, "m")], ("age", "sex"))
    >>> read_weights("age=2", attributes_of(data), "Mondrian").tolist()
    [2.0, 1.0]
    >>> read_weights("agee=2", attributes_of(data), "Mondrian")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: Mondrian: weights must name quasi-identifiers with a number from 0 to 1000.
    For example weights='age=2'. Quasi-identifiers: age, sex.
    """
    names = [attribute.name for attribute in attributes]
    weights = np.ones(len(names))
    for part in filter(None, (text or "").split(",")):
        name, _, value = part.rpartition("=")
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if name.strip() not in names or not 0 <= number <= 1000:
            raise ParameterError(
                Message(
                    owner, ": ", parameter("weights"), " must name quasi-identifiers with a number from 0 to 1000."
                ),
                hint=Message(
                    "For example ", parameter("weights", f"{names[0]}=2"), f". Quasi-identifiers: {', '.join(names)}."
                ),
            )
        weights[names.index(name.strip())] = number
    if not weights.any():
        raise ParameterError(Message(owner, ": ", parameter("weights"), " must not all be 0."))
    return weights


def uses_sensitive_values(guarantee: Guarantee) -> bool:
    """Return whether a guarantee is about sensitive values, so that methods must look at them.

    Examples
    --------
    >>> uses_sensitive_values(KAnonymity(k=5)), uses_sensitive_values(KAnonymity(k=5, t=0.2, sensitive=("ill",)))
    (False, True)
    """
    return isinstance(guarantee, KAnonymity) and (guarantee.l > 1 or guarantee.t is not None)
