"""Errors that a person can act on; their text is all that is shown."""

from __future__ import annotations


class UsageError(Exception):
    """Wrong use: a path, an option or a run folder that does not fit; exit status 2."""


class RunError(Exception):
    """The run failed, or a check of its result did; exit status 1."""
