"""Checks of releases against what they claim."""
