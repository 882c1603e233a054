"""What people look at: graph, blame, differences, health."""
