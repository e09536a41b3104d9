"""The only module of the golden tests that calls Sfumato: a renamed function is renamed here and nowhere else."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator

import sfumato as sf
from sfumato import plugins
from sfumato.api.aggregate import compare_partitions
from sfumato.cli.output import Quiet
from sfumato.cli.stream import publish_stream
from sfumato.data.kind import WRITTEN
from sfumato.data.record_unit import RecordUnit
from sfumato.data.secret import Secret
from sfumato.data.time_units import TimeUnit
from sfumato.engines.local import Local
from sfumato.exports import FORMATS, list_formats
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.metrics.aggregate import Union
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.params import declared
from sfumato.release.locate import set_beside

SECRET = bytes(range(32))
COUNT_OF_RECORDS = "records"
WITHHELD_AT_MOST = 0.05
WITHHELD_LATER = 0.5
"""Share of a later batch that may be left out: its people were not there when the recoding was made."""
LAYOUTS = ("long", "wide")
EXPORT_FORMATS = tuple(FORMATS)


@contextlib.contextmanager
def _without_warnings() -> Iterator[None]:
    """Hide warnings about weak releases: they are sentences, and no part of what is compared."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def make_data(kind, *rows, **options):
    return sf.Dataset.of(kind, *rows, **options)


def make_hierarchy(paths):
    return Hierarchy.from_paths(paths)


def make_time_unit(unit):
    return TimeUnit(unit)


def group_by_people(data, people, one, many):
    """Return the same records as those of people who have several."""
    return data.of_people(people, RecordUnit(one, many, "person"))


def read_file(path, kind, options):
    return sf.read(path, kind, **options)


def list_records(data):
    """Return the cells of the data as they were read."""
    return data.table.to_pylist()


def inspect_data(data, m):
    return sf.inspect(data, m)


def list_methods():
    """Return the names of all methods by kind."""
    return {kind: sorted(plugins.methods_for(kind)) for kind in plugins.all_kinds()}


def list_parameters(kind, method):
    """Return the default of every declared parameter; a required one has its own name as value."""
    found = declared(plugins.find_method(method, kind))
    return {parameter.name: parameter if parameter.required else parameter.default for parameter in found}


def can_be_in_partitions(kind, method):
    """Tell whether people can be cut into partitions, and every partition keep the guarantee by itself."""
    guarantees = plugins.find_method(method, kind).guarantees
    return plugins.find_kind(kind).sort_key is not None and all(guarantee.composes for guarantee in guarantees)


def make_method(kind, name, parameters):
    return plugins.find_method(name, kind)(**parameters)


def publish(data, kind, method, parameters, out, *, count=COUNT_OF_RECORDS, withhold=WITHHELD_AT_MOST):
    """Publish data whole."""
    with _without_warnings():
        chosen = make_method(kind, method, parameters)
        result = sf.anonymize(data, chosen, secret=SECRET, protect=count, max_suppressed_records=withhold)
        sf.write(result, out, reports=False)


def publish_partitions(
    data, kind, method, parameters, out, *, size, count=COUNT_OF_RECORDS, withhold=WITHHELD_AT_MOST, options=None
):
    """Publish data, or a file that is read with options, in partitions of so many people."""
    read = {} if options is None else {"kind": kind, "reading": options}
    with _without_warnings():
        made = sf.publish_in_partitions(
            data,
            make_method(kind, method, parameters),
            out,
            partition_size=size,
            engine=Local(1),
            secret=SECRET,
            protect=count,
            max_suppressed_records=withhold,
            **read,
        )
    assert not made.read_whole, "a file in partitions is there to be read in bounded memory"


def publish_later(earlier, data, out):
    """Publish a later batch with the recoding of an earlier release."""
    with _without_warnings():
        result = sf.apply(earlier, data, unknown="suppress", run=sf.Run(SECRET), max_suppressed_records=WITHHELD_LATER)
        sf.write(result, out, reports=False)


def publish_feed(path, kind, method, parameters, out, options):
    """Publish the rows of a file one after another, as they would come from a feed."""
    with _without_warnings():
        chosen = make_method(kind, method, parameters)
        publish_stream(Quiet(), path, out, chosen, dict(options), secret=Secret(SECRET), report=False)


def verify(out, data=None):
    return sf.verify(out, data).to_dict()


def attack(out, data):
    return sf.attack(out, data).to_dict()


def attack_beyond(out, data):
    return [finding.to_dict() for finding in sf.attack_beyond(out, data)]


def attack_rising(out, data, m):
    """Return what attackers reach in the release who know ever more."""
    return [finding.to_dict() for finding in sf.attack_rising(out, data, m)["after"]]


def attack_together(out, data, kind, method, parameters):
    """Return what a release gives away together with another one of the same data, which stays in memory."""
    other = sf.anonymize(data, make_method(kind, method, parameters), secret=SECRET[::-1])
    return sf.attack_together(out, other, data).to_dict()


def measure(out, data, leave_out, parameters, *, in_partitions=False):
    """Return all scores of a release but for measures that are left out, with parameters where a measure has them."""
    every = plugins.metrics_for(data.kind)
    known = {name for metric in every for name in metric.parameters()}
    chosen = {name: value for name, value in parameters.items() if name in known}
    metrics = [metric for metric in plugins.metrics_for(data.kind, chosen) if metric.name not in leave_out]
    if not in_partitions:
        release, original, rows = set_beside(out, data)
        comparison = Comparison(original, release, rows)
        return [metric.measure(comparison).to_dict() for metric in metrics if metric.applies(comparison)]
    union = Union(metrics, FullOriginal(data))
    for comparison in compare_partitions(out, union.full_original):
        union.add(comparison)
    return [score.to_dict() for score in union.scores()]


def measure_all(out, data):
    """Return all scores of a release, as users get them."""
    return [score.to_dict() for score in sf.measure(out, data)]


def query(source, questions, data):
    """Return the answer to every question, none where one is refused; names of hierarchies of the data are known."""
    try:
        return [answer.to_dict() for answer in sf.query_all(source, "\n".join(questions), data.hierarchies)]
    except sf.SfumatoError:
        return [None] if len(questions) == 1 else [query(source, [each], data)[0] for each in questions]


def reconstruct(out):
    """Return records that could have been the original of a release of separated sets."""
    return [list_records(data) for data in sf.reconstruct(out, copies=2, seed=1)]


def list_exports(kind, *, in_partitions=False):
    """Return the layouts and formats in which a release can be exported, and the shapes of cells besides flat ones."""
    known = [(layout, each) for layout in LAYOUTS for each in list_formats(kind, layout)]
    nested = [(layout, each, "nested") for layout, each in known if each in WRITTEN]
    return [(layout, each) for layout, each in known if not in_partitions or each in WRITTEN] + nested


def export(source, file, layout, form, shape=""):
    """Write an export, and tell whether the release can be exported so."""
    try:
        sf.export(source, file, layout=layout, format=form, nested=shape == "nested")
    except sf.SfumatoError:
        return False
    return True


def read_back(out):
    """Return a release as it is read from its files, so that what follows needs not to read it again."""
    return sf.read_release(out)
