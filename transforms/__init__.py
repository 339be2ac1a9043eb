"""What happens to data, in the order it happens: archives -> html -> blocks -> documents -> images -> shards."""
