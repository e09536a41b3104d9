"""Releases: what is published, what its owner keeps, and how both are written and read."""
