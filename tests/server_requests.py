"""Random requests: broken, hostile and odd ones, for an application in this process.

``python tests/server_requests.py 100000`` asks so many by hand.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import quote_from_bytes

from server_cases import two_models

from arbora.server.app import make_app
from arbora.server.limits import Limits

PATHS = (
    *("/process", "/models", "/weblicht/tokenize", "/weblicht/tag", "/weblicht/parse", "/v1/parse"),
    *("/v1/judge", "/v1/models", "/v1/treebank", "/v1/treebank/sentences/0", "/inception/predict"),
    *("/inception/train", "/health", "/metrics", "/", "/../../etc/passwd", "/v1/%2e%2e/x", "//", "/\0"),
)
NAMES = ("data", "model", "tokenizer", "tagger", "parser", "input", "output", "x", "", "\0")
VALUES = (
    *("", "none", "constraints", "conllu", "horizontal", "vertical", "plaintext", "presegmented;ranges"),
    *(
        "plaintext=normalized_spaces",
        "generic_tokenizer",
        "normalized_spaces",
        "en",
        "../../etc/passwd",
        "\0",
    ),
)
TYPES = (
    "application/json",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    *("multipart/form-data", "text/plain", "", "application/json; charset=utf-16", "\xff"),
)
METHODS = ("GET", "POST", "POST", "POST", "PUT", "HEAD", "OPTIONS", "DELETE")
PIECES = ("Dogs bark. ", "\n", "\n\n", "\t", "\r", "\0", "1\tDogs\t_\t_\t_\t_\t2\t_\t_\t_\n", "# text = x\n")
ODD = (
    "\ufeff",
    "\u2028",
    "é",
    "e\u0301",
    "漢字",
    "😀",
    "\u202e",
    "a" * 3000,
    "1-2\tx\t_\t_\t_\t_\t_\t_\t_\t_\n",
)


class RandomRequests:
    """Requests by a seed: the same ones each time."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def text(self) -> str:
        return "".join(self._chance.choices((*PIECES, *ODD), k=self._chance.randrange(6)))

    def value(self, depth: int = 0) -> Any:
        """Something that JSON can hold, often what the API knows."""
        makers: list[Callable[[], Any]] = [
            self.text,
            lambda: self._chance.choice((None, True, False, 0, 1, -1, 3, 10**20, 0.5, 1e308)),
            lambda: {"form": self.text(), "head": self._chance.randrange(-1, 4)},
            lambda: {"words": [{"form": "w", "head": self._chance.choice((None, 0, 1, 2))}] * 3},
            lambda: {"heads": {"1": 2, "2": self._chance.randrange(4)}, "roots": [1], "forbidden": [[0, 1]]},
        ]
        if depth < 3:
            makers += [
                lambda: [self.value(depth + 1) for _ in range(self._chance.randrange(4))],
                lambda: {self.field(): self.value(depth + 1) for _ in range(self._chance.randrange(4))},
            ]
        return self._chance.choice(makers)()

    def field(self) -> str:
        known = ("text", "conllu", "sentences", "constraints", "options", "kbest", "alternatives", "rules")
        return self._chance.choice((*known, "model", "probabilities", "words", "keep_tags", "version", "x"))

    def body(self) -> bytes:
        kind = self._chance.randrange(6)
        if kind == 0:
            return self._chance.randbytes(self._chance.randrange(60))
        if kind == 1:
            return "&".join(self.pair((*VALUES, self.text())) for _ in range(5)).encode()
        if kind == 2:
            head = '--x\r\nContent-Disposition: form-data; name="{}"\r\n\r\n{}\r\n'
            names = self._chance.choices(NAMES, k=self._chance.randrange(4))
            parts = "".join(head.format(name, self.text()) for name in names).encode()
            return parts + self._chance.choice((b"--x--\r\n", b"--x--", b""))
        if kind == 3:
            return self.text().encode()
        body = json.dumps({self.field(): self.value() for _ in range(self._chance.randrange(5))}).encode()
        return body if kind == 4 else body[: self._chance.randrange(len(body) + 1)]

    def pair(self, values: Sequence[str]) -> str:
        """A field as queries have it."""
        value = quote_from_bytes(self._chance.choice(values).encode())
        return f"{self._chance.choice(NAMES)}={value}"

    def scope(self) -> dict[str, Any]:
        """A request as ASGI has it."""
        path = self._chance.choice(PATHS)
        query = "&".join(self.pair(VALUES) for _ in range(self._chance.randrange(4))).encode()
        host = self._chance.choice((*[b"localhost"] * 9, b"evil.example", b"\xff"))
        kind = self._chance.choice(TYPES).encode("latin-1")
        odd = (b"x-odd", self._chance.randbytes(5))
        return {
            "type": "http",
            "method": self._chance.choice(METHODS),
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "scheme": "http",
            "query_string": self._chance.choice((query, query, self._chance.randbytes(9))),
            "headers": [(b"host", host), (b"content-type", kind), odd],
            "http_version": "1.1",
            "server": ("127.0.0.1", 80),
            "client": ("127.0.0.1", 1),
        }


async def ask_all(app: Any, count: int, seed: int, at_once: int = 16) -> Counter[int]:
    """How often each status came; AssertionError if a request is not answered whole, or with 500."""
    requests, codes = RandomRequests(seed), Counter[int]()

    async def one(scope: dict[str, Any], body: bytes) -> None:
        coming = [{"type": "http.request", "body": body}]
        told: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return coming.pop() if coming else {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            told.append(message)

        await app(scope, receive, send)
        status = told[0]["status"]
        codes[status] += 1
        assert status != 500, (scope, body)
        assert not told[-1].get("more_body"), (scope, body)

    for begin in range(0, count, at_once):
        now = range(begin, min(begin + at_once, count))
        await asyncio.gather(*(one(requests.scope(), requests.body()) for _ in now))
    return codes


def main() -> None:
    """Ask as many as the command line says."""
    app = make_app(two_models(), Limits(sentence=200))
    print(asyncio.run(ask_all(app, int(sys.argv[1]), seed=int(sys.argv[2]) if sys.argv[2:] else 1)))


if __name__ == "__main__":
    main()
