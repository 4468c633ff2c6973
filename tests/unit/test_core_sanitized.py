"""The core's own tests, built with the address and undefined-behaviour sanitizers, and run."""

from __future__ import annotations

from background import BackgroundPrograms


def test_core(core_tests: BackgroundPrograms) -> None:
    failure = core_tests.failure()
    assert not failure, failure
