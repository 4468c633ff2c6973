"""``arbora serve``: what it refuses, in a line; what it answers is tested in tests/server."""

from __future__ import annotations

import sys
from unittest import mock

import pytest
from command import run_here

from arbora.benchmarks import serve as bench


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--model", "none.arbora"], "none.arbora: there is no such file, and the models that come with"),
        (["-m", "en", "-m", "en"], "two models are named en: say NAME=FILE for one of them"),
        (["--seconds", "0"], "the limit seconds must be greater than 0"),
        (["--body", "8", "--held", "4"], "the limit held must be at least the limit body"),
        (["--treebank", "none.conllu"], "none.conllu: No such file or directory"),
        (["--host", "no such host"], "no such host: "),
    ],
)
def test_what_cannot_be_served_is_one_line(options, reason):
    done = run_here("serve", "--port", "0", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"arbora: {reason}")
    assert done.stderr.count("\n") == 1


def test_without_the_extra_it_says_what_to_install():
    with mock.patch.dict(sys.modules, {"arbora.server.app": None, "starlette": None}):
        done = run_here("serve")
    assert done.returncode == 2
    assert done.stderr.endswith("pip install 'arbora[server]'\n")


def test_the_benchmark_measures_a_server(monkeypatch):
    for name, value in (("SECONDS", 0.1), ("ROUNDS", 1), ("SHORT_REQUESTS", 5), ("OVERLOAD", 2)):
        monkeypatch.setattr(bench, name, value)
    found = bench.measure("examples/treebank/en.conllu")
    assert found["ratio"] > 0
    assert found["answers"]["32 clients"].keys() == {"200"}
    assert len(bench.table(found)) == 3
