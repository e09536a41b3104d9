"""What the calls of the library do."""
