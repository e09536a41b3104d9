"""Attackers on event sequences, one file per knowledge."""
