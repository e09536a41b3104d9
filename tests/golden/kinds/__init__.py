"""Data, cases and questions: one module for every kind of data."""
