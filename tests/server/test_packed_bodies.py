"""Bodies that are packed, or hold something packed, where text is wanted: each is refused in a line."""

from __future__ import annotations

import gzip
import io
import json
import zipfile

import pytest
from server_cases import ask

JSON, FORM = "application/json", "application/x-www-form-urlencoded"
ADDRESSES = {
    "/process": (FORM, b"data=Dogs+bark.&tokenizer="),
    "/models": (FORM, b"x="),
    "/weblicht/tokenize": ("text/plain", b"Dogs bark."),
    "/v1/parse": (JSON, b'{"text": "Dogs bark."}'),
    "/v1/judge": (JSON, b'{"conllu": ""}'),
    "/inception/predict": (JSON, b"{}"),
}


def zipped(data: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("book.txt", data)
    return stream.getvalue()


def refusal(path: str, **named: object) -> str:
    response = ask("POST", path, **named)
    assert response.status_code == 400, response.text
    reason = response.json()["error"] if path.startswith("/v1/") else response.text
    assert reason
    assert "\n" not in reason
    return str(reason)


@pytest.mark.parametrize("path", ADDRESSES)
def test_compressed_bodies(path):
    kind, body = ADDRESSES[path]
    for coding in ("gzip", "Deflate", "gzip, gzip"):
        headers = {"content-type": kind, "content-encoding": coding}
        reason = refusal(path, content=gzip.compress(body), headers=headers)
        assert reason == "The body has a Content-Encoding: it must come as it is."


def test_a_body_that_says_it_is_not_compressed():
    kind, body = ADDRESSES["/v1/parse"]
    headers = {"content-type": kind, "content-encoding": "identity"}
    assert ask("POST", "/v1/parse", content=body, headers=headers).status_code == 200


@pytest.mark.parametrize("pack", [gzip.compress, zipped])
@pytest.mark.parametrize("path", ADDRESSES)
def test_packed_bytes_in_place_of_a_body(path, pack):
    kind, body = ADDRESSES[path]
    refusal(path, content=pack(body), headers={"content-type": kind})


@pytest.mark.parametrize("pack", [gzip.compress, zipped])
def test_packed_bytes_as_data(pack):
    packed = pack("Dogs bark. Größe zählt.".encode())
    reason = refusal("/process", files={"data": ("book.txt", packed), "tokenizer": (None, "")})
    assert reason == "Cannot parse the multipart/form-data payload."
    as_text = packed.decode("latin-1")
    for given in ({"conllu": as_text}, {"sentences": [{"conllu": as_text}]}):
        refusal("/v1/parse", content=json.dumps(given).encode(), headers={"content-type": JSON})
    asked = {"metadata": {"layer": "x", "feature": "y"}, "document": {"xmi": as_text}, "typeSystem": as_text}
    assert refusal("/inception/predict", json=asked).startswith("The document cannot be read: XMLSyntaxError")
