"""Where independent parts of a run are computed."""
