"""Activities as arrays: what was, without counting anything."""
