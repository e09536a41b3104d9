"""How a note about a method is marked wherever people read it."""

from __future__ import annotations

__all__ = ["NOTE_LABEL"]

NOTE_LABEL = "About the method (cannot be verified from the files)"
"""What stands before the note."""
