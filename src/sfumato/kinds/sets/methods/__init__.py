"""Methods for sets, named after the papers, with their deviations beside them."""
