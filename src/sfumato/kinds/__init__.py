"""The kinds of data, one folder each, each with its specification."""
