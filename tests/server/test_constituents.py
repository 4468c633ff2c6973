"""Models of constituents over HTTP: what they find is told, and what they cannot find is refused."""

from __future__ import annotations

from typing import Any

import pytest
import small_constituency
from server_cases import ask

import arbora
from arbora.server.app import make_app
from arbora.server.models import ServedModel, ServedModels

SENTENCES = [{"words": [{"form": form} for form in ("Dogs", "bark", "now")]}]


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A server of a model of constituents alone, which gets words and tags from the one that ships."""
    small_constituency.register(monkeypatch)
    phrases = ServedModel("phrases", small_constituency.make_parser())
    return make_app(ServedModels([phrases, ServedModel("both", arbora.load())]))


def test_constituents_come_as_json(app):
    for asked in ({"sentences": SENTENCES}, {"text": "Dogs bark now"}):
        response = ask("POST", "/v1/parse", app=app, json={**asked, "probabilities": True, "keep_tags": True})
        assert response.status_code == 200, response.text
        found = response.json()["sentences"][0]
        spans = [(own["label"], own["start"], own["end"]) for own in found["constituents"]]
        assert spans == [("S", 0, 3), ("VP", 1, 3), ("VP", 2, 3)]
        assert [own["probability"] for own in found["constituents"]] == [1, 1 / 2, 1 / 3]
        assert [word["head"] for word in found["words"]] == [None] * 3
        assert "_" not in [word["xpos"] for word in found["words"]]


@pytest.mark.parametrize(
    ("asked", "what"),
    [
        ({"constraints": [{"roots": [1]}]}, "constraints"),
        ({"constraints_from_input": True}, "constraints_from_input"),
        ({"alternatives": 0.1}, "alternatives"),
        ({"kbest": 2}, "kbest"),
        ({"rules": "root is upos=VERB"}, "rules"),
        ({"options": {"projective": False}}, "options.projective"),
        ({"options": {"certificates": True}}, "options.certificates"),
    ],
)
def test_what_goes_with_dependencies_is_refused(app, asked, what):
    response = ask("POST", "/v1/parse", app=app, json={"sentences": SENTENCES, **asked})
    assert response.status_code == 400
    reason = f"{what} goes with dependencies, and the model 'phrases' finds constituents."
    assert response.json() == {"error": reason}


def test_udpipes_clients_are_told_that_it_has_no_parser(app):
    listed = ask("GET", "/models", app=app).json()["models"]
    assert listed == {"phrases": ["tokenizer", "tagger"], "both": ["tokenizer", "tagger", "parser"]}
    fields = {"data": "Dogs bark.", "tokenizer": "", "tagger": ""}
    tagged = ask("POST", "/process", app=app, data=fields)
    assert tagged.status_code == 200
    assert "\tNOUN\t" in tagged.json()["result"]
    parsed = ask("POST", "/process", app=app, data={**fields, "parser": ""})
    assert (parsed.status_code, parsed.text) == (400, "The model 'phrases' has no parser.")
