"""What people do all day, slot by slot."""

from __future__ import annotations

from sfumato.data.kind import TABLES, AttackerSpec, GuaranteeSpec, KindSpec, Lazy
from sfumato.data.schema import Column

__all__ = ["KIND"]

KIND = KindSpec(
    "activity",
    "the activity of a person in every time slot",
    (Column("person", "identifier"), Column("activities", "history")),
    options=("sensitive", "split", "zone", "resolution", "start", "gap", "slots", "faults", "unit", "weight"),
    formats=(*TABLES, "adl", "aras"),
    descriptions={
        "row": "the share of time that a class of records spent on an activity in an interval; shares of 0 are "
        "not listed",
        "class": "the class of records, by its number",
        "interval": "the beginning of the interval, or its number from 0",
        "activity": "the activity",
        "share": "the share of the time of all records of the class: 0 is none of it, 1 all of it",
        "size": "the number of records in the class",
        "classes table": "the classes of records and their sizes",
    },
    suppression_reasons=("fits into no class", "part of the time is unknown"),
    recommended=("mc-l-mdav-wd", "mc"),
    primary_metrics=("relative-difference", "average-relative-error"),
    default_grid={"k": (3, 5, 10), "delta": ("6",), "epsilon": ("1/2",), "aggregate": ("slot",)},
    make_dataset=Lazy("sfumato.kinds.activity.dataset:make_dataset"),
    reader=Lazy("sfumato.kinds.activity.reader"),
    methods={
        "l-mdav": Lazy("sfumato.kinds.activity.methods.baselines:LMdav"),
        "l-vmdav": Lazy("sfumato.kinds.activity.methods.baselines:LVmdav"),
        "msld": Lazy("sfumato.kinds.activity.methods.baselines:Msld"),
        "mc": Lazy("sfumato.kinds.activity.methods.multilevel_clustering:Mc"),
        "mc-l-mdav": Lazy("sfumato.kinds.activity.methods.multilevel_clustering:McLMdav"),
        "mc-l-mdav-wd": Lazy("sfumato.kinds.activity.methods.multilevel_clustering:McLMdavWd"),
        "mc-l-vmdav": Lazy("sfumato.kinds.activity.methods.multilevel_clustering:McLVmdav"),
        "mc-l-vmdav-wd": Lazy("sfumato.kinds.activity.methods.multilevel_clustering:McLVmdavWd"),
        "mc-rr": Lazy("sfumato.kinds.activity.methods.multilevel_clustering:McRr"),
    },
    guarantees={
        "activity-diversity": GuaranteeSpec(
            Lazy("sfumato.kinds.activity.guarantees:ActivityDiversity"),
            Lazy("sfumato.kinds.activity.verify.activity_diversity"),
        ),
        "class-anonymity": GuaranteeSpec(
            Lazy("sfumato.kinds.activity.guarantees:ClassAnonymity"),
            Lazy("sfumato.kinds.activity.verify.class_anonymity"),
        ),
    },
    attackers={
        "known-slots": AttackerSpec(
            Lazy("sfumato.kinds.activity.attacks.known_slots"), (Lazy("sfumato.kinds.activity.attacks.following"),)
        ),
    },
    release_checks=Lazy("sfumato.kinds.activity.verify.structure:CHECKS"),
    verify_faithful=Lazy("sfumato.kinds.activity.verify.faithful:verify_faithful"),
    metrics=(
        Lazy("sfumato.kinds.activity.metrics.average_relative_error:AverageRelativeError"),
        Lazy("sfumato.kinds.activity.metrics.correlations:ActivityCorrelations"),
        Lazy("sfumato.kinds.activity.metrics.durations:ActivityDurations"),
        Lazy("sfumato.metrics.query_certainty:QueryCertainty"),
        Lazy("sfumato.kinds.activity.metrics.relative_difference:RelativeDifference"),
        Lazy("sfumato.kinds.activity.metrics.suppressed_people:SuppressedPeople"),
        Lazy("sfumato.kinds.activity.metrics.time_of_day:TimeOfDay"),
        Lazy("sfumato.kinds.activity.metrics.transitions:ActivityTransitions"),
        Lazy("sfumato.kinds.activity.metrics.weighted_durations:WeightedDurations"),
    ),
    query_bounds=Lazy("sfumato.kinds.activity.query_bounds"),
    count_retained=Lazy("sfumato.kinds.activity.comparison:count_retained"),
    report=Lazy("sfumato.kinds.activity.report"),
    generator=Lazy("sfumato.kinds.activity.generators"),
    detect=Lazy("sfumato.kinds.activity.reader.detect:detect"),
    protect=Lazy("sfumato.kinds.activity.reader.detect:protect"),
    knows_folder=Lazy("sfumato.kinds.activity.reader.detect:knows_folder"),
    vocabulary=Lazy("sfumato.kinds.activity.reader.diaries:WORDS"),
    partitioned_reading=Lazy("sfumato.kinds.activity.reader.partitioned:PARTITIONED_READING"),
    sort_key=Lazy("sfumato.kinds.activity.sort_key"),
    partitions_report=Lazy("sfumato.kinds.activity.report"),
    report_words=Lazy("sfumato.kinds.activity.report.wording:REPORT_WORDS"),
)
