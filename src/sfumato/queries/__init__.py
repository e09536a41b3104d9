"""Questions asked of data and of releases: what is certain, possible and expected."""
