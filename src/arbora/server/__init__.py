"""A server of parsers: UDPipe's REST, a JSON API, INCEpTION, and the annotation page.

It needs ``pip install "arbora[server]"``; `arbora.server.running.serve` is what ``arbora serve`` wraps, and
`arbora.server.app.make_app` makes an ASGI application of it for other servers.
"""
