"""What generators of several kinds share."""
