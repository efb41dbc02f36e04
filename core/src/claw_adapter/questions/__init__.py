"""Question types: how a round is asked, read, scored and talked about."""
