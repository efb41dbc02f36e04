"""The built-in reference harness: a small, readable tool loop that every part of the kit is measured against."""
