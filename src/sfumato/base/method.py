"""What a method is."""

from __future__ import annotations

import abc
import dataclasses
from typing import TYPE_CHECKING, ClassVar

from sfumato.base.guarantee import Guarantee
from sfumato.data.dataset import Dataset
from sfumato.data.kind import OfKind
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.messages import Message, parameter
from sfumato.params import Parameterised

if TYPE_CHECKING:
    from sfumato.release.recoding import SavedRecoding
    from sfumato.release.release import Release, Result
    from sfumato.release.run import Run

__all__ = ["Method"]


@dataclasses.dataclass(frozen=True)
class Method(OfKind, Parameterised, abc.ABC):
    """Frozen parameters and a way to anonymise; found by its folder, described by its class.

    A subclass declares ``name``, ``summary``, ``paper``, ``guarantees`` and its parameters, and
    writes :meth:`anonymize`.

    Examples
    --------
    >>> import sfumato as sf
    >>> sf.methods.SeqAnon(k=5, m=2)
    SeqAnon(k=5, m=2, infeasible='error', apriori=True, refine=False)
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    paper: ClassVar[str]
    guarantees: ClassVar[tuple[type[Guarantee], ...]]
    optimises: ClassVar[str]
    needs: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def list_notes(cls, guarantee: Guarantee) -> tuple[str, ...]:  # noqa: ARG003
        """Return what may be true of releases with a guarantee and cannot be verified from their files.

        Every release carries one of these notes, or none if there are none. There are several only where a parameter
        decides that the guarantee does not state; then :meth:`note` chooses.

        Examples
        --------
        >>> from sfumato.kinds.table.guarantees import KAnonymity
        >>> import sfumato as sf
        >>> sf.methods.Mondrian.list_notes(KAnonymity(k=5, quasi=("age",)))
        ('Groups do not depend on sensitive values. Knowledge of the method does not distinguish the records of a
        group.',)
        """
        return ()

    def note(self, guarantee: Guarantee) -> str:
        """Return what is true of releases by this method with its parameters; nothing if it has no notes."""
        return next(iter(self.list_notes(guarantee)), "")

    @abc.abstractmethod
    def anonymize(self, dataset: Dataset, run: Run) -> Result:
        """Return a release that keeps the guarantee, with its trace."""

    def apply(self, dataset: Dataset, recoding: SavedRecoding, earlier: Release, unknown: str, run: Run) -> Result:  # noqa: ARG002
        """Publish a later batch with a recoding learnt earlier; only global recodings can be applied."""
        raise ParameterError(Message(self.message_name, " has no recoding that other data could be given."))

    def accept(self, dataset: Dataset, k: int) -> None:
        """Refuse data this method cannot work on, before any work is done."""
        if dataset.kind not in self.kinds:
            rule = f" applies to {', '.join(self.kinds)}, not to {dataset.kind}."
            raise SchemaError(Message(self.message_name, rule))
        if len(dataset) == 0:
            raise SchemaError(Message(self.message_name, f": the data hold no {dataset.unit.one}."))
        if k > len(dataset):
            given = (
                f" must be at most the number of {dataset.unit.many}, got {k} for {dataset.unit.count(len(dataset))}."
            )
            raise ParameterError(Message(self.message_name, ": ", parameter("k"), given))
