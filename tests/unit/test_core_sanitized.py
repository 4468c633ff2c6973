"""The core under the address and undefined-behaviour sanitizers: its tests, its bindings, changed models."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import sanitized_python
from background import BackgroundPrograms

BESIDE = "import ctypes, numpy as np; ctypes.memset(np.zeros(7, np.int32)[:6].copy().ctypes.data, 0, 28)"
"""Writes one number beside an array that is a copy of a longer one's slice, as in `test_bindings.py`."""


def test_nothing_is_found(sanitized: BackgroundPrograms) -> None:
    """The core's own tests; a call of every binding with arrays that are too short; changed model files."""
    failure = sanitized.failure()
    assert not failure, failure


def run_python(build: Path, code: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, sanitized_python.__file__, str(build), "-c", code]
    return subprocess.run(command, capture_output=True, text=True, errors="replace")


def test_something_would_be_found(sanitized: BackgroundPrograms) -> None:
    """Python runs the module of that build, and what lies beside an array of numpy is watched."""
    failure = sanitized.failure()
    assert not failure, failure
    module = Path(
        run_python(sanitized.folder, "from arbora import _core; print(_core.__file__)").stdout.strip()
    )
    assert module.resolve().parent == sanitized.folder.resolve()
    assert b"__asan_report_load" in module.read_bytes()
    done = run_python(sanitized.folder, BESIDE)
    assert done.returncode != 0
    assert "AddressSanitizer: heap-buffer-overflow" in done.stderr
