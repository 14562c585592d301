"""Who may talk to a studio: every page of the web can reach a server on this machine, so each request is
checked before anything else.

In this order: the Host header (a foreign name leads here by DNS rebinding), where the request comes from
(Origin, Sec-Fetch-Site), the token or the cookie, the type and the size of its body. Every answer says what
a browser may do with it.
"""

from __future__ import annotations

import hmac
import ipaddress
import re
import secrets
import socket
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any

from starlette.responses import JSONResponse

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

LOOPBACK = ("localhost", "127.0.0.1", "::1")
LARGEST_JSON = 4 << 20
LARGEST_UPLOAD = 200 << 20
_TOKEN_BYTES = 32  # 256 bits
_MOST_LAUNCHES = 64  # one-time tokens that are kept; the oldest ones are forgotten
_HOST = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9.-]+))(?::[0-9]{1,5})?", re.IGNORECASE)
_UNSAFE = ("POST", "PUT", "PATCH", "DELETE")
_CSP = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self';"
    " object-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
HEADERS = {
    "content-security-policy": _CSP,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "x-frame-options": "DENY",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}


class Gate:
    """The secrets of one server: what the cookie holds, and tokens that each let one browser in."""

    def __init__(self, port: int = 0, host: str = "127.0.0.1", *, remote: bool = False) -> None:
        self.port, self.remote = port, remote
        self.names = {*LOOPBACK, host.lower()} | ({socket.gethostname().lower()} if remote else set())
        self.secret = secrets.token_urlsafe(_TOKEN_BYTES)
        self._launches: list[str] = []

    @property
    def cookie(self) -> str:
        """The name of the cookie: ports share cookies, so it names the port."""
        return f"hornbeam-{self.port}"

    def new_token(self) -> str:
        """A token that can be exchanged once for the cookie."""
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        self._launches = [*self._launches[1 - _MOST_LAUNCHES :], token]
        return token

    def enter(self, token: Any) -> bool:
        """Whether a token is one that was not used yet; it is used up."""
        if not isinstance(token, str):
            return False
        same = [one for one in self._launches if _equal(one, token)]
        self._launches = [one for one in self._launches if one not in same]
        return bool(same)

    def knows_host(self, host: str) -> bool:
        """Whether a Host header names this machine; an address is no name that others could point here."""
        match = _HOST.fullmatch(host)
        if match is None:
            return False
        name = (match[1] or match[2]).lower()
        return name in self.names or (self.remote and _is_address(name))

    def admits(self, headers: Mapping[str, str]) -> tuple[bool, bool]:
        """Whether a request has the secret, and whether in a header, which no other page can set."""
        scheme, _, given = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return _equal(given.strip(), self.secret), True
        return _equal(_cookie(headers.get("cookie", ""), self.cookie), self.secret), False


def _equal(a: str, b: str) -> bool:
    """Whether two texts are the same, in a time that does not tell how far they agree."""
    return hmac.compare_digest(a.encode("utf-8", "surrogatepass"), b.encode("utf-8", "surrogatepass"))


def _cookie(header: str, name: str) -> str:
    try:
        jar: SimpleCookie = SimpleCookie(header)
    except CookieError:
        return ""
    return jar[name].value if name in jar else ""


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class Guard:
    """The application behind all checks."""

    def __init__(self, app: Application, gate: Gate, largest_upload: int = LARGEST_UPLOAD) -> None:
        self.app, self.gate, self.largest_upload = app, gate, largest_upload

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a request, or pass it on with its body counted and the answer's headers set."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        limit = self.largest_upload if scope["path"] == "/api/data" else LARGEST_JSON
        refusal = self._refusal(scope, limit)
        answer: Application = self.app
        if refusal is not None:
            answer = JSONResponse({"error": refusal[1]}, status_code=refusal[0])

        async def send_guarded(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                names = {name for name, _ in message["headers"]}
                more = [(k.encode(), v.encode()) for k, v in HEADERS.items() if k.encode() not in names]
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        await answer(scope, _counted(receive, limit), send_guarded)

    def _refusal(self, scope: Scope, limit: int) -> tuple[int, str] | None:
        """Status and sentence, None for a request that may pass."""
        pairs = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        headers = dict(pairs)
        hosts = [value for name, value in pairs if name == "host"]
        if len(hosts) != 1 or not self.gate.knows_host(hosts[0]):
            return 403, "this host name is not the studio's: open the address that the command printed"
        is_api, method = scope["path"].startswith("/api/"), scope["method"]
        if method not in ("GET", "HEAD", *_UNSAFE):
            return 405, f"the method {method} is not used here"
        foreign = _is_foreign(headers, hosts[0], scope.get("scheme", "http"))
        if foreign and (is_api or method in _UNSAFE):
            return 403, "this request comes from another page: only the studio's own page may ask"
        if not is_api:
            return None if method in ("GET", "HEAD") else (405, "only the API takes changes")
        if scope["path"] != "/api/enter":
            admitted, by_header = self.gate.admits(headers)
            if not admitted:
                return 401, "the token is missing or not valid any more: open the address that was printed"
            if method in _UNSAFE and not by_header and not _says_where_from(headers):
                return 403, "this request does not say which page it comes from"
        elif method in _UNSAFE and not _says_where_from(headers):
            return 403, "this request does not say which page it comes from"
        return _body_refusal(headers, scope["path"], method, limit)


def _body_refusal(headers: Mapping[str, str], path: str, method: str, limit: int) -> tuple[int, str] | None:
    if method not in _UNSAFE:
        return None
    wanted = "application/octet-stream" if path == "/api/data" else "application/json"
    if headers.get("content-type", "").partition(";")[0].strip().lower() != wanted:
        return 415, f"the body must be {wanted}: other types could be sent by any page"
    length = headers.get("content-length", "0")
    if not length.isdecimal() or int(length) > limit:
        return 413, f"the body is too large: at most {limit >> 20} MB are taken"
    return None


def _is_foreign(headers: Mapping[str, str], host: str, scheme: str) -> bool:
    """Whether the headers of a browser name another page than the studio's."""
    origin, site = headers.get("origin"), headers.get("sec-fetch-site")
    if origin is not None and origin.lower() != f"{scheme}://{host}".lower():
        return True
    return site is not None and site not in ("same-origin", "none")


def _says_where_from(headers: Mapping[str, str]) -> bool:
    return "origin" in headers or headers.get("sec-fetch-site") == "same-origin"


class TooLarge(Exception):  # noqa: N818 (what happened)
    """A body is larger than its limit, whatever its headers said."""


def _counted(receive: Receive, limit: int) -> Receive:
    """The body of a request, refused as soon as it is too large."""
    total = 0

    async def counted() -> MutableMapping[str, Any]:
        nonlocal total
        message = await receive()
        if message["type"] == "http.request":
            total += len(message.get("body", b""))
            if total > limit:
                raise TooLarge(f"the body is too large: at most {limit >> 20} MB are taken")
        return message

    return counted
