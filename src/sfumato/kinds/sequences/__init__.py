"""Events with their times, person by person; some of them are monitored by a receiver."""

from __future__ import annotations

from sfumato.data.kind import TABLES, AttackerSpec, GuaranteeSpec, KindSpec, Lazy
from sfumato.data.schema import Column

__all__ = ["KIND"]

KIND = KindSpec(
    "sequences",
    "the events of a person and their times",
    (Column("person", "identifier"), Column("events", "history"), Column("times", "time")),
    options=("hierarchies", "hierarchy_root", "monitored", "resolution", "user_key", "query", "unit"),
    formats=(*TABLES, "spmf"),
    descriptions={
        "row": "the events of one record",
        "history": "events in the order of time; `monitored` and `blurred` are the same for all records of a group, "
        "and each of their values stands for at least one event in its interval",
        "time": "the times of these events, one by one: times, or intervals with both ends",
    },
    entries={
        "monitored": "event",
        "monitored_times": "time",
        "blurred": "event",
        "blurred_times": "time",
        "events": "event",
        "times": "time",
    },
    exports=("xes",),
    suppression_reasons=(
        "no monitored event, and fewer such records than a group needs",
        "no monitored event, and too many such records have the same at about the same time",
    ),
    recommended=("hi", "hy"),
    primary_metrics=("average-relative-error", "interval-loss"),
    default_grid={"k": (3, 5, 10)},
    make_dataset=Lazy("sfumato.kinds.sequences.dataset:make_dataset"),
    reader=Lazy("sfumato.kinds.sequences.reader"),
    methods={
        "ta": Lazy("sfumato.kinds.sequences.methods.comparators:Ta"),
        "sa": Lazy("sfumato.kinds.sequences.methods.comparators:Sa"),
        "hn": Lazy("sfumato.kinds.sequences.methods.groups:Hn"),
        "hi": Lazy("sfumato.kinds.sequences.methods.groups:Hi"),
        "hy": Lazy("sfumato.kinds.sequences.methods.groups:Hy"),
        "hl": Lazy("sfumato.kinds.sequences.methods.groups:Hl"),
        "et": Lazy("sfumato.kinds.sequences.methods.groups:Et"),
    },
    guarantees={
        "gl-diversity": GuaranteeSpec(
            Lazy("sfumato.kinds.sequences.guarantees:GlDiversity"),
            Lazy("sfumato.kinds.sequences.verify.gl_diversity"),
        ),
        "group-anonymity": GuaranteeSpec(
            Lazy("sfumato.kinds.sequences.guarantees:GroupAnonymity"),
            Lazy("sfumato.kinds.sequences.verify.group_anonymity"),
        ),
    },
    attackers={
        "monitored-events": AttackerSpec(
            Lazy("sfumato.kinds.sequences.attacks.monitored_events"),
            (Lazy("sfumato.kinds.sequences.attacks.neighbours"),),
        ),
    },
    release_checks=Lazy("sfumato.kinds.sequences.verify.structure:CHECKS"),
    verify_faithful=Lazy("sfumato.kinds.sequences.verify.faithful:verify_faithful"),
    metrics=(
        Lazy("sfumato.kinds.sequences.metrics.average_relative_error:AverageRelativeError"),
        Lazy("sfumato.kinds.sequences.metrics.count_queries:CountQueries"),
        Lazy("sfumato.kinds.sequences.metrics.event_context:EventContext"),
        Lazy("sfumato.kinds.sequences.metrics.event_counts:EventCounts"),
        Lazy("sfumato.kinds.sequences.metrics.interval_loss:IntervalLoss"),
        Lazy("sfumato.metrics.query_certainty:QueryCertainty"),
    ),
    query_bounds=Lazy("sfumato.kinds.sequences.query_bounds"),
    count_retained=Lazy("sfumato.kinds.sequences.comparison:count_retained"),
    report=Lazy("sfumato.kinds.sequences.report"),
    generator=Lazy("sfumato.kinds.sequences.generators"),
    detect=Lazy("sfumato.kinds.sequences.reader.detect:detect"),
    vocabulary=Lazy("sfumato.kinds.sequences.reader.values:WORDS"),
    partitioned_reading=Lazy("sfumato.kinds.sequences.reader.partitioned:PARTITIONED_READING"),
    sort_key=Lazy("sfumato.kinds.sequences.sort_key"),
    partitions_report=Lazy("sfumato.kinds.sequences.report"),
    judge_partitions=Lazy("sfumato.kinds.sequences.report:judge_partitions"),
    report_words=Lazy("sfumato.kinds.sequences.report.wording:REPORT_WORDS"),
)
