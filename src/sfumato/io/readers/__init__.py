"""One module per kind of data: ``read(path, reading)`` makes a dataset of a file."""
