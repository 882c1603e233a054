"""Numbers as people read them."""

from __future__ import annotations


def count(value: float) -> str:
    """Return a number with thousands apart: 12,345."""
    return f"{value:,.0f}"


def short(value: float) -> str:
    """Return a number of at most three digits: 950, 12.3k, 1.2M."""
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if abs(value) >= size:
            scaled = value / size
            return (
                f"{scaled:.0f}{unit}"
                if scaled >= 100 or scaled == int(scaled)
                else f"{scaled:.1f}{unit}"
            )
    return f"{value:.0f}"


def dollars(value: float) -> str:
    """Return dollars, to the cent from 10 dollars on, else to the hundredth of a cent."""
    if not value:
        return "$0"
    return f"${value:,.2f}" if value >= 10 else f"${value:.4f}" if value < 0.1 else f"${value:.3f}"


def money(value: float) -> str:
    """Return dollars for an axis: at least cents, at most hundredths of them."""
    whole, _, part = f"{value:,.4f}".partition(".")
    return f"${whole}.{part.rstrip('0'):0<2}" if value else "$0"


def percent(value: float, digits: int = 1) -> str:
    """Return a share as a percentage: 12.3 %."""
    return f"{100 * value:.{digits}f} %"


def change(before: float, after: float) -> str:
    """Return by how much a number fell (−) or rose (+); "0 %" for neither."""
    return less(1 - after / before if before else 0.0)


def less(share: float) -> str:
    """Return a saved share as a fall: −12.3 %, "0 %" for none, + for what grew."""
    if abs(share) < 0.0005:
        return "0 %"
    return f"{'−' if share > 0 else '+'}{abs(100 * share):.1f} %"


def recall(kept: int, of: int) -> str:
    """Return a recall without rounding a miss away: 100 % is only what is complete."""
    if kept == of:
        return "100 %"
    return f"{min(99.99, 100 * kept / of):.2f} %"
