"""Python under the address and undefined-behaviour sanitizers: what the core reads beside an array ends it.

    cmake -S . -B build/sanitized -G Ninja -DARBORA_SANITIZED=ON \\
        -Dnanobind_DIR="$(python -m nanobind --cmake_dir)" && ninja -C build/sanitized
    python tests/sanitized_python.py build/sanitized tests/fuzz_models.py --count 40000

runs a program with the installed package, but with the module of that build.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

OPTIONS = {
    "detect_leaks": 0,  # Python itself frees little at its end
    "allocator_may_return_null": 1,  # too much memory is an error, as it is elsewhere
    "malloc_context_size": 1,
    "quarantine_size_mb": 64,  # what is freed is watched for a while, and counts as memory that is taken
}


def make_package(build: Path) -> Path:
    """A folder to import from: the installed package, and the module of the build in its place."""
    found = find_spec("arbora")
    assert found is not None
    assert found.origin is not None
    folder = Path(tempfile.mkdtemp(prefix="package.", dir=build))
    package = folder / "arbora"
    package.mkdir()
    (module,) = build.glob("_core.*.so")
    own = (path for path in Path(found.origin).parent.iterdir() if path.suffix not in (".so", ".pyi"))
    for path in (*own, module):
        if path.name != "__pycache__":
            (package / path.name).symlink_to(path.resolve())
    return folder


def libraries(build: Path) -> str:
    """What must be loaded before Python: the sanitizer, and the library whose exceptions it looks at."""
    compiler = re.search("^CMAKE_CXX_COMPILER:.*=(.*)", (build / "CMakeCache.txt").read_text("utf-8"), re.M)
    assert compiler is not None
    names = ("libasan.so", "libstdc++.so")
    commands = ([compiler[1], f"-print-file-name={name}"] for name in names)
    return " ".join(subprocess.check_output(command, text=True).strip() for command in commands)


def environment(build: Path) -> dict[str, str]:
    """The variables under which Python imports the module of a build."""
    return {
        **os.environ,
        "PYTHONPATH": str(make_package(build)),
        # The sanitizer sees where each object of Python ends; without, all takes half the time.
        "PYTHONMALLOC": os.environ.get("PYTHONMALLOC", "malloc"),
        "LD_PRELOAD": libraries(build),
        "ASAN_OPTIONS": ":".join(f"{name}={value}" for name, value in OPTIONS.items()),
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }


if __name__ == "__main__":
    os.execve(sys.executable, [sys.executable, *sys.argv[2:]], environment(Path(sys.argv[1]).resolve()))
