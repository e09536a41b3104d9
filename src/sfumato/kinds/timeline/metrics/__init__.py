"""Measures of what a release of timelines is still good for, one file each."""
