"""Parts of forms that have a transfer encoding, as mail has them: UDPipe reads forms so."""

from __future__ import annotations

import base64
import quopri

import pytest
from server_cases import ask

TEXT = "Größe = zählt.\nDogs bark."


def form(encoding: str, value: bytes) -> bytes:
    """A form whose data has a transfer encoding, as mail has it."""
    head = "--x\r\nContent-Disposition: form-data; name={}\r\n{}\r\n"
    transfer = f"content-transfer-encoding: {encoding}\r\n" if encoding else ""
    first = head.format('"data"; filename="a.txt"', transfer).encode() + value + b"\r\n"
    return first + head.format('"tokenizer"', "").encode() + b"presegmented\r\n--x--\r\n"


@pytest.mark.parametrize(
    ("encoding", "value"),
    [
        ("", TEXT.encode()),
        ("8bit", TEXT.encode()),
        ("binary", TEXT.encode()),
        ("x-unknown", TEXT.encode()),
        ("base64", base64.encodebytes(TEXT.encode())),
        (" Base64 ", base64.b64encode(TEXT.encode())),
        ("quoted-printable", quopri.encodestring(TEXT.encode())),
        ("Quoted-Printable", b"Gr=C3=B6=\r\n=C3=9Fe =3D z=C3=A4hlt.\r\nDogs bark."),
    ],
)
def test_parts_of_forms_are_decoded(encoding, value):
    headers = {"content-type": "multipart/form-data; boundary=x"}
    response = ask("POST", "/process?output=vertical", content=form(encoding, value), headers=headers)
    assert response.status_code == 200, response.text
    assert response.json()["result"] == "Größe\n=\nzählt\n.\n\nDogs\nbark\n.\n\n"


@pytest.mark.parametrize(
    ("encoding", "value"),
    [("base64", b"????"), ("base64", b"RG9nc"), ("base64", b"/w=="), ("quoted-printable", b"=FF")],
)
def test_parts_that_cannot_be_decoded_are_refused(encoding, value):
    headers = {"content-type": "multipart/form-data; boundary=x"}
    response = ask("POST", "/process", content=form(encoding, value), headers=headers)
    assert (response.status_code, response.text) == (400, "Cannot parse the multipart/form-data payload.")
