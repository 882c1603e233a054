"""Rules: which lines of which command's output a model can do without, and what proves it."""
