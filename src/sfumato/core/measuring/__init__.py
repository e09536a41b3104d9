"""What a measure is, what it compares and what it may be asked."""
