"""Tables of people: attributes, no history."""

from __future__ import annotations

from sfumato.data.kind import AttackerSpec, GuaranteeSpec, KindSpec, Lazy

__all__ = ["KIND"]

KIND = KindSpec(
    "table",
    "a person with attributes",
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
            "population",
            "weight",
        ),
        "unit",
    ),
    descriptions={
        "row": "one record",
        "quasi-identifier": "an attribute, perhaps generalised; an empty text is a missing value",
        "count": "the number of people of the population who match these cells",
        "mean": "the mean of the column over the records with these cells",
        "column": "the column",
        "value": "a value of the column",
        "parent": "the value above it, if any",
        "means table": "the means of numeric columns over the records with the same cells",
        "population table": "the number of people of a public population who match each combination of cells",
        "sensitive-order table": "the order or hierarchy of the values of sensitive columns",
    },
    suppression_reasons=("too few records alike",),
    recommended=("mondrian", "optimal"),
    primary_metrics=("attribute-queries", "ncp"),
    default_grid={"k": (3, 5, 10), "l": (1, 2)},
    make_dataset=Lazy("sfumato.kinds.table.dataset:make_dataset"),
    reader=Lazy("sfumato.kinds.table.reader"),
    methods={
        "bottom-up": Lazy("sfumato.kinds.table.methods.bottom_up:BottomUp"),
        "cluster": Lazy("sfumato.kinds.table.methods.cluster:Cluster"),
        "incognito": Lazy("sfumato.kinds.table.methods.incognito:Incognito"),
        "mdav": Lazy("sfumato.kinds.table.methods.mdav:Mdav"),
        "mondrian": Lazy("sfumato.kinds.table.methods.mondrian:Mondrian"),
        "optimal": Lazy("sfumato.kinds.table.methods.optimal:Optimal"),
        "top-down": Lazy("sfumato.kinds.table.methods.top_down:TopDown"),
    },
    guarantees={
        "k-anonymity": GuaranteeSpec(
            Lazy("sfumato.kinds.table.guarantees:KAnonymity"),
            Lazy("sfumato.kinds.table.verify.k_anonymity"),
        ),
    },
    attackers={
        "attributes": AttackerSpec(
            Lazy("sfumato.kinds.table.attacks.attributes"),
            (
                Lazy("sfumato.kinds.table.attacks.homogeneity"),
                Lazy("sfumato.kinds.table.attacks.more_known"),
            ),
        ),
    },
    release_checks=Lazy("sfumato.kinds.table.verify.structure:CHECKS"),
    verify_faithful=Lazy("sfumato.kinds.table.verify.faithful:verify_faithful"),
    metrics=(
        Lazy("sfumato.kinds.table.metrics.attribute_queries:AttributeQueries"),
        Lazy("sfumato.kinds.table.metrics.average_class_size:AverageClassSize"),
        Lazy("sfumato.kinds.table.metrics.discernibility:Discernibility"),
        Lazy("sfumato.kinds.table.metrics.entropy_loss:EntropyLoss"),
        Lazy("sfumato.kinds.table.metrics.microaggregation_error:MicroaggregationError"),
        Lazy("sfumato.kinds.table.metrics.ncp:Ncp"),
        Lazy("sfumato.kinds.table.metrics.precision:Precision"),
        Lazy("sfumato.kinds.table.metrics.prediction:Prediction"),
        Lazy("sfumato.metrics.query_certainty:QueryCertainty"),
        Lazy("sfumato.kinds.table.metrics.weighted_queries:WeightedQueries"),
        Lazy("sfumato.kinds.table.metrics.weighted_shares:WeightedShares"),
    ),
    query_bounds=Lazy("sfumato.kinds.table.query_bounds"),
    count_retained=Lazy("sfumato.kinds.table.comparison:count_retained"),
    report=Lazy("sfumato.kinds.table.report"),
    generator=Lazy("sfumato.kinds.table.generators"),
    find_inferences=Lazy("sfumato.kinds.table.knowledge:find_inferences"),
    detect=Lazy("sfumato.kinds.table.reader.detect:detect"),
    protect=Lazy("sfumato.kinds.table.reader.detect:protect"),
    partitioned_reading=Lazy("sfumato.kinds.table.reader.partitioned:PARTITIONED_READING"),
    sort_key=Lazy("sfumato.kinds.table.sort_key"),
    partitions_report=Lazy("sfumato.kinds.table.report"),
    report_words=Lazy("sfumato.kinds.table.report.wording:REPORT_WORDS"),
)
