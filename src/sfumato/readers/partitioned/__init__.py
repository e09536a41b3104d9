"""Files that are too large for memory: read batch by batch, and laid aside in buckets of whole people."""
