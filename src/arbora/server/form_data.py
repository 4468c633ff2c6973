"""Parameters of requests as forms send them: query, urlencoded bodies, multipart bodies.

All of it happens in memory, on a body of limited size: no part becomes a file.
"""

from __future__ import annotations

import binascii
import quopri
from collections.abc import Callable, Mapping
from urllib.parse import parse_qsl

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from arbora.server.limits import RequestError

MOST_FIELDS = 100
DECODERS: Mapping[bytes, Callable[[bytes], bytes]] = {
    b"base64": lambda value: binascii.a2b_base64(b"".join(value.split()), strict_mode=True),
    b"quoted-printable": quopri.decodestring,
}
"""By the transfer encoding of a part; mail has these, and UDPipe reads forms as mail."""
URLENCODED, MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"


def urlencoded(data: bytes, what: str) -> dict[str, str]:
    """The fields of a query or a body; the last of a name counts, and a bare name is an empty field.

    >>> urlencoded(b"tokenizer&data=Gr%C3%B6%C3%9Fe", "query")
    {'tokenizer': '', 'data': 'Größe'}
    """
    try:
        return dict(
            parse_qsl(
                data.decode(),
                keep_blank_values=True,
                encoding="utf-8",
                errors="strict",
                max_num_fields=MOST_FIELDS,
            )
        )
    except ValueError:
        raise RequestError(400, f"Cannot parse {what}.") from None


def multipart(data: bytes, content_type: str) -> dict[str, str]:
    """The fields of a multipart body, those that are files too; the last of a name counts."""
    _, options = parse_options_header(content_type)
    collected = _Fields()
    try:
        parser = MultipartParser(options[b"boundary"], collected.callbacks())  # type: ignore[arg-type]
        parser.write(data)
        parser.finalize()
        return collected.decoded()
    except (FormParserError, KeyError, ValueError):
        raise RequestError(400, "Cannot parse the multipart/form-data payload.") from None


def body_fields(data: bytes, content_type: str) -> dict[str, str]:
    """The fields of a body, by its Content-Type."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind == MULTIPART:
        return multipart(data, content_type)
    if kind == URLENCODED:
        return urlencoded(data, f"the {URLENCODED} payload")
    if not data and not content_type:
        return {}
    raise RequestError(400, f"Unsupported payload Content-Type '{content_type or '<none>'}'.")


class _Fields:
    """What the parser of multipart bodies tells."""

    def __init__(self) -> None:
        self._fields: dict[bytes, bytes] = {}
        self._name, self._value = bytearray(), bytearray()
        self._headers: dict[bytes, bytes] = {}
        self._content = bytearray()
        self._is_whole = False

    def callbacks(self) -> dict[str, object]:
        """What is called when."""
        return {
            "on_part_begin": self._begin,
            "on_header_field": lambda data, start, end: self._name.extend(data[start:end]),
            "on_header_value": lambda data, start, end: self._value.extend(data[start:end]),
            "on_header_end": self._end_header,
            "on_part_data": lambda data, start, end: self._content.extend(data[start:end]),
            "on_part_end": self._end_part,
            "on_end": self._end,
        }

    def decoded(self) -> dict[str, str]:
        """All fields; ValueError if something is missing, or no UTF-8."""
        if not self._is_whole:
            raise ValueError("the last boundary is missing")
        return {name.decode(): value.decode() for name, value in self._fields.items()}

    def _begin(self) -> None:
        if len(self._fields) >= MOST_FIELDS:
            raise ValueError("too many fields")
        self._headers, self._content = {}, bytearray()

    def _end_header(self) -> None:
        self._headers[bytes(self._name).lower()] = bytes(self._value)
        self._name.clear()
        self._value.clear()

    def _end_part(self) -> None:
        name = parse_options_header(self._headers.get(b"content-disposition", b""))[1].get(b"name")
        if name:
            encoding = self._headers.get(b"content-transfer-encoding", b"").strip().lower()
            self._fields[name] = DECODERS.get(encoding, bytes)(bytes(self._content))

    def _end(self) -> None:
        self._is_whole = True
