"""Independent checks of published trajectories, one file per guarantee."""
