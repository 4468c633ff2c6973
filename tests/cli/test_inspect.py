"""``arbora inspect``."""

from __future__ import annotations

import json
import os
import subprocess
from unittest import mock

import numpy as np
import pytest
from command import run_here

from arbora.models import FORMAT_VERSION, compact, read_model, write_model
from arbora.pipeline.shipped import find_model

HEADER = {
    "architecture": "dependency-parser",
    "preset": "first-order",
    "arbora": "0.1.0",
    "labels": ["nsubj", "obj"],
    "templates": "head.form & modifier.upos",
    "options": {"rate": 0.5, "loss": "hinge"},
    "report": {
        "epochs": [
            {"epoch": 1, "loss": 0.51234, "uas": 0.81, "las": 0.7, "seconds": 12.5},
            {"epoch": 2, "loss": 0.4, "uas": 0.85, "las": 0.75, "seconds": 12.25, "rate": 0.25},
        ],
        "sentences": 12543,
    },
    "heaviest": [{"section": "arc", "template": "head.form [bold] & distance", "mass": 0.1234}],
    "licence": "CC BY-SA 4.0",
}
WEIGHTS = np.array([0, -2.5, 1, 0] * 100, np.float32)


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    with mock.patch.dict(os.environ, COLUMNS="140"):
        return run_here("inspect", *arguments)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "m.model"
    write_model(path, HEADER, {"weights": WEIGHTS})
    return path


def cells(text: str) -> list[list[str]]:
    """The cells of every row of every table."""
    lines = text.replace("┃", "│").splitlines()
    return [[cell.strip() for cell in line.split("│")[1:-1]] for line in lines if "│" in line]


def test_tables(path):
    done = run(path)
    assert (done.returncode, done.stderr) == (0, "")
    rows = cells(done.stdout)
    for row in (
        ["architecture", "dependency-parser"],
        ["preset", "first-order"],
        ["format version", str(FORMAT_VERSION)],
        ["written by arbora", "0.1.0"],
        ["labels", "2"],
        ["options", "loss=hinge, rate=0.5"],
        ["licence of the data", "CC BY-SA 4.0"],
        ["training: sentences", "12543"],
        ["file size", f"{path.stat().st_size:,} bytes"],
        ["compact", "no"],
        ["epoch", "loss", "uas", "las", "seconds", "rate"],
        ["1", "0.51234", "0.81", "0.7", "12.5", ""],
        ["2", "0.4", "0.85", "0.75", "12.25", "0.25"],
        ["section", "template", "mass"],
        ["arc", "head.form [bold] & distance", "12.34 %"],
        ["weights", "float32", "400", "1,600", "50.0 %", "2.5"],
    ):
        assert row in rows, done.stdout


def test_the_shipped_model_by_its_name():
    done = run("en")
    assert (done.returncode, done.stderr) == (0, "")
    model = find_model("en")
    header = read_model(model).header
    shown = " ".join(" ".join(done.stdout.replace("│", " ").split()).split())
    card = header["card"]
    for value in (card["data"], card["licence"], f"LAS={card['scores']['raw_text']['LAS']:.5g}"):
        assert value in shown
    tables = [line.strip() for line in done.stdout.splitlines()]
    for own in header["components"]:
        assert own["name"] in tables  # the title of its table
        for name, value in own["options"].items():
            if isinstance(value, int | str):
                assert f"{name}={value}" in shown, own["name"]
    assert shown.count(f"licence of the data {card['licence']}") == len(header["components"])
    assert "not given" not in shown
    assert json.loads(run("en", "--json").stdout)["file"] == model


def test_a_model_that_is_not_there():
    done = run("xx")
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        done.stderr
        == "arbora: xx: there is no such file, and the models that come with Arbora are en, en-neural\n"
    )


def test_no_licence(path):
    write_model(path, {**HEADER, "licence": ""}, {})
    assert ["licence of the data", "not given"] in cells(run(path).stdout)
    write_model(path, {name: value for name, value in HEADER.items() if name != "licence"}, {})
    assert "licence of the data" not in run(path).stdout


def test_json(path):
    done = run(path, "--json")
    facts = json.loads(done.stdout)
    assert facts["header"] == {**HEADER, "version": FORMAT_VERSION}
    assert facts["compact"] is False
    assert facts["tensors"][0]["greatest"] == 2.5


def test_compact_weights(path):
    write_model(path, HEADER, compact(WEIGHTS, keep=1))
    rows = cells(run(path).stdout)
    assert ["compact", "yes"] in rows
    assert ["weights, expanded", "float32", "400", "1,600", "50.0 %", "2.5"] in rows


@pytest.mark.parametrize(
    "header",
    [
        {"architecture": "tagger"},
        {
            "architecture": "x",
            "labels": 3,
            "options": [1],
            "report": 4,
            "heaviest": {"a": 1},
            "licence": None,
        },
        {
            "architecture": "x",
            "report": {"epochs": [1, {}, {"a": [1, {"b": None}]}]},
            "heaviest": [{"mass": "x"}],
        },
        {"architecture": "\x1b[31m\n\ud800", "labels": [], "report": {"epochs": []}, "heaviest": []},
    ],
)
def test_other_headers(path, header):
    write_model(path, header, {})
    done = run(path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "\x1b" not in done.stdout
    assert json.loads(run(path, "--json").stdout)["header"] == {**header, "version": FORMAT_VERSION}


def test_no_model(tmp_path):
    path = tmp_path / "no.model"
    path.write_text("1\tJa\t_\t_\t_\t_\t0\troot\t_\t_\n\n", "utf-8")
    done = run(path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "this is not an Arbora model" in done.stderr
    assert done.stderr.count("\n") == 1
