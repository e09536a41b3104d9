"""The nouns everything else is made of: data, promises, releases."""
