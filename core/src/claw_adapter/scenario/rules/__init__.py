"""The validator's rules, one module per part of a scenario; each rule is a generator of findings about a `Subject`."""
