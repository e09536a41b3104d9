"""Measures of what a release of sets is still good for, one file each."""
