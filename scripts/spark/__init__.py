"""A Spark cluster on one machine for tests and trials: its class path, its processes, what it tells of itself."""
