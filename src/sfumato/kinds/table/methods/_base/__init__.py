"""Bases of the methods for tables."""
