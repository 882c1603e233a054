"""What a model charges for a token, from a snapshot that needs no network.

`data/prices.json` is taken from LiteLLM's price map (`scripts/refresh_prices.py`). What the map does
not say is filled by a rule and named in `Price.assumed`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from agentctx.options import PRICE_FIELDS, RATES
from agentctx.values import Usage

_SNAPSHOT = Path(__file__).parent / "data" / "prices.json"

# Names under which a vendor sells its own models: the bare name means the same price.
_VENDORS = ("gemini", "vertex_ai", "deepseek", "xai", "mistral", "moonshot", "zai", "dashscope")
_SPELLINGS = ("anthropic", "openai", "google", "x-ai", "mistralai", "moonshotai", "z-ai", "models")
_ROUTES = ("bedrock", "converse", "invoke", "converse_like", "responses")
_OWN = {*_VENDORS, *_SPELLINGS, *_ROUTES}
# Whoever serves a model alone pays for the machine, whatever its vendor charges for the same name.
_SELF_HOSTED = {"agentctx", "hosted_vllm", "llamafile", "lm_studio", "local", "ollama"}
_SELF_HOSTED |= {"ollama_chat", "vllm", "xinference"}

# Vendors that write their cache by themselves and charge a written token like any other
# (their documentation), and the shortest prompt that is cached.
_AUTOMATIC = re.compile(r"\b(gpt|chatgpt|codex|o[134]|gemini|deepseek|mistral|devstral|grok)\b")
_MINIMUM = (
    (re.compile(r"\b(gpt|chatgpt|codex|o[134])\b"), 1024),
    (re.compile(r"\bgemini-2"), 2048),
    (re.compile(r"\bgemini-3"), 2048),  # recorded hits begin at 1,807 to 2,029 tokens
    (re.compile(r"\bclaude-(opus|sonnet)-4(-[01])?(-\d{8})?\b"), 1024),
)
_USUAL_MINIMUM = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What one model charges, in dollars per token.

    Attributes:
        model: the name that was asked for.
        input: a fresh prompt token.
        output: a generated token.
        cache_read: a prompt token found in the cache.
        cache_write: a prompt token written to a cache of some minutes.
        cache_write_1h: a prompt token written to a cache of an hour.
        min_cacheable: tokens below which nothing is cached.
        known: False if nobody says what this model charges; every rate is then 0.
        source: where the rates come from.
        assumed: the fields that are a rule of thumb and not a fact about this model.
        above: prompt tokens beyond which `beyond` holds for the whole request.
        beyond: the price of longer prompts.
    """

    model: str
    input: float = 0.0
    output: float = 0.0
    cache_read: float = 0.0
    cache_write: float = 0.0
    cache_write_1h: float = 0.0
    min_cacheable: int = _USUAL_MINIMUM
    known: bool = False
    source: str = "unknown model"
    assumed: tuple[str, ...] = PRICE_FIELDS
    above: int | None = None
    beyond: Price | None = None


def price(model: str, overrides: Mapping[str, Mapping[str, float]] | None = None) -> Price:
    """Return what `model` charges; never raises.

    Names with a provider (`anthropic/…`, `openrouter/…`, Bedrock ids) and dated snapshots resolve.

    Args:
        model: the name, as any SDK or gateway spells it.
        overrides: the user's own prices (`Settings.prices`), dollars per million tokens.
    """
    source, models = _snapshot()
    own = {name.lower(): table for name, table in (overrides or {}).items()}
    found, exact = _find(model, models)
    facts = _facts(models[found]) if found else {}
    lent = set() if exact else {*PRICE_FIELDS}
    origin = f"{source}: {found}"
    mine, _ = _find(model, own)
    if mine:
        facts |= {"above": None, "beyond": None, **own[mine]}
        lent -= {*own[mine]}
        origin = "configuration"
    return _price(model, found or mine or "", facts, lent, origin)


def cost(usage: Usage, price: Price) -> float | None:
    """Return the dollars that a model call cost, None if the price is unknown."""
    if not price.known:
        return None
    if price.beyond is not None and price.above is not None and usage.prompt > price.above:
        price = price.beyond
    return float(sum(getattr(usage, name) * getattr(price, name) for name in RATES))


def _price(model: str, entry: str, facts: Mapping[str, Any], lent: set[str], source: str) -> Price:
    if facts.get("input") is None or facts.get("output") is None:
        return Price(model=model)
    filled = _filled(entry, facts)
    missing = [name for name in PRICE_FIELDS if facts.get(name) is None and not _ruled(name, entry)]
    assumed = tuple(name for name in PRICE_FIELDS if name in lent.union(missing))
    rates = {name: filled[name] / 1e6 for name in RATES}
    longer = facts.get("beyond")
    beyond = longer and _price(model, entry, {**facts, **longer, "beyond": None}, lent, source)
    return Price(
        **rates,
        model=model,
        min_cacheable=int(filled["min_cacheable"]),
        known=True,
        source=source,
        assumed=assumed,
        above=facts.get("above") if beyond else None,
        beyond=beyond,
    )


def _filled(entry: str, facts: Mapping[str, Any]) -> dict[str, float]:
    """Return `facts` with every gap closed: no discount, the vendor's surcharges if any."""
    write, hour = (1.25, 2.0) if "claude" in entry else (1.0, 1.0)
    found = {name: facts[name] for name in PRICE_FIELDS if facts.get(name) is not None}
    found.setdefault("cache_read", found["input"])
    found.setdefault("cache_write", found["input"] * write)
    found.setdefault("cache_write_1h", max(found["input"] * hour, found["cache_write"]))
    found.setdefault("min_cacheable", _minimum(entry) or _USUAL_MINIMUM)
    return found


def _ruled(name: str, entry: str) -> bool:
    """Return whether the vendor's published rule, and not a guess, closes this gap."""
    if name == "min_cacheable":
        return _minimum(entry) is not None
    return name in ("cache_write", "cache_write_1h") and bool(_AUTOMATIC.search(entry))


def _minimum(entry: str) -> int | None:
    return next((tokens for names, tokens in _MINIMUM if names.search(entry)), None)


@cache
def _snapshot() -> tuple[str, Mapping[str, list[Any]]]:
    found = json.loads(_SNAPSHOT.read_text(encoding="utf-8"))
    return f"{found['source']}, taken {found['taken']}", found["models"]


def _facts(row: list[Any]) -> dict[str, Any]:
    facts = dict(zip((*PRICE_FIELDS, "above"), row, strict=False))
    if len(row) > len(facts):
        facts["beyond"] = dict(zip(RATES, row[-1], strict=False))
    return facts


def _find(model: str, table: Mapping[str, Any]) -> tuple[str, bool]:
    """Return the entry of `table` for `model` ("" if none), and whether it is that very model."""
    for lenient in (False, True):
        for name in _names(model.strip().lower(), lenient):
            if name in table:
                return name, not lenient
    return "", False


def _names(model: str, lenient: bool) -> Iterator[str]:
    """Yield spellings of `model`; only if `lenient`, those of another seller or snapshot."""
    parts = re.sub(r"\[\w+\]$", "", model).split("/")  # Claude Code writes "claude-opus-4-6[1m]"
    for start in range(len(parts)):
        dropped = parts[:start]
        if _SELF_HOSTED & {*dropped} or not (lenient or all(map(_same_seller, dropped))):
            return
        yield from _spellings("/".join(parts[start:]), lenient)


def _same_seller(prefix: str) -> bool:
    return prefix in _OWN or prefix.startswith("arn:")


def _spellings(name: str, lenient: bool) -> Iterator[str]:
    bases = [name, re.sub(r":\d+$", "", name)]
    if lenient:
        bases.append(re.sub(r"^(?:[a-z]+\.)+(?=[a-z])|-v\d+(?::\d+)?$", "", name))
        if name.startswith("claude-"):  # the map keeps retired models under Bedrock's names alone
            bases.append(f"anthropic.{name}-v1:0")
        bases += [re.sub(r"[-@](?:\d{8}|\d{4}-\d\d-\d\d|latest)$", "", base) for base in bases]
    for base in dict.fromkeys(bases):
        dashed = re.sub(r"(?<=\d)\.(?=\d)", "-", base)
        for spelling in dict.fromkeys((base, dashed)):
            yield spelling
            if "/" not in spelling:
                yield from (f"{vendor}/{spelling}" for vendor in _VENDORS)
