"""Attackers on snapshots, one file per knowledge."""
