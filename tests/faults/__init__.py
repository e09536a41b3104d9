"""Faults planted in checking code, one at a time, to see which of them a test suite catches."""
