"""Compiled code of the methods for tables."""
