"""Specifications of kinds of data, with components that are imported on first use."""

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
from sfumato.messages import Message, option

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
        What is imported. A missing target is an error.

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
    """Load a component that some kinds lack, where the caller knows that this one has it.

    Examples
    --------
    >>> require(find_kind("sets").sort_key).PARTITION_SIZE
    50000
    >>> require(find_kind("timeline").sort_key)
    Traceback (most recent call last):
        ...
    LookupError: this kind of data lacks the component.
    """
    if component is None:
        raise LookupError("this kind of data lacks the component.")
    return component.load()


@dataclasses.dataclass(frozen=True)
class GuaranteeSpec:
    """A guarantee that releases of a kind can claim, and the verifier of this claim."""

    guarantee: Lazy[type[Guarantee]]
    verifier: Lazy[components.Verifier]


@dataclasses.dataclass(frozen=True)
class AttackerSpec:
    """The attacker with the knowledge that guarantees assume, and stronger attackers with the same knowledge."""

    attacker: Lazy[components.Attacker]
    stronger: tuple[Lazy[components.StrongerAttacker], ...] = ()


@dataclasses.dataclass(frozen=True)
class KindSpec:
    """The specification of a kind of data, with components that are imported on first use.

    Parameters
    ----------
    name
        The name of the kind, and of its folder.
    row
        One row of a dataset in a few words.
    columns
        The columns of a dataset with their roles; none where they depend on the file.
    options
        Options of reading that apply to this kind, besides those for any file. Others are refused.
    formats
        Formats of files that can be read.
    unit
        The unit of records, where options and file do not give one.
    manifests
        Files that mark a release with its own layout, which ``folder`` reads.
    descriptions
        Descriptions for receivers of a release: of a row (``row``, or ``row with NAME`` with a further table of that
        name), of columns by their roles, and of further tables (``NAME table``).
    entries
        In the long layout, one row per entry: the column of an entry of a list column, named as in files.
    position
        In the long layout: the column that numbers the entries of a record, where their order counts.
    ordered
        Whether the order of the entries of a record counts.
    exports
        Export formats besides those of tables.
    suppression_reasons
        Reasons to suppress records; a release gives no others.
    recommended
        Recommended methods, the best first.
    primary_metrics
        Measures that tell most about the utility of a release, the most important first.
    default_grid
        Values of parameters to try, by name, for every method of the kind with this parameter; the weakest first.
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
        Checks that published records are true of the original.
    metrics
        Measures of utility.
    query_bounds
        Answers queries on data and releases: certain and possible results.
    count_retained
        Counts the values that a release retains.
    report
        Writes the owner's report.
    generator
        Generates data.
    find_inferences
        Computes how certain sensitive values can be inferred from the files; None where verifiers do.
    detect, knows_folder
        Detects how to read a file; detects folders of a known layout. None where nothing is detected.
    protect
        Adds a guarantee for sensitive values to a detection; None where detections have no such values.
    vocabulary
        Known names of columns; None where the owner gives their roles.
    option_checks
        Checks of the texts of reading options, by the name of the option.
    partitioned_reading
        How files of people are read in bounded memory; None where they are read whole.
    sort_key
        Sort keys for releases in partitions; None where there are no such releases.
    partitions_report, judge_partitions
        Report on releases in partitions, and its judgement; None where these do not differ.
    report_words
        Words of the report; None for those of any kind.
    reconstruct
        Draws originals that fit a release; None where none can be drawn.
    folder
        Reads and checks releases with their own layout; None where all have the usual one.
    stream
        Publishes records of a stream; None where all records are needed at once.

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
    """Return the specification of a kind of data.

    Examples
    --------
    >>> find_kind("set")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: kind= must be one of ... got 'set'. Did you mean kind='sets'?
    """
    if kind not in all_kinds():
        near = difflib.get_close_matches(str(kind), all_kinds(), n=1)
        hint = Message("Did you mean ", option("kind", near[0]), "?") if near else ""
        rule = f" must be one of {', '.join(all_kinds())}, got {kind!r}."
        raise ParameterError(Message(option("kind"), rule), hint=hint)
    spec: KindSpec = importlib.import_module(f"{_KINDS}.{kind}").KIND
    return spec


class OfKind:
    """Base of classes in the folder of a kind of data, which belong to that kind.

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
