"""The roadmap: `main.md` and the checklists in it."""
