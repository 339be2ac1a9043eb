"""What runs: the `interleaf` command, the typed configuration, the graph, the run folder, verification and the report."""
