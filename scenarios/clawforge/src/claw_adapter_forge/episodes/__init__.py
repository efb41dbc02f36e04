"""Episodes: a task in progress, the modes that execute its commands, its state as bytes."""

from __future__ import annotations
