"""Promises about tables."""
