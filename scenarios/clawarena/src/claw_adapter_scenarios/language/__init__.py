"""The small language of specs: values, expressions, templates with marks, and the draw of a variant."""
