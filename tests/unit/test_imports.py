"""Imports go one way: from the rooms near the user down to the rooms near the data, never back."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

import pytest

ROOT = Path(__file__).resolve().parents[2]

PYTHON_ORDER = [
    ["executors"],
    ["treebank", "draw"],
    ["features", "models", "evaluation"],
    ["constraints"],
    ["trees", "inference", "factors"],
    ["graphs"],
    ["learning"],
    ["training"],
    ["dependency", "constituency", "generative", "text", "neural"],
    ["pipeline"],
    ["bulk", "server"],
    ["experiments", "benchmarks", "cli"],
]
FREE = {"errors", "_core"}  # open to every room

CORE_ORDER = [
    ["support"],
    ["semirings"],
    ["trees", "charts", "treebank"],
    ["linear", "factors"],
    ["tokenizing", "encoders"],
    ["solvers"],
    ["parts"],
    ["parsing", "tagging"],
    ["isbn", "spans", "neural"],
    ["bindings"],
    ["tests"],
]


def levels(order: list[list[str]]) -> dict[str, int]:
    return {room: level for level, rooms in enumerate(order) for room in rooms}


def imported_rooms(source: str, package: list[str]) -> Iterator[tuple[int, str]]:
    """Line and room of every import of ours, at any depth; ``arbora.room`` in an expression counts too.

    ``package`` is where the source lives, such as ["arbora", "cli"]: relative imports start there.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            base = base + (node.module.split(".") if node.module else [])
            names = [[*base, alias.name] for alias in node.names]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names = [[node.value.id, node.attr]]
        else:
            continue
        yield from ((node.lineno, name[1]) for name in names if name[0] == "arbora" and len(name) > 1)


def python_violations(source: str, path: str) -> list[str]:
    """What a file may not import, as ``file:line: reason``; ``path`` is relative to ``src``."""
    parts = PurePosixPath(path).with_suffix("").parts
    room, level = parts[1], levels(PYTHON_ORDER)
    if room == "__init__" or room in FREE:  # the facade sees all rooms; the errors are checked below
        return []
    return [
        f"{path}:{line}: {room} may not import {other}"
        for line, other in imported_rooms(source, list(parts[:-1]))
        if level.get(other, -1) > level[room]
    ]


def core_violations(source: str, path: str) -> list[str]:
    """What a file of the core may not include; ``path`` is relative to ``cpp``."""
    room, level = PurePosixPath(path).parts[0], levels(CORE_ORDER)
    found = []
    for line, text in enumerate(source.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', text)
        if not match:
            continue
        parts = [part for part in PurePosixPath(match[2]).parts if part != ".."]
        other = parts[0] if len(parts) > 1 and match[1] == '"' else room
        if level.get(other, -1) > level[room]:
            found.append(f"{path}:{line}: {room} may not include {other}")
        if room != "bindings" and re.match(r"(Python\.h|nanobind/|pybind11/|numpy/)", match[2]):
            found.append(f"{path}:{line}: only bindings may know Python")
    return found


def python_files() -> list[str]:
    return sorted(str(path.relative_to(ROOT / "src")) for path in (ROOT / "src/arbora").rglob("*.py"))


def core_files() -> list[str]:
    return sorted(str(path.relative_to(ROOT / "cpp")) for path in (ROOT / "cpp").rglob("*.[ch]pp"))


def test_python_imports_go_one_way():
    files = python_files()
    assert "arbora/trees.py" in files
    found = [
        line for file in files for line in python_violations((ROOT / "src" / file).read_text("utf-8"), file)
    ]
    assert not found, "\n".join(found)


def test_core_includes_go_one_way():
    files = core_files()
    assert "bindings/module.cpp" in files
    found = [
        line for file in files for line in core_violations((ROOT / "cpp" / file).read_text("utf-8"), file)
    ]
    assert not found, "\n".join(found)


def test_every_room_has_a_level():
    """A new room must be given its place in the order before anything is put into it."""
    rooms = {PurePosixPath(file).with_suffix("").parts[1] for file in python_files()} - {
        "__init__",
        "__main__",
    }
    assert rooms <= set(levels(PYTHON_ORDER)) | FREE
    assert {PurePosixPath(file).parts[0] for file in core_files()} <= set(levels(CORE_ORDER))


def test_errors_import_nothing_of_ours():
    source = (ROOT / "src/arbora/errors.py").read_text("utf-8")
    assert not list(imported_rooms(source, ["arbora"]))


@pytest.mark.parametrize(
    "line",
    [
        "import arbora.cli",
        "import numpy, arbora.cli.bench as b",
        "from arbora import errors, cli",
        "from arbora.cli import bench",
        "from arbora.cli.bench import bench",
        "from ..cli import bench",
        "from .. import cli",
        "def f():\n    from arbora.cli import bench",
        "import arbora\narbora.cli.main()",
        "if TYPE_CHECKING:\n    from arbora.dependency import DependencyParser",
    ],
)
def test_the_checker_sees_a_wrong_import(line):
    assert len(python_violations("import os\n" + line, "arbora/treebank/reader.py")) == 1


def test_the_checker_names_file_and_line():
    found = python_violations(
        "import os\n\nfrom arbora.graphs import FactorGraph\n", "arbora/features/atoms.py"
    )
    assert found == ["arbora/features/atoms.py:3: features may not import graphs"]


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("from arbora.treebank import Sentence", "arbora/trees.py"),
        ("from arbora import _core\nfrom arbora.errors import ArboraError", "arbora/treebank/reader.py"),
        ("from .sentence import Sentence", "arbora/treebank/reader.py"),
        ("from arbora import trees, evaluation", "arbora/cli/parse.py"),
        ("from arbora import __version__\nimport arbora", "arbora/treebank/reader.py"),
        ("import numpy as np\nfrom pathlib import Path", "arbora/treebank/reader.py"),
        ("from arbora.factors import Factor", "arbora/trees.py"),  # neighbours
    ],
)
def test_the_checker_lets_right_imports_pass(line, path):
    assert python_violations(line, path) == []


def test_the_checker_sees_wrong_includes():
    source = '#pragma once\n#include <vector>\n#include "solvers/bp.hpp"\n  # include <nanobind/nanobind.h>\n'
    assert core_violations(source, "trees/mst.hpp") == [
        "trees/mst.hpp:3: trees may not include solvers",
        "trees/mst.hpp:4: only bindings may know Python",
    ]
    assert core_violations('#include "../bindings/bindings.hpp"', "factors/tree.hpp")
    assert core_violations('#include "trees/mst.hpp"', "support/random.hpp")


def test_the_checker_lets_right_includes_pass():
    source = '#include "support/random.hpp"\n#include "scores.hpp"\n#include <trees/unrelated.h>\n'
    assert core_violations(source, "trees/mst.hpp") == []
    assert core_violations("#include <nanobind/nanobind.h>", "bindings/trees.cpp") == []
