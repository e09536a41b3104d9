"""What is tested where is known from the name: the folders are those of the source."""
