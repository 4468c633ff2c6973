"""An external recommender for INCEpTION: documents come as CAS in XMI, and go back with predictions.

Relations that annotators have accepted are constraints: the rest of the tree is the best that goes with them.
It needs ``pip install "arbora[inception]"``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arbora.dependency import ParseOptions
from arbora.dependency.output import HEAD_PROBABILITY, LABEL_PROBABILITY
from arbora.server.crossing import bound_steps
from arbora.server.json_api import answer, check_json, read_json
from arbora.server.limits import Limits, RequestError
from arbora.server.models import ServedModel
from arbora.server.queue import Task
from arbora.server.service import Service, check_lengths
from arbora.treebank import Sentence
from arbora.treebank.batches import make_batch, refusal_of, to_sentences
from arbora.treebank.sentence import UNKNOWN

SENTENCE = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Sentence"
TOKEN = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type.Token"
GOVERNOR, DEPENDENT = "Governor", "Dependent"
PREDICTED, SCORE = "inception_internal_predicted", "_score"
COLUMNS: Mapping[tuple[str, str], str] = {
    ("POS", "PosValue"): "xpos",
    ("POS", "coarseValue"): "upos",
    ("Lemma", "value"): "lemmas",
    ("MorphologicalFeatures", "value"): "feats",
}
"""Columns of sentences, by the layers (the last part of their names) and features that hold them."""
DECLARED_ENCODING = re.compile(r"\s*<\?xml\b[^>]*?\bencoding\s*=\s*[\"']([^\"']*)")


class Metadata(Struct):
    """Which annotations are wanted."""

    layer: str
    feature: str


class CasDocument(Struct):
    """A document."""

    xmi: str


class PredictionRequest(Struct):
    """What INCEpTION asks; what else it sends does not matter here."""

    metadata: Metadata
    document: CasDocument
    typeSystem: str  # noqa: N815  # its name


@dataclass(frozen=True, slots=True)
class Recommendation:
    """A document, the tokens of its sentences, and the work to be done."""

    cas: Any
    metadata: Metadata
    tokens: list[list[Any]]
    given: list[Sentence]
    task: Task

    def xmi(self, found: Iterable[Sentence | None]) -> str:
        """The document with predictions, of what the task gave; no tree is no prediction."""
        kind = self.cas.typesystem.get_type(self.metadata.layer)
        names = {feature.name for feature in kind.all_features}
        for tokens, given, sentence in zip(self.tokens, self.given, found, strict=True):
            if sentence is None:
                continue
            fields = _relations if {GOVERNOR, DEPENDENT} <= names else _spans
            for own in fields(self.metadata, tokens, given, sentence):
                self.cas.add(kind(**{name: value for name, value in own.items() if name in names}))
        written: str = self.cas.to_xmi()
        return written


def read_recommendation(
    model: ServedModel, asked: PredictionRequest, limits: Limits, threads: int = 1
) -> Recommendation:
    """What a request wants; RequestError if its document or layer cannot be used."""
    if "heads" not in model.adds:
        raise RequestError(400, f"The model '{model.name}' has no parser of dependencies.")
    cas = _read_cas(asked)
    layer, feature = asked.metadata.layer, asked.metadata.feature
    if not cas.typesystem.contains_type(layer):
        raise RequestError(400, f"The document has no layer {layer}.")
    names = {own.name for own in cas.typesystem.get_type(layer).all_features}
    is_relation = {GOVERNOR, DEPENDENT} <= names
    if feature not in names or not (is_relation or (_last(layer), feature) in COLUMNS):
        raise RequestError(400, f"The parser has nothing to say of the feature {feature} of {layer}.")
    sentences = [list(cas.select_covered(TOKEN, own)) for own in cas.select(SENTENCE)]
    tokens = [own for own in sentences or [list(cas.select(TOKEN))] if own]
    given = [Sentence([token.get_covered_text() or UNKNOWN for token in own]) for own in tokens]
    if is_relation:
        _take_relations(cas, asked.metadata, tokens, given)
    check_lengths([len(sentence) for sentence in given], limits)
    options = ParseOptions(probabilities=True, constraints=is_relation, threads=threads)
    kind = ("inception", model.name, options)
    task = Task(make_batch(given), kind, bound_steps(model.pipeline, options), _finished)
    return Recommendation(cas, asked.metadata, tokens, given, task)


def _read_cas(asked: PredictionRequest) -> Any:
    from cassis import load_cas_from_xmi, load_typesystem  # type: ignore[import-untyped]

    try:
        types = load_typesystem(_plain_xml(asked.typeSystem))
        return load_cas_from_xmi(_plain_xml(asked.document.xmi), typesystem=types)
    except RequestError:
        raise
    except Exception as error:  # of several libraries, and of any kind
        reason = str(error).split("\n")[0]
        raise RequestError(400, f"The document cannot be read: {type(error).__name__}: {reason}") from None


def _plain_xml(text: str) -> str:
    """The same XML, which says nothing of entities or of an encoding; RequestError if it did.

    Whoever reads it afterwards would believe another encoding, in which there may be what is not seen here.
    """
    from lxml import etree  # type: ignore[import-untyped]

    declared = DECLARED_ENCODING.match(text)
    if declared is not None and declared[1].lower() != "utf-8":
        raise RequestError(400, "The document cannot be read: it declares an encoding other than UTF-8.")
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise RequestError(400, "The document cannot be read: it declares entities.")
    reader = etree.XMLParser(encoding="utf-8", resolve_entities=False, load_dtd=False, no_network=True)
    plain: str = etree.tostring(etree.fromstring(text.encode(), reader), encoding="unicode")
    return plain


def _last(layer: str) -> str:
    return layer.rpartition(".")[2]


def _take_relations(cas: Any, metadata: Metadata, tokens: list[list[Any]], given: list[Sentence]) -> None:
    """Give the sentences the heads and labels that annotators have accepted; a loop is the root's arc."""
    places = {
        token.xmiID: (number, id) for number, own in enumerate(tokens) for id, token in enumerate(own, 1)
    }
    for relation in cas.select(metadata.layer):
        if relation.get(PREDICTED):
            continue
        ends = [places.get(getattr(relation.get(end), "xmiID", None)) for end in (GOVERNOR, DEPENDENT)]
        if ends[0] is None or ends[1] is None or ends[0][0] != ends[1][0]:
            continue
        (number, head), (_, word) = ends[0], ends[1]
        given[number].heads[word - 1] = 0 if head == word else head
        given[number].deprels[word - 1] = relation.get(metadata.feature) or UNKNOWN


def _finished(part: Any) -> list[Sentence | None]:
    found: list[Sentence | None] = []
    for own in part.split([1] * len(part)):
        if not own.sound and (own.refusal or ("", ""))[0] not in ("infeasible", "too-long"):
            raise RequestError(400, f"{refusal_of(own)}.")
        found.append(next(to_sentences([own])) if own.sound else None)
    return found


def _relations(metadata: Metadata, tokens: list[Any], given: Sentence, found: Sentence) -> Iterable[Any]:
    """Arcs of words for which annotators have accepted none."""
    findings = found.findings or {}
    scores = zip(findings[HEAD_PROBABILITY], findings[LABEL_PROBABILITY], strict=True)
    for word, (head, label, score) in enumerate(zip(found.heads, found.deprels, scores, strict=True)):
        if given.heads[word] is not None or head is None:
            continue
        yield {
            "begin": tokens[word].begin,
            "end": tokens[word].end,
            GOVERNOR: tokens[head - 1 if head else word],
            DEPENDENT: tokens[word],
            metadata.feature: label,
            metadata.feature + SCORE: float(score[0] * score[1]),
            PREDICTED: True,
        }


def _spans(metadata: Metadata, tokens: list[Any], given: Sentence, found: Sentence) -> Iterable[Any]:
    """Tags or lemmas of words."""
    column = COLUMNS[_last(metadata.layer), metadata.feature]
    for token, value in zip(tokens, getattr(found, column), strict=True):
        if value != UNKNOWN:
            yield {"begin": token.begin, "end": token.end, metadata.feature: value, PREDICTED: True}


def routes(service: Service) -> list[Route]:
    """The addresses; INCEpTION is told that of the recommender, ``/inception`` or ``/inception/MODEL``."""

    async def predict(request: Request) -> Response:
        if find_spec("cassis") is None:
            raise RequestError(501, "The recommender needs dkpro-cassis: pip install 'arbora[inception]'.")
        check_json(request)
        service.queue.check_room()
        with service.bodies.room(request):
            body = await service.bodies.read(request)
            model = service.model(request, request.path_params.get("model"))
            asked = await service.read(len(body), read_json, body, PredictionRequest)
            own = await service.read(
                len(body), read_recommendation, model, asked, service.limits, service.threads
            )
            found = [sentence for part in await service.run(own.task) for sentence in part]
            xmi = await service.read(len(body), own.xmi, found)
            return answer(msgspec.json.encode({"document": xmi}))

    async def train(request: Request) -> Response:
        """The parser does not learn from documents: it is told of them, and that is all."""
        with service.bodies.room(request):
            await service.bodies.read(request)
        try:
            service.queue.check_room()
        except RequestError as error:
            raise RequestError(429, error.reason, retry_after=error.retry_after) from None
        return Response(status_code=204)

    return [
        Route(f"/inception{model}/{name}", endpoint, methods=["POST"])
        for model in ("", "/{model}")
        for name, endpoint in (("predict", predict), ("train", train))
    ]
