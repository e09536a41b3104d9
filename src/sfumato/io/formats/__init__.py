"""Files of one format each, read within bounds and written in one spelling."""
