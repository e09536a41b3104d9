"""Compiled code on plain arrays that only methods for trajectories call."""
