"""Executors: who does the work. Each takes tasks as it has room for them, and gives answers as they come."""

from arbora.executors.executor import (
    EXECUTORS,
    TRIES,
    Crashed,
    Executor,
    LostClusterError,
    OnStart,
    Refused,
    TaskError,
    answered,
    executor_at,
    make_executor,
)

__all__ = [
    "EXECUTORS",
    "TRIES",
    "Crashed",
    "Executor",
    "LostClusterError",
    "OnStart",
    "Refused",
    "TaskError",
    "answered",
    "executor_at",
    "make_executor",
]
