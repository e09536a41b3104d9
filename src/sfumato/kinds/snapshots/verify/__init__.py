"""Independent checks of published snapshots, one file per guarantee."""
