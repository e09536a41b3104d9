"""Measures of what a release of trajectories is still good for, one file each."""
