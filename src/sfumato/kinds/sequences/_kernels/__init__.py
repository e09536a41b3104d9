"""Compiled code on plain arrays that only methods for event sequences call."""
