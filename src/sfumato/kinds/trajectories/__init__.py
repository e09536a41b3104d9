"""Places that people visited, in order."""

from __future__ import annotations

from sfumato.data.kind import TABLES, AttackerSpec, GuaranteeSpec, KindSpec, Lazy
from sfumato.data.schema import Column

__all__ = ["KIND"]

KIND = KindSpec(
    "trajectories",
    "the places that a person visited, in order",
    (Column("person", "identifier"), Column("places", "history")),
    options=(
        "sensitive",
        "hierarchies",
        "hierarchy_root",
        "constraints",
        "places",
        "places_file",
        "split",
        "zone",
        "coordinates",
        "unit",
    ),
    formats=(*TABLES, "spmf"),
    descriptions={
        "row": "the places that a record visited, in the order of the visits",
        "history": "the places in the order of the visits, exact or as a value that stands for several places",
    },
    entries={"places": "place"},
    position="visit",
    exports=("geojson", "spmf"),
    suppression_reasons=("no place left after suppression", "more places than enough others have"),
    recommended=("local-km", "seqanon"),
    primary_metrics=("average-relative-error", "distance"),
    default_grid={"k": (3, 5, 10), "m": (2,), "infeasible": ("suppress",)},
    make_dataset=Lazy("sfumato.kinds.trajectories.dataset:make_dataset"),
    reader=Lazy("sfumato.kinds.trajectories.reader"),
    methods={
        "local-km": Lazy("sfumato.kinds.trajectories.methods.local_km:LocalKm"),
        "lm-anon": Lazy("sfumato.kinds.trajectories.methods.select_organize_anonymize:LmAnon"),
        "zga": Lazy("sfumato.kinds.trajectories.methods.select_organize_anonymize:Zga"),
        "sga": Lazy("sfumato.kinds.trajectories.methods.select_organize_anonymize:Sga"),
        "seqanon": Lazy("sfumato.kinds.trajectories.methods.seqanon:SeqAnon"),
        "sd-seqanon": Lazy("sfumato.kinds.trajectories.methods.seqanon:SdSeqAnon"),
        "u-seqanon": Lazy("sfumato.kinds.trajectories.methods.seqanon:USeqAnon"),
    },
    guarantees={
        "klm-anonymity": GuaranteeSpec(
            Lazy("sfumato.kinds.trajectories.guarantees:KlmAnonymity"),
            Lazy("sfumato.kinds.trajectories.verify.klm_anonymity"),
        ),
        "km-anonymity": GuaranteeSpec(
            Lazy("sfumato.kinds.trajectories.guarantees:KmAnonymity"),
            Lazy("sfumato.kinds.trajectories.verify.km_anonymity"),
        ),
    },
    attackers={
        "ordered-places": AttackerSpec(Lazy("sfumato.kinds.trajectories.attacks")),
    },
    release_checks=Lazy("sfumato.kinds.trajectories.verify.structure:CHECKS"),
    verify_faithful=Lazy("sfumato.kinds.trajectories.verify.faithful:verify_faithful"),
    metrics=(
        Lazy("sfumato.kinds.trajectories.metrics.average_relative_error:AverageRelativeError"),
        Lazy("sfumato.kinds.trajectories.metrics.distance:Distance"),
        Lazy("sfumato.kinds.trajectories.metrics.pattern_preservation:PatternPreservation"),
        Lazy("sfumato.kinds.trajectories.metrics.place_counts:PlaceCounts"),
        Lazy("sfumato.kinds.trajectories.metrics.place_distance:PlaceDistance"),
        Lazy("sfumato.metrics.query_certainty:QueryCertainty"),
        Lazy("sfumato.kinds.trajectories.metrics.semantic_penalty:SemanticPenalty"),
        Lazy("sfumato.kinds.trajectories.metrics.support_divergence:SupportDivergence"),
    ),
    query_bounds=Lazy("sfumato.kinds.trajectories.query_bounds"),
    count_retained=Lazy("sfumato.kinds.trajectories.comparison:count_retained"),
    report=Lazy("sfumato.kinds.trajectories.report"),
    generator=Lazy("sfumato.kinds.trajectories.generators"),
    detect=Lazy("sfumato.kinds.trajectories.reader.detect:detect"),
    protect=Lazy("sfumato.kinds.trajectories.reader.detect:protect"),
    vocabulary=Lazy("sfumato.kinds.trajectories.reader.visits:WORDS"),
    option_checks={"places": Lazy("sfumato.kinds.trajectories.reader.place_rules:parse_place_rule")},
    partitioned_reading=Lazy("sfumato.kinds.trajectories.reader.partitioned:PARTITIONED_READING"),
    sort_key=Lazy("sfumato.kinds.trajectories.sort_key"),
    partitions_report=Lazy("sfumato.kinds.trajectories.report"),
    report_words=Lazy("sfumato.kinds.trajectories.report.wording:REPORT_WORDS"),
)
