"""Making tasks: a family and slots compiled to a task, and the task sets that tasks are drawn from."""

from __future__ import annotations
