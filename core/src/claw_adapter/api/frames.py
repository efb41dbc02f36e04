"""Tables of a run for pandas and Arrow; neither is needed for anything else."""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from claw_adapter.api.tables import columns, types_of
from claw_adapter.errors import ClawError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

__all__ = ["arrow_table", "data_frame"]


def data_frame(kind: type, rows: Iterable[object]) -> pd.DataFrame:
    """Rows of one kind as a data frame; a column of numbers is one also where it is empty.

    Raises:
        ClawError: pandas is not installed.
    """
    pandas = _module("pandas", "pandas")
    values = columns(kind, rows)
    frame = {}
    for name, (base, optional) in types_of(kind).items():
        whole = "Int64" if optional else "int64"
        dtype = {int: whole, float: "float64"}.get(base, "object")
        frame[name] = pandas.Series(values[name], dtype=dtype)
    return pandas.DataFrame(frame)


def arrow_table(kind: type, rows: Iterable[object]) -> pa.Table:
    """Rows of one kind as an Arrow table: text, truth values, 64-bit integers and floats, null where there is no value.

    Raises:
        ClawError: pyarrow is not installed.
    """
    arrow = _module("pyarrow", "arrow")
    types = {str: arrow.string(), bool: arrow.bool_(), int: arrow.int64(), float: arrow.float64()}
    schema = [arrow.field(name, types[base], nullable=optional) for name, (base, optional) in types_of(kind).items()]
    return arrow.table(columns(kind, rows), schema=arrow.schema(schema))


def _module(name: str, extra: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        remedy = f"Install it: pip install 'claw-adapter[{extra}]'"
        raise ClawError(f"{name} cannot be imported: {error}", remedy=remedy) from None
