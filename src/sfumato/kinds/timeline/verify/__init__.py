"""Independent checks of published timelines, one file per guarantee."""
