"""Checkers of releases of tables with a set of items."""
