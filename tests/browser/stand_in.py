"""A small server that follows the contract of /v1, with the shipped model, for the page to talk to."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import arbora
from arbora.dependency import ParseOptions, RankedTree, Rules
from arbora.errors import ArboraError
from arbora.treebank import Sentence, read

PAGE = Path(arbora.__file__).parent / "server" / "page" / "index.html"
LISTED = 64  # trees among which forbidden arcs are looked for


def policy(page: bytes) -> str:
    """What the page may do: run its own script, show its own style, ask its own server."""

    def digest(kind: bytes) -> str:
        (inside,) = re.findall(rb"<%s>(.*?)</%s>" % (kind, kind), page, re.DOTALL)
        return base64.b64encode(hashlib.sha256(inside).digest()).decode()

    return (
        f"default-src 'none'; script-src 'sha256-{digest(b'script')}'; "
        f"style-src 'sha256-{digest(b'style')}'; "
        "connect-src 'self'; img-src 'self' data:; frame-ancestors 'none'; form-action 'none'"
    )


class Parser:
    """The shipped model, asked as the contract asks."""

    def __init__(self, folder: Path) -> None:
        self.nlp, self.folder, self.lock = arbora.load(), folder, threading.Lock()

    def sentence(self, data: dict[str, str]) -> Sentence:
        path = self.folder / f"{threading.get_ident()}.conllu"
        path.write_text(data["conllu"], "utf-8", newline="")
        return next(iter(read(path, single_root=False)))

    def parse(self, request: dict[str, Any]) -> dict[str, Any]:
        if "text" in request:
            document = self.nlp(request["text"])
            return {"sentences": [own.to_dict(probabilities=True) for own in document]}
        sentences = [self.sentence(own) for own in request["sentences"]]
        given = request.get("constraints") or [None] * len(sentences)
        return {"sentences": [self.one(*pair, request) for pair in zip(sentences, given, strict=True)]}

    def one(
        self, sentence: Sentence, given: dict[str, Any] | None, request: dict[str, Any]
    ) -> dict[str, Any]:
        given = given or {}
        options = ParseOptions(constraints=True, **request.get("options", {}))
        sentence.heads = [given.get("heads", {}).get(str(id)) for id in range(1, len(sentence) + 1)]
        sentence.deprels = [given.get("labels", {}).get(str(id), "_") for id in range(1, len(sentence) + 1)]
        try:
            return self.answer(sentence, given.get("forbidden", []), options, request)
        except ArboraError as error:
            return {"words": [], "error": str(error)}

    def answer(
        self, sentence: Sentence, forbidden: list[list[int]], options: ParseOptions, request: dict[str, Any]
    ) -> dict[str, Any]:
        with self.lock:
            parsed = next(self.nlp.annotate([sentence], options, keep_tags=True))
            asked = parsed.copy()
            asked.heads, asked.deprels = sentence.heads, sentence.deprels
            heads, labels = self.nlp.parser.probabilities(asked, options)
            count = LISTED if forbidden else request.get("kbest", 0)
            best = RankedTree([head or 0 for head in parsed.heads], parsed.deprels, 0.0)
            trees = next(self.nlp.parser.kbest([asked], count, options)) if count else [best]
        trees = [tree for tree in trees if all(tree.heads[word - 1] != head for head, word in forbidden)]
        if not trees:
            raise ArboraError("no tree fits what is given")
        for head, word in forbidden:
            heads[head, word] = 0
        heads[:, 1:] /= heads[:, 1:].sum(axis=0)
        parsed.heads, parsed.deprels = trees[0].heads, trees[0].deprels
        data = parsed.to_dict()
        names = self.nlp.parser.labels
        for id, word in enumerate(data["words"], 1):
            word["probability"] = float(heads[word["head"], id])
            word["label_probability"] = float(labels[id][names.index(word["deprel"])])
        least = request.get("alternatives", 1)
        listed = [
            ([*enumerate(heads[:, id])], [*zip(names, labels[id], strict=True)])
            for id in range(1, len(heads))
        ]
        data["alternatives"] = [
            {"heads": likely(own, least), "labels": likely(names_of, least)} for own, names_of in listed
        ]
        total = sum(math.exp(tree.log_probability) for tree in trees) if forbidden else 1
        data["kbest"] = [
            {
                "heads": tree.heads,
                "deprels": tree.deprels,
                "log_probability": tree.log_probability - math.log(total),
            }
            for tree in trees[: request.get("kbest", 0)]
        ]
        return data

    def judge(self, request: dict[str, Any]) -> dict[str, Any]:
        rules = Rules.parse(request["rules"]) if request.get("rules") else None
        return {"sentences": [self.judgement(self.sentence(own), rules) for own in request["sentences"]]}

    def judgement(self, sentence: Sentence, rules: Rules | None) -> dict[str, Any]:
        bare = sentence.copy()
        bare.heads, bare.deprels = [None] * len(sentence), ["_"] * len(sentence)
        with self.lock:
            parsed = next(self.nlp.annotate([bare], ParseOptions(), keep_tags=True))
            heads, labels = parsed.all_probabilities()
        names = self.nlp.parser.labels
        words, errors, differ, tree = [], 0.0, 0, 0.0
        for id, (head, deprel) in enumerate(zip(sentence.heads, sentence.deprels, strict=True), 1):
            best = parsed[id]
            p = None if head is None else float(heads[head, id])
            own = float(labels[id][names.index(deprel)]) if deprel in names and head == best.head else 0.5
            if p is not None:
                errors, differ = errors + 1 - p * own, differ + ((head, deprel) != (best.head, best.deprel))
                tree += math.log(max(p, 1e-9))
            words.append(
                {
                    "head_probability": p,
                    "label_probability": None if p is None else own,
                    "best_head": best.head,
                    "best_deprel": best.deprel,
                    "best_probability": float(heads[best.head, id]),
                }
            )
        broken = rules.violations(sentence) if rules and sentence.has_heads else []
        return {
            "tree_log_probability": None if None in sentence.heads else tree,
            "expected_errors": errors,
            "disagreements": differ,
            "words": words,
            "broken_rules": [{"rule": str(rule), "word": word} for rule, word in broken],
        }


def likely(pairs: list[tuple[Any, float]], least: float) -> list[list[Any]]:
    found = [[key, float(p)] for key, p in pairs if p >= least]
    return sorted(found, key=lambda pair: -pair[1])


def version(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    server: StandIn

    def log_message(self, format: str, *args: object) -> None:
        pass

    def tell(self, body: bytes, kind: str, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def say(self, data: object, status: int = 200) -> None:
        self.tell(json.dumps(data).encode(), "application/json", status)

    def body(self) -> dict[str, Any]:
        return json.loads(self.rfile.read(int(self.headers["Content-Length"])))

    def do_GET(self) -> None:
        if self.path == "/":
            page = PAGE.read_bytes()
            self.tell(page, "text/html; charset=utf-8", **{"Content-Security-Policy": policy(page)})
        elif self.path == "/v1/models":
            labels = self.server.parser.nlp.parser.labels
            own = {"name": "en", "title": "pipeline", "adds": [], "labels": labels, "upos": [], "card": {}}
            self.say({"version": "0", "default": "en", "models": [own]})
        elif self.path == "/v1/treebank" and self.server.treebank is not None:
            blocks = self.server.blocks()
            listed = [{"conllu": own, "version": version(own)} for own in blocks]
            self.say({"name": self.server.treebank.name, "version": "1", "sentences": listed})
        else:
            self.say({"error": "there is nothing here"}, 404)

    def do_POST(self) -> None:
        work = {"/v1/parse": self.server.parser.parse, "/v1/judge": self.server.parser.judge}[self.path]
        try:
            self.say(work(self.body()))
        except ArboraError as error:
            self.say({"error": str(error)}, 400)

    def do_PUT(self) -> None:
        place, request, blocks = int(self.path.rsplit("/", 1)[1]), self.body(), self.server.blocks()
        if version(blocks[place]) != request["version"]:
            there = {"conllu": blocks[place], "version": version(blocks[place])}
            return self.say({"error": "it was changed", **there}, 409)
        blocks[place] = request["conllu"]
        assert self.server.treebank is not None
        self.server.treebank.write_bytes("".join(blocks).encode())
        return self.say({"version": version(request["conllu"])})


class StandIn(ThreadingHTTPServer):
    """The server of a page; ``treebank`` is the file it serves."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A page that was left asks no longer."""

    def __init__(self, parser: Parser, treebank: Path | None = None) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.parser, self.treebank = parser, treebank

    def blocks(self) -> list[str]:
        assert self.treebank is not None
        return re.findall(r".*?\n\n+", self.treebank.read_bytes().decode(), re.DOTALL)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"
