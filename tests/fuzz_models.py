"""Model files that are changed at random: each is refused with one line when it is opened, or it runs.

    python tests/fuzz_models.py --count 40000

changes golden models in header, tensors and bytes, opens each and lets it parse. Whatever else happens (an
error when it parses, a crash, more than `SECONDS`, much memory, an answer that is none) is printed, with the
number of the file: ``--first NUMBER --count 1`` makes the same one again. With ``--keep FOLDER`` such files
are kept. `tests/sanitized_python.py` runs it under the address sanitizer.
"""

from __future__ import annotations

import argparse
import copy
import faulthandler
import importlib.util
import json
import math
import random
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

import arbora
import arbora.models.file as model_file
from arbora.errors import ArboraError
from arbora.models import read_model, write_model
from arbora.treebank import Sentence

GOLDEN = Path(__file__).resolve().parent / "golden"
FILES = sorted(GOLDEN.glob("*.arbora"))
SECONDS = 60
"""A file that takes longer hangs; most take a hundredth of a second."""
MEGABYTES = 1500
"""A file that takes so much more memory than any before it takes too much: all of them are small."""

Header = dict[str, Any]
Tensors = dict[str, np.ndarray]

NUMBERS = (0, -1, 1, 2, 3, 7, 255, 2**15, 2**31 - 1, 2**31, -(2**31), 2**63, 2**64, 10**30, 0.5, -0.0, 1e-300)
NUMBERS += (1e300, -2.5)
TEXTS = ("", " ", "_", "a\tb", "a\nb", "\r", "\0", "\ud800", "ΟΔΟΣ", "root", "x" * 1000, "tree", "bp", "inf")
OTHERS = (None, True, False, [], {}, [[]], [None], {"a": 1})


def make_golden() -> Any:
    """The module beside the golden models, which knows what they are asked."""
    spec = importlib.util.spec_from_file_location("make_golden", GOLDEN / "make_golden.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# ---- how files are changed ----


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """All that a header holds, as its container and the key there."""
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from places(value[key])


def change_header(rng: random.Random, header: Header) -> None:
    """Another value somewhere, or something missing, added, shortened or twice."""
    looked_at = {key: value for key, value in header.items() if key not in ("report", "card", "heaviest")}
    # Long lists of names would get nearly all changes: first one of the places above them.
    top = rng.choice(list(looked_at))
    found = [(header, top), *places({"": header[top]})]
    found = [(header if key == "" else own, top if key == "" else key) for own, key in found]
    own, key = rng.choice(found[: rng.choice((2, 10, len(found)))])
    kind = rng.randrange(6)
    if kind == 0:
        del own[key]
    elif kind == 1 and isinstance(own[key], list) and own[key]:
        del own[key][rng.randrange(len(own[key])) :]
    elif kind == 2 and isinstance(own, list):
        own.insert(rng.randrange(len(own) + 1), copy.deepcopy(own[key]))
    elif kind == 2:
        own[f"{key} too"] = copy.deepcopy(own[key])
    elif kind == 3 and type(own[key]) in (int, float):
        own[key] = rng.choice(
            (own[key] + 1, own[key] - 1, -own[key], 2 * own[key], own[key] / 2, own[key] * 1e6)
        )
    elif kind == 3 and isinstance(own[key], str) and own[key]:
        at = rng.randrange(len(own[key]))
        own[key] = own[key][:at] + rng.choice(TEXTS) + own[key][at + rng.randrange(2) :]
    else:
        own[key] = copy.deepcopy(rng.choice((*NUMBERS, *TEXTS, *OTHERS)))


def change_tensor(rng: random.Random, tensors: Tensors) -> None:
    """Other numbers, another shape or type, or one that is missing or twice."""
    name = rng.choice(sorted(tensors))
    tensor = tensors[name] = tensors[name].copy()
    flat = tensor.reshape(-1)
    kind = rng.randrange(7)
    if kind == 0:
        del tensors[name]
    elif kind == 1:
        tensors[name] = tensor[: rng.randrange(len(tensor) + 1)]
    elif kind == 2:
        tensors[name] = np.concatenate([tensor, tensor[: rng.randrange(1, 9)]])
    elif kind == 3:
        tensors[name] = flat.astype(rng.choice(["i1", "u2", "i2", "i4", "u4", "i8", "u8", "f4", "f8", "?"]))
    elif kind == 4:
        tensors[name] = tensor.reshape(rng.choice([(1, -1), (-1, 1), (-1,)]))
    elif kind == 5 and flat.size:
        raw = flat.view(np.uint8)
        for _ in range(rng.choice((1, 3, 100))):
            raw[rng.randrange(raw.size)] = rng.randrange(256)
    elif flat.size:
        wanted = (
            [math.nan, math.inf, -math.inf, -1.0, 1e30] if tensor.dtype.kind == "f" else [0, -1, 1, 2**62]
        )
        with np.errstate(all="ignore"):
            values = np.array(rng.choice(wanted)).astype(tensor.dtype)
        flat[rng.choice((slice(None), slice(rng.randrange(flat.size), None), rng.randrange(flat.size)))] = (
            values
        )


def change_bytes(rng: random.Random, path: Path) -> None:
    """The file itself is damaged: cut off, or with other bytes somewhere."""
    raw = bytearray(path.read_bytes())
    if rng.randrange(2):
        del raw[rng.randrange(len(raw)) :]
    else:
        for _ in range(rng.choice((1, 10))):
            raw[rng.randrange(min(rng.choice((16, 2000, len(raw))), len(raw)))] = rng.randrange(256)
    path.write_bytes(raw)


def changed_file(number: int, path: Path) -> str:
    """Write the changed file of this number; returns the name of the golden model that it was."""
    rng = random.Random(number)
    source = FILES[number % len(FILES)]
    model = read_model(source)
    header, tensors = copy.deepcopy(model.header), dict(model.tensors)
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        if tensors and rng.randrange(3) == 0:
            change_tensor(rng, tensors)
        else:
            change_header(rng, header)
    header["architecture"] = (
        header["architecture"] if isinstance(header.get("architecture"), str) else "tagger"
    )
    header.pop("checksums", None)
    write_model(path, header, tensors)
    if rng.randrange(20) == 0:
        change_bytes(rng, path)
    return source.name.partition(".")[0]


# ---- what becomes of them ----


def check_answer(answer: Any) -> None:
    """That it could be written: texts that files can hold, numbers that are some, heads that make trees."""
    if isinstance(answer, dict) and "forms" in answer and "heads" in answer:
        columns = {
            name: answer[name] for name in ("forms", "lemmas", "upos", "xpos", "feats", "heads", "deprels")
        }
        Sentence(**columns).to_conllu()
        for text in (text for name, column in columns.items() if name != "heads" for text in column):
            assert text, "an empty column"
            assert not set(text) & set("\t\r\n"), f"{text!r} in a column"
    if isinstance(answer, dict | list | tuple):
        for value in answer.values() if isinstance(answer, dict) else answer:
            check_answer(value)
    elif isinstance(answer, float):
        assert not math.isnan(answer), "nan"


def outcome_of(number: int, path: Path, ask: Callable[[str, Any], Any]) -> str:
    """``refused`` or ``runs``; otherwise what is wrong."""
    name = changed_file(number, path)
    try:
        model = arbora.load(path)
    except ArboraError as error:
        return "refused" if "\n" not in str(error) else f"more than a line: {error}"
    except Exception as error:
        return f"load: {type(error).__name__}: {error}"
    try:
        check_answer(ask(name, model))
    except Exception as error:  # whatever is wrong with a file is to be found when it is opened
        return f"parse: {type(error).__name__}: {error}"
    return "runs"


def apart(tensors: Callable[..., Tensors]) -> Callable[..., Tensors]:
    """The same with each tensor in memory of its own.

    In a file they lie side by side, and what is read beside one is the next, which no sanitizer minds.
    """
    return lambda *of: {name: tensor.copy() for name, tensor in tensors(*of).items()}


def run(first: int, count: int, keep: Path | None = None) -> dict[str, int]:
    """Outcomes of files by their number; prints those that are wrong, and every file that is begun."""
    golden = make_golden()
    counts: dict[str, int] = {}

    def ask(name: str, model: Any) -> Any:
        if name == "pipeline" and "heads" not in model.adds:  # there are such, and nothing is wrong with them
            return [sentence.to_conllu() for sentence in model(golden.TEXT).sentences]
        return json.loads(json.dumps(golden.MODELS[name][1](model)))

    for source in FILES:  # all would be refused that are changed
        check_answer(ask(source.name.partition(".")[0], arbora.load(source)))
    with (
        mock.patch.object(model_file, "_tensors", apart(model_file._tensors)),
        tempfile.TemporaryDirectory() as folder,
    ):
        path = Path(folder) / "changed.arbora"
        for number in range(first, first + count):
            print(f"begin {number}", flush=True)
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            faulthandler.dump_traceback_later(SECONDS, exit=True)
            found = outcome_of(number, path, ask)
            faulthandler.cancel_dump_traceback_later()
            if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before > MEGABYTES * 1024:
                found = "takes too much memory"
            if found not in ("refused", "runs"):
                print(f"WRONG {number}: {found}", flush=True)
                if keep is not None:
                    keep.mkdir(exist_ok=True)
                    path.replace(keep / f"{number}.arbora")
                found = "wrong"
            counts[found] = counts.get(found, 0) + 1
    print(f"counts {json.dumps(counts)}", flush=True)
    return counts


def last_words(errors: str) -> str:
    """Why a process ended: a sanitizer's report has that at its beginning, a traceback at its end."""
    report = re.search("ERROR: |runtime error: ", errors)
    return errors[report.start() :][:3000] if report else errors[-3000:]


def supervise(first: int, count: int, arguments: list[str]) -> dict[str, int]:
    """The same in processes of their own, lest a crash end it all."""
    totals: dict[str, int] = {}
    at, end = first, first + count
    while at < end:
        upto = min(end, at + 1000)
        command = [
            sys.executable,
            __file__,
            "--alone",
            "--first",
            str(at),
            "--count",
            str(upto - at),
            *arguments,
        ]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        lines = done.stdout.splitlines()
        for line in lines:
            if line.startswith("WRONG"):
                print(line, flush=True)
        begun = [int(line.split()[1]) for line in lines if line.startswith("begin")]
        last = (
            json.loads(lines[-1].removeprefix("counts "))
            if lines and lines[-1].startswith("counts")
            else None
        )
        if last is None:
            reached = begun[-1] if begun else at
            print(
                f"WRONG {reached}: the process ended with {done.returncode}\n{last_words(done.stderr)}",
                flush=True,
            )
            wrong = sum(line.startswith("WRONG") for line in lines)
            last = {"wrong": wrong + 1, "before a crash": reached - at - wrong}
            at = reached + 1
        else:
            at = upto
        for name, value in last.items():
            totals[name] = totals.get(name, 0) + value
        print(f"{at - first} files: {totals}", flush=True)
    return totals


def main() -> None:
    """From the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--alone", action="store_true", help="in this process: a crash ends it all")
    options = parser.parse_args()
    if options.alone:
        found = run(options.first, options.count, options.keep)
    else:
        found = supervise(options.first, options.count, ["--keep", str(options.keep)] if options.keep else [])
    sys.exit(1 if found.get("wrong") else 0)


if __name__ == "__main__":
    main()
