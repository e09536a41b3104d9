"""Independent checks of published event sequences, one file per guarantee."""
