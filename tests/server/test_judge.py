"""Judgements over HTTP are those of `arbora.evaluation.judge`."""

from __future__ import annotations

import pytest
from server_cases import ask

import arbora
from arbora.dependency import Rules
from arbora.evaluation import judge
from arbora.treebank import Sentence

GOOD = Sentence(
    ["Dogs", "bark", "loudly"],
    upos=["NOUN", "VERB", "ADV"],
    heads=[2, 0, 2],
    deprels=["nsubj", "root", "advmod"],
)
ODD = Sentence(["Dogs", "bark", "loudly"], heads=[3, 3, 0], deprels=["nsubj", "_", "root"])
PARTIAL = Sentence(["Dogs", "bark", "loudly"], heads=[2, None, None])
RULES = "root is upos=VERB"


@pytest.mark.parametrize("way", ["conllu", "sentences"])
def test_judgements(way):
    own = [GOOD, ODD, PARTIAL]
    asked = {
        "conllu": {"conllu": "".join(sentence.to_conllu() for sentence in own)},
        "sentences": {"sentences": [{"conllu": sentence.to_conllu()} for sentence in own]},
    }[way]
    response = ask("POST", "/v1/judge", json={**asked, "rules": RULES, "alternatives": 0.05})
    assert response.status_code == 200, response.text
    expected = judge(own, arbora.load(), alternatives=0.05, rules=Rules.parse(RULES))
    assert response.json() == {
        "model": "english-ewt-ud",
        "sentences": [judgement.to_dict() for judgement in expected],
    }
    first, second, third = response.json()["sentences"]
    assert (first["disagreements"], first["broken_rules"]) == (0, [])
    assert second["expected_errors"] > first["expected_errors"]
    assert second["broken_rules"][0]["word"] == 3
    assert third["tree_log_probability"] is None


def test_the_sentence_to_blame_is_named_by_its_place_in_the_request():
    sentences = [
        {"conllu": own} for own in (GOOD.to_conllu(), PARTIAL.to_conllu(), "1\tno row\n", ODD.to_conllu())
    ]
    response = ask("POST", "/v1/judge", json={"sentences": sentences, "rules": RULES})
    assert (response.status_code, response.json()["sentence"]) == (400, 2)
    response = ask("POST", "/v1/judge", json={"sentences": sentences[:2], "rules": "root is"})
    assert response.status_code == 400
    assert "sentence" not in response.json()
    assert response.json()["error"].startswith("rules:1: ")


def test_rules_can_be_checked_without_sentences():
    response = ask("POST", "/v1/judge", json={"sentences": [], "rules": RULES})
    assert (response.status_code, response.json()["sentences"]) == (200, [])


def test_what_is_wrong_is_named():
    for asked in ({}, {"conllu": "", "sentences": []}, {"text": "x"}):
        assert ask("POST", "/v1/judge", json=asked).status_code == 400
