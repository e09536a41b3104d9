"""Trajectories as arrays: what was, without counting anything."""
