"""The kinds of data, one folder each, all with the same rooms."""
