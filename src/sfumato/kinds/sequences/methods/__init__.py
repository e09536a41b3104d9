"""Methods for event sequences, named after the papers, with their deviations beside them."""
