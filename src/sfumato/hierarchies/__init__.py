"""Hierarchies of values."""
