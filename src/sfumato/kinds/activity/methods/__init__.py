"""Methods for activities, named after the papers, with their deviations beside them."""
