"""How rules change while they are used: what agents come back for, what is learnt, what is given up."""
