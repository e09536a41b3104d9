"""Compiled code that several kinds of data call."""
