"""Tables of people with a set of items each: attributes, and baskets or diagnoses."""

from __future__ import annotations

from sfumato.data.kind import AttackerSpec, GuaranteeSpec, KindSpec, Lazy
from sfumato.kinds.table import KIND as TABLE

__all__ = ["KIND"]

KIND = KindSpec(
    "rt",
    "a person with attributes and a set of items (a table with a basket)",
    (),
    options=(
        *(
            "identifier",
            "quasi",
            "sensitive",
            "plain",
            "scales",
            "hierarchies",
            "hierarchy_root",
            "plain_anyway",
            "unit",
        ),
        *("items", "item_file", "separator", "sensitive_items"),
    ),
    descriptions={
        "row": "one record: attributes and a set of items, in no order",
        "quasi-identifier": "an attribute, perhaps generalised; an empty text is a missing value",
        "history": "the items, exact or as a value that stands for several items",
    },
    ordered=False,
    suppression_reasons=TABLE.suppression_reasons,
    recommended=("rum-bound", "rfirst"),
    primary_metrics=("queries", "ncp", "utility-loss"),
    default_grid={"k": (3, 5, 10), "m": (2,)},
    make_dataset=Lazy("sfumato.kinds.rt.dataset:make_dataset"),
    reader=Lazy("sfumato.kinds.rt.reader"),
    methods={
        "rum-bound": Lazy("sfumato.kinds.rt.methods.bounded:RumBound"),
        "tum-bound": Lazy("sfumato.kinds.rt.methods.bounded:TumBound"),
        "rfirst": Lazy("sfumato.kinds.rt.methods.lexicographic:RFirst"),
        "tfirst": Lazy("sfumato.kinds.rt.methods.lexicographic:TFirst"),
    },
    guarantees={
        "kkm-anonymity": GuaranteeSpec(
            Lazy("sfumato.kinds.rt.guarantees:KKmAnonymity"),
            Lazy("sfumato.kinds.rt.verify.kkm_anonymity"),
        ),
    },
    attackers={
        "attributes and items": AttackerSpec(Lazy("sfumato.kinds.rt.attacks")),
    },
    release_checks=Lazy("sfumato.kinds.rt.verify.structure:CHECKS"),
    verify_faithful=Lazy("sfumato.kinds.rt.verify.faithful:verify_faithful"),
    metrics=(
        Lazy("sfumato.kinds.rt.metrics.ncp:Ncp"),
        Lazy("sfumato.kinds.rt.metrics.queries:Queries"),
        Lazy("sfumato.metrics.query_certainty:QueryCertainty"),
        Lazy("sfumato.kinds.rt.metrics.utility_loss:UtilityLoss"),
    ),
    query_bounds=Lazy("sfumato.kinds.rt.query_bounds"),
    count_retained=Lazy("sfumato.kinds.rt.comparison:count_retained"),
    report=Lazy("sfumato.kinds.rt.report"),
    generator=Lazy("sfumato.kinds.rt.generators"),
    find_inferences=Lazy("sfumato.kinds.rt.knowledge.inference:find_inferences"),
    detect=Lazy("sfumato.kinds.rt.reader:detect"),
    protect=Lazy("sfumato.kinds.rt.reader:protect"),
    partitioned_reading=Lazy("sfumato.kinds.rt.reader:PARTITIONED_READING"),
    sort_key=Lazy("sfumato.kinds.rt.sort_key"),
    partitions_report=Lazy("sfumato.kinds.rt.report"),
    report_words=Lazy("sfumato.kinds.rt.report:REPORT_WORDS"),
)
