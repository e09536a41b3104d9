"""How often events happened at every point in time; nobody is distinguished."""

from __future__ import annotations

from sfumato.data.kind import TABLES, AttackerSpec, GuaranteeSpec, KindSpec, Lazy
from sfumato.data.record_unit import TIME_POINT
from sfumato.data.schema import Column

__all__ = ["KIND"]

KIND = KindSpec(
    "timeline",
    "the events at a point in time and how often they occurred",
    (Column("time", "time"), Column("events", "history"), Column("counts", "count")),
    options=("sensitive", "resolution"),
    formats=(*TABLES, "spmf"),
    unit=TIME_POINT,
    descriptions={
        "row": "the events at one point in time",
        "time": "the point in time",
        "history": "the events of that time, in no order",
        "count": "how often each of these events occurred, one by one",
    },
    entries={"events": "event", "counts": "count"},
    suppression_reasons=("nothing but sensitive events, all deleted",),
    recommended=("essa", "essa-joint"),
    primary_metrics=("sanitisation-error", "average-relative-error"),
    default_grid={"delta": ("1/5", "1/20", "1/50", "1/100", "1/200", "1/1000")},
    make_dataset=Lazy("sfumato.kinds.timeline.dataset:make_dataset"),
    reader=Lazy("sfumato.kinds.timeline.reader"),
    methods={
        "odesa": Lazy("sfumato.kinds.timeline.methods.sanitisation:Odesa"),
        "essa": Lazy("sfumato.kinds.timeline.methods.sanitisation:Essa"),
        "essa-joint": Lazy("sfumato.kinds.timeline.methods.sanitisation:EssaJoint"),
    },
    guarantees={
        "prefix-frequency": GuaranteeSpec(
            Lazy("sfumato.kinds.timeline.guarantees:PrefixFrequency"),
            Lazy("sfumato.kinds.timeline.verify.prefix_frequency"),
        ),
    },
    attackers={
        "prefixes": AttackerSpec(Lazy("sfumato.kinds.timeline.attacks")),
    },
    release_checks=Lazy("sfumato.kinds.timeline.verify.structure:CHECKS"),
    verify_faithful=Lazy("sfumato.kinds.timeline.verify.faithful:verify_faithful"),
    metrics=(
        Lazy("sfumato.kinds.timeline.metrics.average_relative_error:AverageRelativeError"),
        Lazy("sfumato.kinds.timeline.metrics.deleted_share:DeletedShare"),
        Lazy("sfumato.kinds.timeline.metrics.frequent_events:FrequentEvents"),
        Lazy("sfumato.kinds.timeline.metrics.ghost_events:GhostEvents"),
        Lazy("sfumato.metrics.query_certainty:QueryCertainty"),
        Lazy("sfumato.kinds.timeline.metrics.sanitisation_error:SanitisationError"),
        Lazy("sfumato.kinds.timeline.metrics.segment_boundaries:SegmentBoundaries"),
        Lazy("sfumato.kinds.timeline.metrics.untouched_time_points:UntouchedTimePoints"),
    ),
    query_bounds=Lazy("sfumato.kinds.timeline.query_bounds"),
    count_retained=Lazy("sfumato.kinds.timeline.comparison:count_retained"),
    report=Lazy("sfumato.kinds.timeline.report"),
    generator=Lazy("sfumato.kinds.timeline.generators"),
    detect=Lazy("sfumato.kinds.timeline.reader:detect"),
    vocabulary=Lazy("sfumato.kinds.timeline.reader:WORDS"),
    report_words=Lazy("sfumato.kinds.timeline.report:REPORT_WORDS"),
)
