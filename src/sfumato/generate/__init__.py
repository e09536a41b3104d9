"""Synthetic data, one file per kind."""
