"""Measures of what a release of snapshots is still good for, one file each."""
