"""The reader: an embedded model that can only answer from what it was shown.

It measures what a harness delivers, not what a model can do. `matching` finds evidence in requests, `tools` understands the
harness's tools by their parameters, `errands` uses them, `policy` decides, `turn` puts these together.
"""
