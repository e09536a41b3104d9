"""What the generators of all kinds share."""
