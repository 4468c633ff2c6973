"""What must hold before a run begins, or goes on."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

import arbora
from arbora.bulk.inputs import RECORDS, Input
from arbora.bulk.jobs import Job
from arbora.bulk.lines import NAME
from arbora.bulk.options import BulkOptions
from arbora.bulk.parquet import pyarrow
from arbora.errors import ArboraError, FileError
from arbora.models import read_model
from arbora.pipeline.shipped import existing_model, open_pipeline


def make_job(model: str, folder: str, kind: str, options: BulkOptions) -> Job:
    """What workers are told; ArboraError if the model or an option does not go with this kind of input."""
    if kind != "conllu" and (options.keep_tags or options.parsing.constraints):
        name = "--keep-tags" if options.keep_tags else "--constraints"
        raise ArboraError(f"{name} is for conllu, where tags and heads are given; this is {kind}")
    if kind not in RECORDS and (options.field != BulkOptions().field or options.id_field is not None):
        name = "--id-field" if options.id_field is not None else "--field"
        raise ArboraError(f"{name} is for jsonl and parquet, whose records have fields; this is {kind}")
    path = existing_model(model)
    pipeline = open_pipeline(path)
    if not {"heads", "constituents"} & set(pipeline.adds):
        raise FileError(
            f"this model adds {', '.join(pipeline.adds)}, and no trees: give one that parses", file=path
        )
    if kind != "conllu" and "words" not in pipeline.adds:
        raise FileError(
            "this model has no tokenizer, so it reads no raw text: give conllu, or a model of `arbora train "
            "pipeline`, such as en",
            file=path,
        )
    if "parquet" in (kind, options.format):
        pyarrow()
    return Job(
        folder,
        os.path.abspath(path),
        read_model(path).digest,
        kind,
        options.format,
        replace(options.parsing, threads=1),
        options.field,
        options.id_field,
        options.keep_tags,
        options.strict,
    )


def settings_of(job: Job, inputs: Sequence[Input], options: BulkOptions) -> dict[str, Any]:
    """What the manifest says of the whole run."""
    return {
        "arbora": arbora.__version__,
        "model": job.model,
        "model_digest": job.model_digest,
        "kind_of_input": job.kind,
        "inputs": [asdict(one) for one in inputs],
        "options": options.as_dict(),
    }


def check_folder(folder: str) -> None:
    """FileError if a run would get among other things."""
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise FileError("the output of a bulk run is a folder, and this is a file", file=folder)
    if os.path.isdir(folder) and not os.path.exists(os.path.join(folder, NAME)):
        others = [
            name for name in os.listdir(folder) if not name.startswith(".lock") and not name.endswith(".part")
        ]
        if others:
            raise FileError(
                f"this folder is not empty ({sorted(others)[0]}) and has no manifest.jsonl: give another one",
                file=folder,
            )


def check_same(folder: str, old: dict[str, Any], new: dict[str, Any]) -> None:
    """ArboraError if a run was begun with something else than what it is gone on with."""
    if old["model_digest"] != new["model_digest"]:
        raise ArboraError(
            f"{folder} was begun with another model ({old['model']}, SHA-256 {old['model_digest'][:12]}): "
            "give that one, or another folder"
        )
    for name, value in new["options"].items():
        before = old["options"].get(name)
        if before != value:
            raise ArboraError(
                f"{folder} was begun with other options ({name.replace('_', ' ')} was {before}, not "
                f"{value}): give the same ones, or another folder"
            )
    changed = [one for one in new["inputs"] if one not in old["inputs"]]
    missing = [one for one in old["inputs"] if one not in new["inputs"]]
    if changed or missing or old["inputs"] != new["inputs"]:
        example = (changed or missing or new["inputs"])[0]["path"]
        raise ArboraError(
            f"{folder} was begun with other inputs (now new, gone, changed or elsewhere in their order: "
            f"{example}): give the same ones, or another folder"
        )
