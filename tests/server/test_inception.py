"""The recommender for INCEpTION: predictions with scores, and accepted relations that bind."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import pytest
from cassis import Cas, TypeSystem, load_cas_from_xmi, load_dkpro_core_typesystem, load_typesystem
from server_cases import ask, client, two_models

import arbora
from arbora.dependency import ParseOptions
from arbora.server.app import make_app
from arbora.server.inception import SENTENCE, TOKEN
from arbora.server.limits import Limits
from arbora.server.queue import WorkQueue

CORE = "de.tudarmstadt.ukp.dkpro.core.api."
DEPENDENCY = CORE + "syntax.type.dependency.Dependency"
POS = CORE + "lexmorph.type.pos.POS"
SENTENCES = [["Größe", "zählt", "😀", "."], ["The", "old", "dog", "barks"]]


def types() -> TypeSystem:
    """Those of DKPro, with the features that INCEpTION adds for recommenders."""
    system = load_typesystem(load_dkpro_core_typesystem().to_xml())
    for layer, feature in ((DEPENDENCY, "DependencyType"), (POS, "PosValue")):
        own = system.get_type(layer)
        system.create_feature(own, f"{feature}_score", "uima.cas.Double")
        system.create_feature(own, "inception_internal_predicted", "uima.cas.Boolean")
    return system


def document(system: TypeSystem) -> tuple[Cas, list[list[Any]]]:
    cas = Cas(system)
    cas.sofa_string = "  ".join(" ".join(words) for words in SENTENCES)
    cas.sofa_mime = "text/plain"
    tokens: list[list[Any]] = []
    at = 0
    for words in SENTENCES:
        begin, own = at, []
        for word in words:
            own.append(system.get_type(TOKEN)(begin=at, end=at + len(word)))
            at += len(word) + 1
        cas.add_all([system.get_type(SENTENCE)(begin=begin, end=at - 1), *own])
        tokens.append(own)
        at += 1
    return cas, tokens


def request(cas: Cas, layer: str = DEPENDENCY, feature: str = "DependencyType") -> dict[str, Any]:
    return {
        "metadata": {"layer": layer, "feature": feature, "projectId": 1, "anchoringMode": "tokens"},
        "document": {"xmi": cas.to_xmi(), "documentId": 2, "userId": "me"},
        "typeSystem": cas.typesystem.to_xml(),
    }


def predictions(asked: dict[str, Any], path: str = "/inception/predict") -> list[Any]:
    response = ask("POST", path, json=asked)
    assert response.status_code == 200, response.text
    cas = load_cas_from_xmi(response.json()["document"], load_typesystem(asked["typeSystem"]))
    return [own for own in cas.select(asked["metadata"]["layer"]) if own.get("inception_internal_predicted")]


def place(token: Any) -> tuple[int, int]:
    return token.begin, token.end


@pytest.mark.parametrize("path", ["/inception/predict", "/inception/other/predict"])
def test_trees_come_as_relations_with_scores(path):
    cas, tokens = document(types())
    found = {place(own): own for own in predictions(request(cas), path)}
    parsed = arbora.load().annotate(SENTENCES, ParseOptions(probabilities=True))
    assert len(found) == sum(map(len, SENTENCES))
    for own, sentence in zip(tokens, parsed, strict=True):
        for token, word in zip(own, sentence, strict=True):
            relation = found[place(token)]
            head = own[word.head - 1] if word.head else token  # a loop is the root's arc
            assert place(relation.Governor) == place(head)
            assert place(relation.Dependent) == place(token)
            assert relation.DependencyType == word.deprel
            expected = word.probability * word.label_probability
            assert relation.DependencyType_score == pytest.approx(expected, abs=1e-9)


def test_accepted_relations_bind_and_are_not_predicted():
    system = types()
    cas, tokens = document(system)
    free = {place(own): own for own in predictions(request(cas))}
    the, old, dog, barks = tokens[1]
    assert place(free[place(the)].Governor) != place(old)
    assert place(free[place(barks)].Governor) == place(barks)
    accepted = [(old, the, "discourse"), (dog, dog, "root")]
    for head, word, label in accepted:
        cas.add(
            system.get_type(DEPENDENCY)(
                begin=word.begin, end=word.end, Governor=head, Dependent=word, DependencyType=label
            )
        )
    found = {place(own): own for own in predictions(request(cas))}
    assert len(found) == sum(map(len, SENTENCES)) - 2
    assert not {place(the), place(dog)} & set(found)
    assert all(place(own.Governor) != place(own.Dependent) for p, own in found.items() if p > place(the))


def test_accepted_relations_bind_where_they_cross():
    system = types()
    cas, tokens = document(system)
    the, old, dog, barks = tokens[1]
    for head, word in ((dog, the), (barks, old)):
        cas.add(
            system.get_type(DEPENDENCY)(
                begin=word.begin, end=word.end, Governor=head, Dependent=word, DependencyType="dep"
            )
        )
    found = {place(own): own for own in predictions(request(cas))}
    assert {place(token) for token in (dog, barks)} == {p for p in found if p >= place(the)}
    assert len(found) == sum(map(len, SENTENCES)) - 2


def test_accepted_relations_that_fit_no_tree_cost_the_sentence_its_predictions_alone():
    system = types()
    cas, tokens = document(system)
    the, old, *_ = tokens[1]
    for head, word in ((old, the), (the, old)):
        cas.add(
            system.get_type(DEPENDENCY)(
                begin=word.begin, end=word.end, Governor=head, Dependent=word, DependencyType="dep"
            )
        )
    found = {place(own) for own in predictions(request(cas))}
    assert found == {place(token) for token in tokens[0]}


def test_tags_are_predicted_too():
    cas, _ = document(types())
    found = predictions(request(cas, POS, "PosValue"))
    expected = [word.xpos for sentence in arbora.load().annotate(SENTENCES) for word in sentence]
    assert [own.PosValue for own in found] == expected


def test_training_is_taken_note_of():
    response = ask("POST", "/inception/train", json={"documents": []})
    assert (response.status_code, response.content) == (204, b"")


def test_training_waits_while_the_queue_is_full(monkeypatch):
    monkeypatch.setattr(WorkQueue, "_work", lambda queue: None)
    app = make_app(two_models(), Limits(waiting=1))

    async def when_full() -> httpx.Response:
        async with asyncio.timeout(60), client(app) as own:
            waiting = asyncio.ensure_future(own.post("/v1/parse", json={"text": "Dogs bark."}))
            while "arbora_queue_length 1.0" not in (await own.get("/metrics")).text:
                assert not waiting.done()
                await asyncio.sleep(0.01)  # else nobody else comes to work
            response = await own.post("/inception/train", json={})
            waiting.cancel()
            return response

    response = asyncio.run(when_full())
    assert (response.status_code, response.text) == (429, "The server is busy; try again later.")
    assert int(response.headers["retry-after"]) >= 1


def test_xml_is_utf_8_whatever_it_says():
    """In UTF-7, `+ADw-` is `<`: entities would be declared where no check sees them."""
    cas, _ = document(types())
    good = request(cas)
    hidden = (
        '<?xml version="1.0" encoding="UTF-7"?>+ADwAIQ-DOCTYPE x [+ADwAIQ-ENTITY a "DKPro Core"+AD4]+AD4-'
    )
    for encoding in ("UTF-7", "UTF-16", "latin-1", "utf-8-sig"):
        start = hidden.replace("UTF-7", encoding)
        for changed in (
            {"typeSystem": start + body(good["typeSystem"])},
            {"document": {"xmi": start + body(good["document"]["xmi"])}},
        ):
            response = ask("POST", "/inception/predict", json={**good, **changed})
            reason = "The document cannot be read: it declares an encoding other than UTF-8."
            assert (response.status_code, response.text) == (400, reason)
    for start in ('<?xml version="1.0" encoding="utf-8"?>', "<?xml version='1.0'?>", ""):
        plain = {
            "typeSystem": start + body(good["typeSystem"]),
            "document": {"xmi": start + body(good["document"]["xmi"])},
        }
        assert len(predictions({**good, **plain})) == sum(map(len, SENTENCES))
    undeclared = good["document"]["xmi"].replace("Gr", "&a;")
    response = ask("POST", "/inception/predict", json={**good, "document": {"xmi": undeclared}})
    assert (response.status_code, "Entity 'a' not defined" in response.text) == (400, True)


def body(xml: str) -> str:
    """XML without its first line, which names its encoding."""
    assert xml.startswith("<?xml")
    return xml.partition("?>")[2]


def test_what_cannot_be_used_is_refused():
    cas, _ = document(types())
    good = request(cas)
    laughs = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'
    for changed, reason in (
        ({"typeSystem": "<x"}, "The document cannot be read: XMLSyntaxError"),
        ({"document": {"xmi": "no"}}, "The document cannot be read: XMLSyntaxError"),
        ({"document": {"xmi": laughs + good["document"]["xmi"]}}, "The document cannot be read: it declares"),
        ({"metadata": {"layer": "no.Layer", "feature": "x"}}, "The document has no layer no.Layer."),
        ({"metadata": {"layer": TOKEN, "feature": "order"}}, "The parser has nothing to say of the feature"),
        ({"metadata": {}}, "Object missing required field `layer`"),
    ):
        response = ask("POST", "/inception/predict", json={**good, **changed})
        assert response.status_code == 400, response.text
        assert response.text.startswith(reason)
    assert ask("POST", "/inception/none/predict", json=good).status_code == 400
