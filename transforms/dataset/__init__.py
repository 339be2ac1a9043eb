"""The dataset: its rows, and its shards made from scored ones by the rules."""
