"""Attackers on activities, one file per knowledge."""
