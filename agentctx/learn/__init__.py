"""Rules that are learnt: from outputs of the past to candidates, and through the gate or not."""
