"""Methods for timelines, named after the papers, with their deviations beside them."""
