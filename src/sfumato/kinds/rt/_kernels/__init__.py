"""Compiled code of tables with a set of items."""
