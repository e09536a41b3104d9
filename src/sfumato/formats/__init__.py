"""Files of one format each: JSON, CSV, Parquet, TOML, XML, in a folder or in memory."""
