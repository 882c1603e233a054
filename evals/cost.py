"""What a run's calls cost under a provider's cache prices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from agentctx.evals.meter import Call
from agentctx.prices import Price
from agentctx.values import Usage

CALL = 40
"""Tokens of a model's call for hidden text."""


def bill(
    calls: Sequence[Call], price: Price, retrievals: Mapping[int, int], scale: float = 1.0
) -> list[Usage]:
    """Return the usage of every call, and of the calls that fetch hidden text.

    What a request shares with the one before is read from the cache, if it is long enough to be
    cached; the rest is written to the cache, or is fresh input where writing costs no extra.
    Time-outs of the cache are not simulated.

    Args:
        calls: the requests of a run in order, in counted tokens.
        price: prices and the minimum cacheable length of the model.
        retrievals: for a call's number, the tokens of the texts that had to be fetched before it.
        scale: the provider's tokens for each counted one.
    """
    return list(_bill(calls, price, retrievals, scale))


def _bill(
    calls: Sequence[Call], price: Price, retrievals: Mapping[int, int], scale: float
) -> Iterator[Usage]:
    extra = 0
    for number, call in enumerate(calls):
        prompt, prefix = call.prompt + extra, call.prefix + extra * (call.prefix > 0)
        if number in retrievals:
            yield _usage(prefix, prompt, CALL, price, scale)
            extra += CALL + retrievals[number]
            prefix, prompt = prompt, call.prompt + extra
        yield _usage(prefix, prompt, call.output, price, scale)


def _usage(prefix: int, prompt: int, output: int, price: Price, scale: float) -> Usage:
    read, total = round(prefix * scale), round(prompt * scale)
    floor = price.min_cacheable or 0
    read = read if read >= floor else 0
    rest = total - read
    writes = total >= floor and price.cache_write > price.input
    return Usage(
        input=0 if writes else rest,
        cache_read=read,
        cache_write=rest if writes else 0,
        output=output,
    )
