"""The page: served with the hashes of its own script and style, if it is there."""

from __future__ import annotations

import base64
import hashlib

from server_cases import ask, two_models

from arbora.server import page
from arbora.server.app import make_app

SCRIPT, STYLE = "let x = '</b>';\n", "p { color: teal }"
PAGE = f'<!doctype html><style>{STYLE}</style><p>Hi<script type="module">{SCRIPT}</script>'.encode()


def hashed(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def test_a_page_may_run_its_own_script_and_ask_this_server_alone(monkeypatch):
    monkeypatch.setattr(page, "read_page", lambda: PAGE)
    response = ask("GET", "/", app=make_app(two_models()))
    assert response.content == PAGE
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    policy = dict(part.split(" ", 1) for part in response.headers["content-security-policy"].split("; "))
    assert policy == {
        "default-src": "'none'",
        "script-src": f"'sha256-{hashed(SCRIPT)}'",
        "style-src": f"'sha256-{hashed(STYLE)}'",
        "connect-src": "'self'",
        "img-src": "'self' data:",
        "base-uri": "'none'",
        "form-action": "'none'",
        "frame-ancestors": "'none'",
    }


def test_an_arbora_without_a_page_says_so(monkeypatch):
    monkeypatch.setattr(page, "read_page", lambda: None)
    response = ask("GET", "/", app=make_app(two_models()))
    assert (response.status_code, response.text) == (404, "This Arbora was installed without its page.")
