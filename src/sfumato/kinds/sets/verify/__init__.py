"""Independent checks of published sets, one file per guarantee."""
