"""What checkers of several kinds share; nothing here knows how a release was made."""
