"""The core's own tests, built with the address and undefined-behaviour sanitizers, and run."""

from __future__ import annotations

from beside import Beside


def test_core(core_tests: Beside) -> None:
    failure = core_tests.failure()
    assert not failure, failure
