"""Questions asked of data and of releases, and what is certain, possible and expected of the answers."""
