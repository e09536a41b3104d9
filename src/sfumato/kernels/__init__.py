"""Shared compiled code on plain arrays; it imports nothing else of this package."""
