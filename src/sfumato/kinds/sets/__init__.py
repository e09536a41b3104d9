"""Sets of items: baskets, queries, diagnoses."""

from __future__ import annotations

from sfumato.data.kind import TABLES, AttackerSpec, GuaranteeSpec, KindSpec, Lazy
from sfumato.data.schema import Column

__all__ = ["KIND"]

KIND = KindSpec(
    "sets",
    "the items of a person",
    (Column("person", "identifier"), Column("items", "history")),
    options=("sensitive", "hierarchies", "hierarchy_root", "constraints", "separator", "unit"),
    formats=(*TABLES, "spmf", "transactions", "amnesia"),
    descriptions={
        "row": "the items of one record, in no order",
        "row with clusters": "a subrecord: the items that a record has of one chunk of its cluster. Which subrecords "
        "of a cluster belong to the same record is not published",
        "history": "the items, exact or as a value that stands for several items",
        "cluster": "the cluster of records, by its number",
        "chunk": "the chunk of the cluster; 0 is the term chunk, items of which only the cluster is published",
        "parent": "the joint cluster that this one belongs to, if any",
        "size": "the number of records in the cluster",
        "clusters table": "the clusters of records and their sizes",
    },
    entries={"items": "item"},
    ordered=False,
    exports=("spmf",),
    suppression_reasons=("nothing left to publish", "no item"),
    recommended=("disassociation", "local-km"),
    primary_metrics=("item-queries",),
    default_grid={"k": (3, 5, 10), "m": (2,)},
    make_dataset=Lazy("sfumato.kinds.sets.dataset:make_dataset"),
    reader=Lazy("sfumato.kinds.sets.reader"),
    methods={
        "coat": Lazy("sfumato.kinds.sets.methods.constrained_generalisation:Coat"),
        "pcta": Lazy("sfumato.kinds.sets.methods.constrained_generalisation:Pcta"),
        "disassociation": Lazy("sfumato.kinds.sets.methods.disassociation:Disassociation"),
        "apriori": Lazy("sfumato.kinds.sets.methods.hierarchical_generalisation:Apriori"),
        "lra": Lazy("sfumato.kinds.sets.methods.hierarchical_generalisation:Lra"),
        "vpa": Lazy("sfumato.kinds.sets.methods.hierarchical_generalisation:Vpa"),
        "local-km": Lazy("sfumato.kinds.sets.methods.local_km:LocalKmItems"),
    },
    guarantees={
        "itemset-anonymity": GuaranteeSpec(
            Lazy("sfumato.kinds.sets.guarantees:ItemsetAnonymity"),
            Lazy("sfumato.kinds.sets.verify.itemset_anonymity"),
        ),
        "km-items": GuaranteeSpec(
            Lazy("sfumato.kinds.sets.guarantees:KmItems"), Lazy("sfumato.kinds.sets.verify.km_items")
        ),
    },
    attackers={
        "items": AttackerSpec(Lazy("sfumato.kinds.sets.attacks")),
    },
    release_checks=Lazy("sfumato.kinds.sets.verify.structure:CHECKS"),
    verify_faithful=Lazy("sfumato.kinds.sets.verify.faithful:verify_faithful"),
    metrics=(
        Lazy("sfumato.kinds.sets.metrics.item_loss:ItemLoss"),
        Lazy("sfumato.kinds.sets.metrics.item_queries:ItemQueries"),
        Lazy("sfumato.kinds.sets.metrics.multilevel_itemsets:MultilevelItemsets"),
        Lazy("sfumato.kinds.sets.metrics.pair_support:PairSupport"),
        Lazy("sfumato.kinds.sets.metrics.pair_support_certain:PairSupportCertain"),
        Lazy("sfumato.metrics.query_certainty:QueryCertainty"),
        Lazy("sfumato.kinds.sets.metrics.separated_items:SeparatedItems"),
        Lazy("sfumato.kinds.sets.metrics.top_itemsets:TopItemsets"),
        Lazy("sfumato.kinds.sets.metrics.top_itemsets_certain:TopItemsetsCertain"),
        Lazy("sfumato.kinds.sets.metrics.utility_loss:UtilityLoss"),
    ),
    query_bounds=Lazy("sfumato.kinds.sets.query_bounds"),
    count_retained=Lazy("sfumato.kinds.sets.comparison:count_retained"),
    report=Lazy("sfumato.kinds.sets.report"),
    generator=Lazy("sfumato.kinds.sets.generators"),
    detect=Lazy("sfumato.kinds.sets.reader.detect:detect"),
    protect=Lazy("sfumato.kinds.sets.reader.detect:protect"),
    vocabulary=Lazy("sfumato.kinds.sets.reader.values:WORDS"),
    partitioned_reading=Lazy("sfumato.kinds.sets.reader.partitioned:PARTITIONED_READING"),
    sort_key=Lazy("sfumato.kinds.sets.sort_key"),
    partitions_report=Lazy("sfumato.kinds.sets.report"),
    report_words=Lazy("sfumato.kinds.sets.report.wording:REPORT_WORDS"),
    reconstruct=Lazy("sfumato.kinds.sets.estimate.reconstruction:reconstruct"),
)
