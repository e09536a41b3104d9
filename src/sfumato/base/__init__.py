"""What a method, a guarantee, a verdict and the components of a kind of data are."""
