"""What a kind of data offers: one typed object, whose components are imported when they are first used."""

from __future__ import annotations

import dataclasses
import difflib
import functools
import importlib
import pkgutil
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.data.schema import Column
from sfumato.exceptions import ParameterError

if TYPE_CHECKING:
    from pathlib import Path

    from sfumato.base import components
    from sfumato.base.guarantee import Guarantee
    from sfumato.base.method import Method
    from sfumato.data.dataset import Dataset
    from sfumato.metrics.metric import Metric
    from sfumato.metrics.retained_detail import RetainedDetail
    from sfumato.readers.detect import Detection, FileProfile
    from sfumato.readers.partitioned.reading import PartitionedReading
    from sfumato.readers.roles import Vocabulary
    from sfumato.release.release import Release
    from sfumato.reports.text import ReportWords
    from sfumato.verification.release_checks import ReleaseChecks

__all__ = [
    "TABLES",
    "WRITTEN",
    "AttackerSpec",
    "GuaranteeSpec",
    "KindSpec",
    "Lazy",
    "OfKind",
    "all_kinds",
    "find_kind",
    "require",
]

WRITTEN = ("csv", "parquet", "jsonl")
"""Formats in which every table can be written."""
TABLES = (*WRITTEN, "xlsx", "xes", "gpx", "geojson")
"""Formats of files that hold one table."""

_KINDS = "sfumato.kinds"

T_co = TypeVar("T_co", covariant=True)


@dataclasses.dataclass(frozen=True)
class Lazy(Generic[T_co]):
    """A module (``a.b``), or an object of a module (``a.b:name``), that is imported when it is loaded.

    Parameters
    ----------
    target
        What is imported. A target that is not there is an error, never nothing.

    Examples
    --------
    >>> Lazy("sfumato.data.record_unit:PERSON").load()
    RecordUnit(one='person', many='people', owner='')
    >>> Lazy("sfumato.data.record_unit:PERSONS").load()
    Traceback (most recent call last):
        ...
    AttributeError: module 'sfumato.data.record_unit' has no attribute 'PERSONS'
    """

    target: str

    @property
    def name(self) -> str:
        """The name of the object, or of the module, without its package."""
        return self.target.replace(":", ".").rpartition(".")[2]

    def load(self) -> T_co:
        """Import it, and return it."""
        module, _, name = self.target.partition(":")
        imported: Any = importlib.import_module(module)
        component: T_co = getattr(imported, name) if name else imported
        return component


def require(component: Lazy[T_co] | None) -> T_co:
    """Load a component that some kinds do not have, where the caller knows that this one does.

    Examples
    --------
    >>> require(find_kind("sets").sort_key).PARTITION_SIZE
    50000
    >>> require(find_kind("timeline").sort_key)
    Traceback (most recent call last):
        ...
    LookupError: this kind of data does not have the component.
    """
    if component is None:
        raise LookupError("this kind of data does not have the component.")
    return component.load()


@dataclasses.dataclass(frozen=True)
class GuaranteeSpec:
    """A guarantee that releases of a kind can claim, and the verifier of this claim."""

    guarantee: Lazy[type[Guarantee]]
    verifier: Lazy[components.Verifier]


@dataclasses.dataclass(frozen=True)
class AttackerSpec:
    """The attacker with the knowledge that guarantees assume, and attackers who do more with the same knowledge."""

    attacker: Lazy[components.Attacker]
    stronger: tuple[Lazy[components.StrongerAttacker], ...] = ()


@dataclasses.dataclass(frozen=True)
class KindSpec:
    """What a kind of data is, and what it offers, as objects that are imported when they are first used.

    Parameters
    ----------
    name
        What the kind is called: the name of its folder.
    row
        What one row of a dataset is, in a few words.
    columns
        The columns of a dataset with the parts they play; none where its files decide.
    options
        Reading options that mean something for this kind, beside those that mean something for any file. Others are
        refused rather than ignored.
    formats
        Formats of files that can be read.
    unit
        What one record is, where a file does not tell.
    manifests
        Files that mark a release of a shape of its own, which ``folder`` reads.
    descriptions
        What whoever receives a release is told: of a row of its records (``row``, or ``row with NAME`` where there is
        a further table of that name), of columns by their roles, and of further tables (``NAME table``).
    entries
        In the long layout, one row per entry: what an entry of a list column is called there, as readers call it.
    position
        In the long layout: the column that numbers the entries of a record, where their order says something.
    ordered
        Whether the order of the entries of a record says something.
    exports
        Formats beside those of tables in which a release can be exported.
    suppression_reasons
        Why records may be withheld; a release gives no others.
    recommended
        Methods to try first, the first of all first.
    primary_metrics
        Measures that tell most about what a release is still good for, the first of all first.
    default_grid
        Values of parameters worth trying, by name, for every method of the kind that has such a parameter; the mildest
        demand first.
    make_dataset
        Makes a dataset from plain Python values.
    reader
        Reads files.
    methods
        Methods by name.
    guarantees
        Guarantees with their verifiers, by name.
    attackers
        Attackers by the knowledge that guarantees are about; the first one judges data as they stand.
    release_checks
        What must hold for every release of this kind.
    verify_faithful
        Checks that published records are true to the original.
    metrics
        Measures of utility.
    query_bounds
        What data and releases say with certainty, and what is possible: questions are asked of it.
    count_retained
        Counts how many values are left in a release.
    report
        Writes the owner's report.
    generator
        Generates data.
    find_inferences
        Counts how sure a reader of the files can be of sensitive values; None where what verifiers count says it.
    detect, knows_folder
        Guesses how a file is to be read; tells whether a folder is of a known layout. None where nothing is known.
    protect
        Adds a guarantee about sensitive values to a guess; None where guesses have no such values.
    vocabulary
        Names of columns that are recognised; None where columns are described by the owner.
    option_checks
        Checks of the texts of reading options, by the name of the option.
    partitioned_reading
        How files of people are read in bounded memory; None where they are read whole.
    sort_key
        How people are laid in a line for releases in partitions; None where there are no such releases.
    partitions_report, judge_partitions
        What the report says of releases in partitions, and how its judgement differs; None where there is nothing to
        say.
    report_words
        What the report says in plain words; None where the words for any kind will do.
    reconstruct
        Draws originals that fit a release; None where nothing is left to draw.
    folder
        Reads and checks releases of a shape of their own; None where all have the usual one.
    stream
        Publishes records as they come; None where all records are needed at once.

    Examples
    --------
    >>> find_kind("sets").row, find_kind("sets").metrics[0].name
    ('the items of a person', 'ItemLoss')
    """

    name: str
    row: str
    columns: tuple[Column, ...] = ()
    options: tuple[str, ...] = ()
    formats: tuple[str, ...] = TABLES
    unit: RecordUnit = PERSON
    manifests: tuple[str, ...] = ()
    descriptions: Mapping[str, str] = dataclasses.field(default_factory=dict)
    entries: Mapping[str, str] = dataclasses.field(default_factory=dict)
    position: str = ""
    ordered: bool = True
    exports: tuple[str, ...] = ()
    suppression_reasons: tuple[str, ...] = ()
    recommended: tuple[str, ...] = ()
    primary_metrics: tuple[str, ...] = ()
    default_grid: Mapping[str, tuple[Any, ...]] = dataclasses.field(default_factory=dict)
    _: dataclasses.KW_ONLY
    make_dataset: Lazy[Callable[..., Dataset]]
    reader: Lazy[components.Reader]
    methods: Mapping[str, Lazy[type[Method]]]
    guarantees: Mapping[str, GuaranteeSpec]
    attackers: Mapping[str, AttackerSpec]
    release_checks: Lazy[ReleaseChecks]
    verify_faithful: Lazy[components.VerifyFaithful]
    metrics: tuple[Lazy[type[Metric]], ...]
    query_bounds: Lazy[components.QueryBounds]
    count_retained: Lazy[Callable[[Dataset, Release], RetainedDetail]]
    report: Lazy[components.Report]
    generator: Lazy[components.Generator]
    find_inferences: Lazy[components.FindInferences] | None = None
    detect: Lazy[Callable[[FileProfile], Detection | None]] | None = None
    knows_folder: Lazy[Callable[[Path], bool]] | None = None
    protect: Lazy[Callable[[Detection, Dataset], Detection]] | None = None
    vocabulary: Lazy[Vocabulary] | None = None
    option_checks: Mapping[str, Lazy[Callable[[str], object]]] = dataclasses.field(default_factory=dict)
    partitioned_reading: Lazy[PartitionedReading] | None = None
    sort_key: Lazy[components.SortKey] | None = None
    partitions_report: Lazy[components.PartitionsReport] | None = None
    judge_partitions: Lazy[components.JudgePartitions] | None = None
    report_words: Lazy[ReportWords] | None = None
    reconstruct: Lazy[components.Reconstruct] | None = None
    folder: Lazy[components.Folder] | None = None
    stream: Lazy[components.Stream] | None = None


@functools.cache
def all_kinds() -> tuple[str, ...]:
    """Return the names of all kinds of data: the folders of ``sfumato.kinds``.

    Examples
    --------
    >>> "trajectories" in all_kinds()
    True
    """
    package = importlib.import_module(_KINDS)
    return tuple(sorted(folder.name for folder in pkgutil.iter_modules(package.__path__) if folder.ispkg))


def find_kind(kind: str) -> KindSpec:
    """Return what a kind of data offers.

    Examples
    --------
    >>> find_kind("set")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: kind must be one of ... got 'set'. Did you mean 'sets'?
    """
    if kind not in all_kinds():
        near = difflib.get_close_matches(str(kind), all_kinds(), n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ParameterError(f"kind must be one of {', '.join(all_kinds())}, got {kind!r}.{hint}")
    spec: KindSpec = importlib.import_module(f"{_KINDS}.{kind}").KIND
    return spec


class OfKind:
    """Something that is written in the folder of a kind of data, and so is for that kind.

    Examples
    --------
    >>> from sfumato.kinds.trajectories.guarantees import KmAnonymity
    >>> KmAnonymity.kinds
    ('trajectories',)
    """

    kinds: ClassVar[tuple[str, ...]]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        home = cls.__module__.split(".")
        if home[:2] == ["sfumato", "kinds"]:
            cls.kinds = (home[2],)
