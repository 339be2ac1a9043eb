"""Configurations that come with interleaf; `--config NAME` finds them here."""
