"""Methods for snapshots, named after the papers, with their deviations beside them."""
