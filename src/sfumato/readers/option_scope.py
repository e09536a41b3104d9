"""Reading options by the words that other tools and papers have for them."""

from __future__ import annotations

__all__ = ["find_option"]

_WORDS = {
    "identifier": ("id", "ids", "identifiers", "direct_identifiers", "identifying", "names"),
    "quasi": (
        *("qi", "qis", "qid", "qids", "quasi_identifier", "quasi_identifiers", "quasiidentifiers", "quasi_identifying"),
        *("key_vars", "keyvars", "key_variables", "known"),
    ),
    "sensitive": (
        *("sensitive_attribute", "sensitive_attributes", "sensitive_column", "sensitive_columns", "sensitive_values"),
        *("sensitive_value", "secret_columns", "confidential"),
    ),
    "plain": ("insensitive", "non_sensitive", "nonsensitive", "insensitive_attributes", "keep"),
    "drop": ("exclude", "ignore", "remove", "skip", "omit", "drop_columns"),
    "columns": ("roles", "role", "usecols", "mapping", "rename", "cols"),
    "delimiter": ("sep", "delim", "field_separator", "dialect"),
    "separator": ("item_separator", "items_separator", "item_sep"),
    "header": ("column_names", "colnames", "fieldnames"),
    "encoding": ("charset",),
    "format": ("filetype", "file_format", "type", "file_type"),
    "empty": ("na_values", "null_values", "na", "nan", "na_strings"),
    "missing": ("dropna", "fillna", "on_missing", "nulls"),
    "zone": ("tz", "timezone", "time_zone"),
    "resolution": ("time_unit", "granularity", "freq", "precision"),
    "hierarchies": ("taxonomy", "taxonomies", "generalization", "generalisation", "dgh", "vgh"),
    "scales": ("dtype", "dtypes", "types", "column_types"),
    "weight": ("weights", "sample_weight", "survey_weight"),
    "sheet": ("sheet_name", "worksheet"),
    "items": ("item_column", "items_column", "set_column"),
    "sensitive_items": ("sensitive_item",),
}
_MEANT = {word: option for option, words in _WORDS.items() for word in words}


def find_option(name: str) -> str | None:
    """Return the reading option that a word means; None where it is unknown.

    Examples
    --------
    >>> find_option("quasi_identifiers"), find_option("na_values"), find_option("colour")
    ('quasi', 'empty', None)
    """
    return _MEANT.get(name.lower().replace("-", "_").replace(" ", "_"))
