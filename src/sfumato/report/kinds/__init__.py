"""What the report says about one kind of data, one file per kind: ``render``, ``figures`` and ``picture``."""
