"""No test here reaches another address than 127.0.0.1, and none looks a name up."""

from __future__ import annotations

from loopback_only import connects

__all__ = ["connects"]
