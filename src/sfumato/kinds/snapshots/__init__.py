"""Records that come in over time and are published in snapshots."""

from __future__ import annotations

from sfumato.data.kind import TABLES, AttackerSpec, GuaranteeSpec, KindSpec, Lazy
from sfumato.data.record_unit import RECORD

__all__ = ["KIND"]

KIND = KindSpec(
    "snapshots",
    "a record that belongs to a snapshot",
    (),
    options=("sensitive", "resolution", "plain_anyway"),
    formats=(*TABLES, "spmf"),
    unit=RECORD,
    manifests=("stream.json",),
    descriptions={
        "row": "a record of one snapshot",
        "row with sensitive": "a record of one snapshot; its sensitive value is one of those that `sensitive.csv` "
        "lists for its group",
        "time": "the snapshot in which the record is published",
        "group": "the group of records, by its number in the snapshot",
        "count": "the number of records of the group with this value",
        "sensitive table": "the sensitive values of every group, with the number of records that have each",
    },
    suppression_reasons=("suppressed", "arrived after its snapshot had left the window"),
    recommended=("reposition", "anatomy"),
    primary_metrics=("average-relative-error", "window-queries", "publication-delay"),
    default_grid={"l": (2, 3, 4), "window": (7,), "infeasible": ("suppress",)},
    make_dataset=Lazy("sfumato.kinds.snapshots.dataset:make_dataset"),
    reader=Lazy("sfumato.kinds.snapshots.reader"),
    methods={
        "anatomy": Lazy("sfumato.kinds.snapshots.methods.anatomy:Anatomy"),
        "reposition": Lazy("sfumato.kinds.snapshots.methods.reposition:Reposition"),
    },
    guarantees={
        "l-diversity": GuaranteeSpec(
            Lazy("sfumato.kinds.snapshots.guarantees:LDiversity"),
            Lazy("sfumato.kinds.snapshots.verify.l_diversity"),
        ),
        "l-eligibility": GuaranteeSpec(
            Lazy("sfumato.kinds.snapshots.guarantees:LEligibility"),
            Lazy("sfumato.kinds.snapshots.verify.l_eligibility"),
        ),
    },
    attackers={
        "attributes-and-time": AttackerSpec(Lazy("sfumato.kinds.snapshots.attacks.attributes_and_time")),
    },
    release_checks=Lazy("sfumato.kinds.snapshots.verify.structure:CHECKS"),
    verify_faithful=Lazy("sfumato.kinds.snapshots.verify.faithful:verify_faithful"),
    metrics=(
        Lazy("sfumato.kinds.snapshots.metrics.average_relative_error:AverageRelativeError"),
        Lazy("sfumato.kinds.snapshots.metrics.information_loss:InformationLoss"),
        Lazy("sfumato.kinds.snapshots.metrics.publication_delay:PublicationDelay"),
        Lazy("sfumato.metrics.query_certainty:QueryCertainty"),
        Lazy("sfumato.kinds.snapshots.metrics.window_queries:WindowQueries"),
    ),
    query_bounds=Lazy("sfumato.kinds.snapshots.query_bounds"),
    count_retained=Lazy("sfumato.kinds.snapshots.comparison:count_retained"),
    report=Lazy("sfumato.kinds.snapshots.report"),
    generator=Lazy("sfumato.kinds.snapshots.generators"),
    find_inferences=Lazy("sfumato.kinds.snapshots.knowledge.inference:find_inferences"),
    detect=Lazy("sfumato.kinds.snapshots.reader.detect:detect"),
    protect=Lazy("sfumato.kinds.snapshots.reader.detect:protect"),
    folder=Lazy("sfumato.kinds.snapshots.folder"),
    stream=Lazy("sfumato.kinds.snapshots.stream"),
)
