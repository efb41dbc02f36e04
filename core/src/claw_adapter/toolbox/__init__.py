"""What the tools of a harness are for, known by their names, descriptions and parameters.

`schema` and `calls` read a tool's JSON Schema, `purposes` says what makes a tool a candidate for reading, writing or commands,
`box` sorts a request's tools by that, `uses` and `todos` know the other kinds, and `kinds` sums up. The reader calls tools by
it, and the audit knows by it what a call was to do.
"""
