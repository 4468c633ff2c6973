"""The command in this process: what ``arbora`` does, without the time that Python takes to start.

Tests of options and of help are many, and each is over in a moment; those of pipes and signals run the
installed command itself, and `tests/cli/test_main.py` begins every command in a process of its own.
"""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
from unittest import mock

from arbora.cli import main


def run_here(*arguments: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run ``arbora`` with these arguments; gives what `subprocess.run` would."""
    out, errors = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.StringIO()
    words = ["arbora", *map(str, arguments)]
    source = io.TextIOWrapper(io.BytesIO(stdin.encode()), "utf-8")
    code = 0
    with (
        mock.patch.object(sys, "argv", words),
        mock.patch.object(sys, "stdin", source),
        mock.patch.object(sys, "__stdout__", out),  # no terminal, wherever the tests run
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(errors),
    ):
        try:
            main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else int(end.code is not None)
    out.flush()
    written = out.detach()
    assert isinstance(written, io.BytesIO)
    return subprocess.CompletedProcess(words, code, written.getvalue().decode(), errors.getvalue())
