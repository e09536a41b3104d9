"""Attackers and the risk they find."""
