"""The recipes of docs/bulk.md for other programs, as they stand there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import arbora

PAGE = Path(__file__).resolve().parents[2] / "docs" / "bulk.md"
TEXTS = [f"Paragraph {number} has a dog. It barks." for number in range(12)]
BEFORE = f"""
from datasets import Dataset

dataset = Dataset.from_dict({{"text": {TEXTS!r}}})
"""
AFTER = """
import json
import dill

found = {name: parsed[name][:] for name in ("text", "conllu")}
print(json.dumps({**found, "pickled": len(dill.dumps(parse))}))
"""


def recipe(word: str) -> str:
    """The one block of Python on the page that has this word."""
    blocks = PAGE.read_text("utf-8").split("```python\n")[1:]
    (found,) = [block.split("```")[0] for block in blocks if word in block.split("```")[0]]
    return found


def test_datasets(tmp_path):
    """By two processes, to which the pipeline goes by the path and the hash of its model."""
    script = tmp_path / "script.py"
    script.write_text(BEFORE + recipe("num_proc=2") + AFTER, "utf-8")
    offline = {**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, env=offline, timeout=120
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["text"] == TEXTS
    assert found["conllu"] == [document.to_conllu() for document in arbora.load().pipe(TEXTS)]
    assert found["pickled"] < 2000  # weights have millions


def test_the_function_of_spark():
    """What a partition does; Spark itself is not there."""
    names: dict[str, object] = {}
    exec(recipe("mapPartitions").split("parsed =")[0], names)
    parse_partition = names["parse_partition"]
    row = namedtuple("row", ["id", "text"])
    rows = (row(str(number), text) for number, text in enumerate(TEXTS))
    expected = [(str(n), document.to_conllu()) for n, document in enumerate(arbora.load().pipe(TEXTS))]
    assert list(parse_partition(rows)) == expected
    assert list(parse_partition(iter(()))) == []
