"""What can be known of a person, attributes and items, and which published records fit it."""
