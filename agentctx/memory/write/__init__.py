"""From what a caller says to records on refs."""
