"""Independent checks of published files, one file per guarantee."""
