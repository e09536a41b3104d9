"""Simulated attackers, one file per knowledge model."""
