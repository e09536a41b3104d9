"""Attackers on tables, one file per knowledge."""
