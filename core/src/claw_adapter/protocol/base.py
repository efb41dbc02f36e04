"""What all records share."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

__all__ = ["Record"]


class Record(BaseModel):
    """An immutable, closed record: unknown fields are an error, not a surprise."""

    # Validators are built when they are first used: a process uses a few of all the records that it imports.
    model_config = ConfigDict(
        frozen=True, extra="forbid", defer_build=True, ser_json_bytes="base64", val_json_bytes="base64"
    )
