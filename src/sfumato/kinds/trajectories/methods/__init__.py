"""Methods for trajectories, named after the papers, with their deviations beside them."""
