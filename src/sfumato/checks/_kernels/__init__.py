"""Compiled code of checkers. Makers never import it, it imports nothing of theirs, and small releases do without."""
