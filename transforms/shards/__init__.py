"""Shard files: written under a temporary name, renamed, described by a manifest, found again by it."""
