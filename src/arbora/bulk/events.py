"""What a run tells while it goes on, for whoever shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened: ``begun``, ``planned``, ``done``, ``crashed``, ``damaged`` or ``finished``."""

    name: str
    data: dict[str, Any]

    def as_dict(self) -> dict[str, Any]:
        """Plain data.

        >>> Event("planned", {"number": 3}).as_dict()
        {'event': 'planned', 'number': 3}
        """
        return {"event": self.name, **self.data}


@dataclass(slots=True)
class Watcher:
    """Is told of events, and of shards that workers begin."""

    on_event: Callable[[Event], None] = lambda event: None
    on_start: Callable[[str, int], None] = lambda worker, number: None
