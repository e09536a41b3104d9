"""Measures of what a release of activities is still good for, one file each."""
