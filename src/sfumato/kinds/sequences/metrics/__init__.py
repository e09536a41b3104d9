"""Measures of what a release of event sequences is still good for, one file each."""
