"""Methods that recode all records alike: the question they answer, how the answer is published and applied again."""

from __future__ import annotations

import abc
import dataclasses
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.data.dataset import Dataset
from sfumato.exceptions import InfeasibleError, ParameterError, SchemaError
from sfumato.kinds.table.dataset import Attribute, attribute_of, attributes_of
from sfumato.kinds.table.encode import CodedColumn, publish_table
from sfumato.kinds.table.guarantees import DISTANCES, DIVERSITIES, KAnonymity
from sfumato.kinds.table.methods._base.level_trees import LevelTree
from sfumato.kinds.table.methods._base.recoded_cells import close_ranges, find_cells, recode_column, take_records
from sfumato.kinds.table.methods._base.relational import GROUP_TOO_SMALL, Relational, read_weights
from sfumato.kinds.table.methods._base.requirement import Requirement
from sfumato.messages import Message, MethodName, option, parameter
from sfumato.params import Param
from sfumato.release.recoding import ColumnCells, SavedRecoding, TableRecoding
from sfumato.release.release import ExtraTable, PublishedColumn, Release, Result
from sfumato.release.run import Run
from sfumato.release.text import ValueFormat

if TYPE_CHECKING:
    from sfumato.kinds.table._kernels.class_demand import Demand
    from sfumato.kinds.table._kernels.different_records import Records

__all__ = ["FullDomain", "Question", "demand_of", "judge_records", "read_levels"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False)
class Question:
    """What a method that recodes all records alike has to answer: a node of every ladder for every value.

    Attributes
    ----------
    level_trees
        What values can be generalised to.
    top
        Highest level allowed of each.
    weights
        How much each attribute matters; they add up to 1.
    records
        The different records.
    demand
        What is asked of every class, and how many records may be suppressed.
    """

    level_trees: tuple[LevelTree, ...]
    top: Ints
    weights: Floats
    records: Records
    demand: Demand

    @property
    def total(self) -> int:
        """Number of records."""
        return int(self.records.weight.sum())

    def count_values(self, at: int) -> Ints:
        """Return how many records have each value of an attribute, the missing one last."""
        values = self.records.value[:, at]
        width = len(self.level_trees[at].leaf)
        return np.bincount(values, weights=self.records.weight, minlength=width).astype(np.int64)


@dataclasses.dataclass(frozen=True)
class FullDomain(Relational):
    """Base of methods that recode all records alike; a subclass says how it chooses the recoding.

    Classes that do not keep what is asked are suppressed, up to the limit of the run.
    """

    presence: Annotated[
        float | None, Param("Largest share of the matching people of a population that may be in the data.", ge=0, le=1)
    ] = None
    at_most: Annotated[
        str | None, Param("Highest level of generalisation by attribute, all levels by default: age=2,zip=3.")
    ] = None

    @abc.abstractmethod
    def choose(self, question: Question, run: Run) -> list[Ints]:
        """Return the node of every value, the missing one last, for each ladder."""

    def build_guarantee(self, dataset: Dataset) -> KAnonymity:
        """Return what the release will guarantee."""
        return dataclasses.replace(super().build_guarantee(dataset), presence=self.presence)

    def partition(self, attributes: tuple[Attribute, ...], requirement: Requirement, run: Run) -> Ints:
        """Return the class of every record, numbered from 0; -1 for one that is suppressed."""
        question = self.pose(attributes, requirement, run)
        cuts = self.choose(question, run)
        cells = np.column_stack([cut[attribute.codes] for cut, attribute in zip(cuts, attributes, strict=True)])
        group, suppressed_records, _ = judge_records(cells, requirement)
        return np.where(suppressed_records[group], -1, group)

    def pose(self, attributes: tuple[Attribute, ...], requirement: Requirement, run: Run, people: int = 0) -> Question:
        """Return the question; the last rows of the attributes are those of so many people of a population."""
        from sfumato.kinds.table._kernels.different_records import collapse

        owner = self.message_name
        codes = np.column_stack([_number_missing(attribute) for attribute in attributes])
        rows = len(codes) - people
        mine = tuple(attribute.take(np.arange(rows)) for attribute in attributes)
        level_trees = tuple(LevelTree.of(attribute) for attribute in mine)
        weights = read_weights(self.weights, attributes, owner)
        is_person = np.arange(len(codes)) >= rows if people else None
        sensitive, widths = _list_sensitive(requirement)
        records, _ = collapse(codes, is_person, sensitive, widths)
        limit = int(Fraction(repr(run.max_suppressed_records)) * rows)
        # One class at least is published.
        demand = demand_of(requirement, min(limit, rows - 1))
        return Question(
            level_trees, read_levels(self.at_most, level_trees, owner), weights / weights.sum(), records, demand
        )

    def anonymize(self, dataset: Dataset, run: Run) -> Result:
        """Return a release that keeps the claim, with the recoding."""
        self.accept(dataset, self.k)
        attributes = self.attributes(dataset)
        requirement = self.require(dataset)
        people = 0
        if self.presence is not None:
            table = pa.concat_tables([_texts(dataset.table, attributes), _texts(self._population(dataset), attributes)])
            people = len(table) - len(dataset)
            attributes = tuple(attribute_of(dataset, attribute.name, table) for attribute in attributes)
        with run.phase("recode"):
            question = self.pose(attributes, requirement, run, people)
            cuts = self.choose(question, run)
            cells = tuple(level_tree.cells(cut) for level_tree, cut in zip(question.level_trees, cuts, strict=True))
        return self._publish(dataset, TableRecoding(cells), requirement, run)

    def apply(self, dataset: Dataset, recoding: SavedRecoding, earlier: Release, unknown: str, run: Run) -> Result:
        """Publish a later batch with the recoding of an earlier release, under its guarantee."""
        if unknown not in {"error", "suppress"}:
            raise ParameterError(Message(option("unknown"), f" must be error or suppress, got {unknown!r}."))
        if unknown == "suppress" and self.presence is not None:
            raise ParameterError(
                "A suppressed value fits all people of the population, so presence cannot be counted.",
                option="unknown",
                hint=Message("Use ", option("unknown", "error"), "."),
            )
        learnt = {cells.column: cells for cells in TableRecoding.expect(recoding).columns}
        guarantee, here = earlier.guarantee, self.build_guarantee(dataset)
        columns = attributes_of(dataset)
        names = [column.name for column in columns]
        if (
            not isinstance(guarantee, KAnonymity)
            or (guarantee.quasi, guarantee.sensitive) != (here.quasi, here.sensitive)
            or set(names) != set(learnt)
            or any(column.axis is None and learnt[column.name].form == "interval" for column in columns)
        ):
            raise SchemaError(
                "The batch must have the quasi-identifiers and sensitive columns of the earlier release.",
                hint="Read it with the same roles and scales.",
            )
        ordered = TableRecoding(tuple(learnt[name] for name in names))
        if unknown == "error":
            _refuse_unknown(columns, ordered)
        requirement = Requirement.of(guarantee, attributes_of(dataset, "sensitive"))
        return self._publish(dataset, ordered, requirement, run)

    def _population(self, dataset: Dataset) -> pa.Table:
        if dataset.population is None:
            raise ParameterError(
                Message(self.message_name, ": ", parameter("presence"), " needs a population."),
                hint=Message("Name its file: ", option("population", "FILE"), ", or leave out presence."),
            )
        return dataset.population

    def _publish(self, dataset: Dataset, recoding: TableRecoding, requirement: Requirement, run: Run) -> Result:
        """Recode the table, withhold the classes that do not keep what is asked, and publish the others."""
        columns = attributes_of(dataset)
        others: tuple[Attribute, ...] = ()
        if self.presence is not None:
            others = tuple(attribute_of(dataset, column.name, self._population(dataset)) for column in columns)
        pairs = zip(columns, others, strict=True) if others else zip(columns, strict=True)
        closed = [close_ranges(cells, *pair) for cells, pair in zip(recoding.columns, pairs, strict=True)]
        recoded = [recode_column(*pair) for pair in zip(columns, closed, strict=True)]
        people = _find_people(others, closed, recoded) if others else None
        group, suppressed_records, fit = judge_records(
            np.column_stack([part.index for part in recoded]), requirement, people
        )
        rows = np.flatnonzero(~suppressed_records[group])
        if not len(rows):
            raise InfeasibleError(
                Message(
                    self.message_name, f": all {len(group):,} records would be suppressed; nothing is left to publish."
                ),
                hint=Message("Choose a smaller ", parameter("k"), " or fewer quasi-identifiers."),
            )
        quasi = [take_records(part, rows) for part in recoded]
        extra_tables = requirement.describe_order()
        if self.presence is not None:
            extra_tables["population"] = _list_people(quasi, group[rows], fit)
        left_out = {GROUP_TOO_SMALL: len(dataset) - len(rows)}
        return publish_table(
            dataset,
            self,
            requirement.guarantee,
            rows,
            quasi,
            run,
            suppressed_records=left_out,
            extra_tables=extra_tables,
            recoding=recoding,
        )


def read_levels(text: str | None, level_trees: tuple[LevelTree, ...], owner: str | MethodName) -> Ints:
    """Return the highest level allowed of every ladder.

    Examples
    --------
    >>> data = Dataset.of("table", [("a", "f"), ("b", "m")], ("city", "sex"))
    >>> level_trees = tuple(LevelTree.of(attribute) for attribute in attributes_of(data))
    >>> read_levels("sex=0", level_trees, "Optimal").tolist()
    [1, 0]
    """
    names = [level_tree.attribute.name for level_tree in level_trees]
    top = np.array([level_tree.height for level_tree in level_trees], np.int64)
    for part in filter(None, (text or "").split(",")):
        name, _, value = part.rpartition("=")
        if name.strip() not in names or not value.strip().isdecimal():
            raise ParameterError(
                Message(owner, ": ", parameter("at_most"), " must name quasi-identifiers with a level."),
                hint=Message(
                    "For example ",
                    parameter("at_most", f"{names[0]}=2"),
                    ". Highest levels: "
                    f"{', '.join(f'{name}={high}' for name, high in zip(names, top.tolist(), strict=True))}.",
                ),
            )
        at = names.index(name.strip())
        top[at] = min(top[at], int(value))
    return top


def demand_of(requirement: Requirement, limit: int) -> Demand:
    """Return what is asked of classes in the terms of the kernels."""
    from sfumato.kinds.table._kernels.class_demand import make_demand

    guarantee = requirement.guarantee
    _, widths = _list_sensitive(requirement)
    diversity = (guarantee.l, 1 + DIVERSITIES.index(guarantee.diversity) if guarantee.l > 1 else 0, guarantee.c or 0.0)
    closeness = (1.0, 0) if guarantee.t is None else (guarantee.t, 1 + DISTANCES.index(guarantee.distance))
    presence = 1.0 if guarantee.presence is None else guarantee.presence
    return make_demand(
        guarantee.k,
        limit,
        presence=presence,
        diversity=diversity,
        closeness=closeness,
        widths=tuple(widths),
        trees=_join_trees(requirement, widths),
    )


def _join_trees(requirement: Requirement, widths: list[int]) -> tuple[Ints, Floats] | None:
    """Return the trees of all sensitive columns as one: first all values, then the nodes of tree after tree."""
    if requirement.guarantee.t is None or requirement.guarantee.distance != "hierarchical":
        return None
    begin = sum(widths)
    values: list[Ints] = []
    nodes: list[Ints] = []
    cost: list[Floats] = [np.zeros(begin)]
    for attribute, tree in zip(requirement.sensitive, requirement.trees, strict=True):
        if tree is None or attribute.leaf is None:
            raise ValueError("the hierarchical distance needs a hierarchy")
        values.append(np.append(attribute.leaf.astype(np.int64) + begin, -1))
        nodes.append(np.where(tree.parent < 0, -1, tree.parent + begin))
        cost.append(tree.cost)
        begin += len(tree.parent)
    return np.concatenate([*values, *nodes]).astype(np.int64), np.concatenate(cost)


def judge_records(
    cells: Ints, requirement: Requirement, people: Ints | None = None
) -> tuple[Ints, npt.NDArray[np.bool_], Ints]:
    """Return the class of every record, which classes are suppressed, and how many people of a population fit each.

    Parameters
    ----------
    cells
        A number for the cell of every record in every column.
    requirement
        What is asked.
    people
        The same for the people of the population.

    Examples
    --------
    >>> data = Dataset.of("table", [(1,), (1,), (2,)], ("age",))
    >>> needs = Requirement.of(KAnonymity(k=2), ())
    >>> judge_records(np.array([[0], [0], [1]]), needs)[:2]
    (array([0, 0, 1]), array([False,  True]))
    """
    from sfumato.kinds.table._kernels.class_demand import judge_classes
    from sfumato.kinds.table._kernels.different_records import collapse
    from sfumato.kinds.table._kernels.generalised_classes import classes_of_records, make_level_table

    everybody = cells if people is None else np.concatenate([cells, people])
    is_person = None if people is None else np.arange(len(everybody)) >= len(cells)
    records, number = collapse(everybody.astype(np.int32), is_person, *_list_sensitive(requirement))
    levels = [np.arange(int(column.max(initial=0)) + 1)[None, :] for column in everybody.T]
    suppressed_records = np.zeros(len(records.weight), np.bool_)
    classes = classes_of_records(records, make_level_table(levels))
    judge_classes(classes, demand_of(requirement, len(cells)), suppressed_records, len(cells))
    return number[: len(cells)], suppressed_records, records.people


def _number_missing(attribute: Attribute) -> npt.NDArray[np.int32]:
    """Return the value of every row, the missing one numbered last."""
    return np.where(attribute.codes < 0, len(attribute.labels), attribute.codes).astype(np.int32)


def _list_sensitive(requirement: Requirement) -> tuple[list[Ints], list[int]]:
    """Return the sensitive values of all records, where they are asked for, and how many there are."""
    columns = requirement.sensitive if requirement.needs_diversity else ()
    return [_number_missing(column).astype(np.int64) for column in columns], [len(c.labels) + 1 for c in columns]


def _texts(table: pa.Table, attributes: tuple[Attribute, ...]) -> pa.Table:
    names = [attribute.name for attribute in attributes]
    return pa.table({name: table.column(name).cast(pa.string()) for name in names})


def _refuse_unknown(attributes: tuple[Attribute, ...], recoding: TableRecoding) -> None:
    for attribute, cells in zip(attributes, recoding.columns, strict=True):
        _, strange = find_cells(attribute, cells)
        rows = np.flatnonzero(np.isin(attribute.codes, strange))
        if len(rows):
            shown = ", ".join(str(row + 1) for row in rows[:5])
            raise SchemaError(
                f"Column {attribute.name!r}: {len(strange)} values are not in the recoding; {len(rows)} records have "
                f"them, first rows {shown}.",
                column=attribute.name,
                rows=(rows[:5] + 1).tolist(),
                hint=Message("Suppress them: ", option("unknown", "suppress"), ", or anonymise the batch anew."),
            )


def _find_people(others: tuple[Attribute, ...], recoding: list[ColumnCells], recoded: list[CodedColumn]) -> Ints:
    """Return the cell of every person of the population in every column, numbered as those of the records."""
    numbers = []
    for person, cells, part in zip(others, recoding, recoded, strict=True):
        theirs = recode_column(person, cells)
        place: dict[Any, int] = {_hashable(cell): at for at, cell in enumerate(part.cells.to_pylist())}
        other = [place.setdefault(_hashable(cell), len(place)) for cell in theirs.cells.to_pylist()]
        numbers.append(np.array(other, np.int64)[theirs.index])
    return np.column_stack(numbers)


def _hashable(cell: Any) -> Any:
    return tuple(cell.items()) if isinstance(cell, dict) else tuple(cell) if isinstance(cell, list) else cell


def _list_people(quasi: list[CodedColumn], group: Ints, fit: Ints) -> ExtraTable:
    """Return the table that says how many people of the population fit each class, in the order of its cells."""
    classes, first = np.unique(group, return_index=True)
    ranks = [_rank_cells(part.cells)[part.index[first]] for part in quasi]
    order = np.lexsort(ranks[::-1])
    columns = [part.cells.take(pa.array(part.index[first][order])) for part in quasi]
    names = [part.column.name for part in quasi]
    people = PublishedColumn("people", "count", ValueFormat("exact", "int64"))
    table = pa.table([*columns, pa.array(fit[classes][order], pa.int64())], names=[*names, people.name])
    return ExtraTable((*(part.column for part in quasi), people), table)


def _rank_cells(cells: pa.Array) -> Ints:
    """Return the place of every cell in the order of cells: what is suppressed last, ranges by their bounds."""

    def place(cell: Any) -> Any:
        if isinstance(cell, dict):
            return (False, cell["lo"] is None, () if cell["lo"] is None else (cell["lo"], cell["hi"]))
        return (cell is None, False, () if cell is None else (cell,))

    order = sorted(range(len(cells)), key=lambda at: place(cells[at].as_py()))
    rank = np.empty(len(cells), np.int64)
    rank[order] = np.arange(len(order))
    return rank
