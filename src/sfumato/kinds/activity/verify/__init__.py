"""Independent checks of published activities, one file per guarantee."""
