"""Measures of what a release of a table is still good for, one file each."""
