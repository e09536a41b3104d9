"""What a dataset is: people, records, columns, times, places."""
