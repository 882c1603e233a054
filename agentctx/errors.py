"""Every error that agentctx raises.

AgentctxError
├─ ConfigError              a setting that cannot be used
├─ WireError                a payload that no provider would accept
├─ ArchiveError
│  ├─ UnknownHandle         nothing in the archive has that handle
│  ├─ AmbiguousHandle       several originals begin with it
│  ├─ Evicted               it was there, and the size cap removed it
│  └─ Corrupt               the stored bytes do not match their name
├─ LedgerError              the decisions cannot be read or written
├─ MemoryStoreError         agents' memory cannot answer or be written
│  ├─ MemoryNameError       a name that no branch, segment or file may have
│  ├─ UnknownMemory         no such branch, record, segment or operation
│  ├─ MemoryCorrupt         what is stored is no record of ours
│  ├─ MemoryLocked          another process holds the memory for too long
│  ├─ MemoryFull            the disk refused what had to be written
│  └─ RemoteError           push, pull or clone failed
├─ RuleError                a compression rule that cannot be used
├─ PoolError                a rule that the pool of rules does not take or give
├─ RedactionError           secrets could not be removed, so nothing was sent
├─ ToolError                an agent tool was called with arguments it cannot take
├─ DataError                a trajectory or report file that cannot be read
└─ MissingExtra             an optional dependency is not installed

Each message is one line: the thing, the reason, the remedy.
"""

from __future__ import annotations


class AgentctxError(Exception):
    """Base of every error that agentctx raises on purpose."""


class ConfigError(AgentctxError):
    """A setting that cannot be used."""


class WireError(AgentctxError):
    """A payload that no provider would accept."""


class ArchiveError(AgentctxError):
    """The archive of originals cannot answer."""


class UnknownHandle(ArchiveError):
    """Nothing in the archive has that handle."""


class AmbiguousHandle(ArchiveError):
    """Several originals begin with that handle."""


class Evicted(ArchiveError):
    """The original was stored and has been removed by the size cap."""


class Corrupt(ArchiveError):
    """The stored bytes do not match their name."""


class LedgerError(AgentctxError):
    """Decisions cannot be read or written."""


class MemoryStoreError(AgentctxError):
    """Agents' memory cannot answer or be written."""


class MemoryNameError(MemoryStoreError):
    """A name that no branch, segment or file of a memory may have."""


class UnknownMemory(MemoryStoreError):
    """No such branch, record, segment or operation."""


class MemoryCorrupt(MemoryStoreError):
    """What is stored is no record of ours."""


class MemoryLocked(MemoryStoreError):
    """Another process holds the memory for too long."""


class MemoryFull(MemoryStoreError):
    """The disk refused what had to be written; nothing was acknowledged."""


class RemoteError(MemoryStoreError):
    """Push, pull or clone failed."""


class RuleError(AgentctxError):
    """A compression rule that cannot be used."""


class PoolError(AgentctxError):
    """A rule that the pool of rules does not take or give."""


class RedactionError(AgentctxError):
    """Secrets could not be removed, so nothing was stored or sent."""


class ToolError(AgentctxError):
    """An agent tool was called with arguments that it cannot take."""


class DataError(AgentctxError):
    """A trajectory, recording or report that cannot be read."""


class MissingExtra(AgentctxError):
    """An optional dependency is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        """Name the missing `package` and the `extra` that brings it."""
        super().__init__(
            f"{package!r} is not installed: pip install 'agentctx-middleware[{extra}]'"
        )
