"""Attacks on a studio: foreign hosts and pages, tokens, paths, bodies, hostile names and values."""

import json
import re

import pytest
from tests.studio.asking import Studio

HOSTS = (
    "evil.example",
    "127.0.0.1.nip.io",
    "localhost.evil.example",
    "127.0.0.1@evil.example",
    "[::2]:8000",
    "127.0.0.1:80:80",
    "127.0.0.1 evil.example",
    "0.0.0.0",
    "10.0.0.7:8000",
    "",
)


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("path", ["/", "/web/main.js", "/api/session"])
def test_a_foreign_host_is_refused(studio, host, path):
    answer = studio.client.get(path, headers={"host": host, **studio.key})
    assert answer.status_code == 403
    assert "not the studio's" in answer.json()["error"]


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:1", "127.0.0.1:65535", "[::1]:8000", "[::1]"])
def test_this_machine_is_known_by_any_port(studio, host):
    assert studio.client.get("/api/session", headers={"host": host, **studio.key}).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "https://127.0.0.1"},
        {"origin": "http://127.0.0.1:1"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_a_foreign_page_is_refused(studio, headers):
    cookie = {"cookie": f"{studio.gate.cookie}={studio.gate.secret}"}
    for more in (studio.key, cookie):
        given = {**headers, **more}
        assert studio.client.get("/api/session", headers=given).status_code == 403
        answer = studio.client.post("/api/op", headers=given, json={"base": 0, "op": {"op": "grow"}})
        assert answer.status_code == 403
    assert studio.session.head == 0


def test_a_request_with_a_cookie_must_say_where_it_comes_from(studio):
    cookie = {"cookie": f"{studio.gate.cookie}={studio.gate.secret}"}
    body = {"base": 0, "op": {"op": "grow"}}
    assert studio.client.post("/api/op", headers=cookie, json=body).status_code == 403
    own = cookie | {"origin": studio.origin, "sec-fetch-site": "same-origin"}
    assert studio.client.post("/api/op", headers=own, json=body).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"authorization": "Bearer wrong"},
        {"authorization": "Bearer "},
        {"authorization": "Basic {}"},
        {"cookie": "hornbeam-1={}"},
        {"cookie": "=;;;,"},
    ],
)
def test_without_the_secret_nothing_is_told(studio, headers):
    headers = {name: value.format(studio.gate.secret) for name, value in headers.items()}
    for path in ("/api/session", "/api/document", "/api/rows?node=0", "/api/events", "/api/nothing"):
        assert studio.client.get(path, headers=headers).status_code == 401
    assert studio.client.post("/api/quit", headers=headers, json={}).status_code in (401, 403)


def test_a_token_lets_one_browser_in_once(studio):
    token = re.search(r"#t=(.{43})$", studio.server.url)[1]
    own = {"origin": studio.origin}
    entered = studio.client.post("/api/enter", headers=own, json={"token": token})
    assert entered.status_code == 200
    cookie = entered.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "path=/" in cookie
    assert studio.client.get("/api/session").status_code == 200  # the cookie of the client
    studio.client.cookies.clear()
    for stale in (token, "", None, 7, "x" * 43, token[:-1]):
        again = studio.client.post("/api/enter", headers=own, json={"token": stale})
        assert again.status_code == 401
        assert "set-cookie" not in again.headers
    assert studio.server.url != studio.server.url  # a new token each time
    foreign = studio.client.post(
        "/api/enter", headers={"origin": "http://evil.example"}, json={"token": token}
    )
    assert foreign.status_code == 403


def test_every_answer_says_what_a_browser_may_do(studio):
    for answer in (
        studio.get("/api/session"),
        studio.client.get("/api/session"),
        studio.client.get("/web/main.js"),
    ):
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cross-origin-opener-policy"] == "same-origin"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert not [name for name in answer.headers if name.startswith("access-control")]


def test_other_types_of_body_are_refused(studio):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        headers = studio.key | {"content-type": kind}
        answer = studio.client.post("/api/op", headers=headers, content=b'{"base":0,"op":{"op":"grow"}}')
        assert answer.status_code == 415
    assert studio.client.options("/api/op", headers=studio.key).status_code == 405
    assert studio.client.post("/", headers=studio.key, json={}).status_code == 405


PATHS = (
    "../secret.csv",
    "/etc/passwd",
    "..\\secret.csv",
    "a/../../secret.csv",
    "link.csv",
    "folder/link/secret.csv",
    "\0",
    "x" * 5000,
    "",
    None,
    3,
)


def test_files_are_opened_below_the_folder_only(tmp_path):
    folder = tmp_path / "own"
    folder.mkdir()
    (tmp_path / "secret.csv").write_text("a,b\n1,x\n2,y\n")
    (folder / "link.csv").symlink_to(tmp_path / "secret.csv")
    (folder / "folder").mkdir()
    (folder / "folder" / "link").symlink_to(tmp_path)
    (folder / "mine.csv").write_text("a,b\n1,x\n2,y\n")
    studio = Studio("demo:tennis", folder)
    for path in PATHS:
        answer = studio.post("/api/open", path=path)
        assert answer.status_code in (400, 403, 404), path
        assert "root:" not in answer.text
    assert studio.session.source.name == "demo:tennis"
    assert studio.post("/api/open", path="mine.csv").status_code == 200


@pytest.mark.parametrize(
    "name", ["../x", "/tmp/x", "a/b", ".", "..", "", "a\nb", "C:x", None, ["x"], "x" * 300]
)
def test_projects_are_saved_in_the_folder_only(studio, name):
    assert studio.post("/api/project/save", name=name).status_code == 400
    assert list(studio.folder.iterdir()) == []


@pytest.mark.parametrize(
    "path",
    [
        "/web/../studio/security.py",
        "/web/%2e%2e/%2e%2e/__init__.py",
        "/web/..%2f..%2f__init__.py",
        "/web//etc/passwd",
        "/web/",
        "/web/types.d.ts",
        "/web/%00",
    ],
)
def test_only_the_files_of_the_viewer_are_served(studio, path):
    assert studio.client.get(path).status_code == 404


def test_a_file_of_the_viewer_is_served_with_a_tag(studio):
    first = studio.client.get("/web/main.js")
    assert first.status_code == 200
    assert first.headers["content-type"].startswith("text/javascript")
    again = studio.client.get("/web/main.js", headers={"if-none-match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_bodies_are_bounded(tmp_path):
    studio = Studio("demo:tennis", tmp_path, largest_upload=1000)
    octets = studio.key | {"content-type": "application/octet-stream"}
    assert studio.client.put("/api/data?name=a.csv", headers=octets, content=b"x" * 1001).status_code == 413

    def pieces():
        for _ in range(10):
            yield b"x" * 500

    lying = studio.client.put("/api/data?name=a.csv", headers=octets, content=pieces())
    assert lying.status_code == 413
    large = studio.client.post("/api/op", headers=studio.key, json={"base": 0, "x": "y" * (5 << 20)})
    assert large.status_code == 413
    assert studio.session.source.name == "demo:tennis"


MALFORMED = (
    b"",
    b"\x00\x01\x02",
    b"a",
    b"a\n1\n",
    b"PK\x03\x04broken",
    b"PAR1broken",
    b"ARROW1",
    b"\x1f\x8b\x08broken",
    b"[" * 100_000,
    b"{" * 5000,
    b"@relation x\n@attribute",
    b'{"format": "hornbeam-studio", "version": 1}',
    b'{"format": "hornbeam-studio", "version": 99, "revisions": []}',
    b"\xff\xfe",
)


@pytest.mark.parametrize("content", MALFORMED)
def test_malformed_uploads_get_a_sentence(studio, content):
    octets = studio.key | {"content-type": "application/octet-stream"}
    for name in ("a.csv", "a.parquet", "a.xlsx", "a.arff", "a.jsonl", "a.feather", "a", "../../a.csv"):
        answer = studio.client.put(f"/api/data?name={name}", headers=octets, content=content)
        assert answer.status_code in (400, 404, 422), (name, answer.text)
        assert answer.json()["error"]
    assert studio.session.source.name == "demo:tennis"
    assert studio.get("/api/document").status_code == 200


@pytest.mark.parametrize(
    "content",
    [
        b"[]",
        b"1",
        b"null",
        b'{"base": NaN}',
        b"{",
        b"\xff",
        b"[" * 90_000,
        b'{"a":' * 3000 + b"1" + b"}" * 3000,
        b'"x"',
    ],
)
def test_malformed_json_gets_a_sentence(studio, content):
    headers = studio.key | {"content-type": "application/json"}
    for path in (
        "/api/op",
        "/api/preview",
        "/api/predict",
        "/api/open",
        "/api/export",
        "/api/compare",
        "/api/goto",
    ):
        answer = studio.client.post(path, headers=headers, content=content)
        assert answer.status_code == 400
        assert answer.json()["error"]
    assert studio.session.head == 0


ODD = (None, True, -1, 1.5, 1e308, "0", [], {}, [[1]], {"a": 1}, "\ud800", "x" * 10_000, 10**30)


@pytest.mark.parametrize("value", ODD, ids=lambda value: str(value)[:12].encode("ascii", "replace").decode())
def test_odd_values_get_a_sentence(studio, value):
    studio.op(op="grow")
    key = studio.key | {"content-type": "application/json"}
    bodies = [
        ("/api/op", {"base": 1, "op": value}),
        ("/api/op", {"base": 1, "op": {"op": value}}),
        ("/api/op", {"base": 1, "op": {"op": "split", "node": 1, "on": "Wind", "at": value}}),
        ("/api/op", {"base": 1, "op": {"op": "collapse", "node": [value]}}),
        ("/api/op", {"base": 1, "op": {"op": "grow", "stopped": value}}),
        ("/api/preview", {"op": {"op": "regroup", "node": 0, "groups": value}}),
        ("/api/export", {"format": value}),
        ("/api/export", {"format": "sql", "options": {"dialect": value}}),
        ("/api/open", {"path": value}),
        ("/api/compare", {"a": value, "b": [1]}),
        ("/api/predict", {"row": {"nothing": value}}),
    ]
    for path, body in bodies:
        answer = studio.client.post(path, headers=key, content=json.dumps(body).encode())
        assert answer.status_code in (400, 403, 404) or (path == "/api/export" and value is None), (
            body,
            answer.text,
        )
        assert "failed" not in answer.text[:40]
    assert studio.session.head == 1


HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script><script>",
    "=cmd|' /C calc'!A0",
    '"; DROP TABLE x; --',
    "‮אבג",
    "a\tb",
)


def test_hostile_names_and_values_stay_text(tmp_path):
    data = {name: [name, "b", name, "d"] for name in HOSTILE} | {"y": ["<b>", "<b>", "x", "x"]}
    studio = Studio(data, tmp_path, target="y", settings={"exclude": []})
    studio.op(op="split", node=0, on=HOSTILE[0])
    session = studio.get("/api/session")
    assert session.headers["content-type"] == "application/json"
    assert [column["name"] for column in session.json()["columns"]] == [*HOSTILE, "y"]
    assert studio.get("/api/document").json()["classes"] == ["<b>", "x"]
    cells = studio.get("/api/rows?node=0&format=csv").text
    assert "'=cmd" in cells
    assert studio.get("/api/rows?node=0&format=csv&guard=0").text.count("'=cmd") == 0
    report = studio.post("/api/export", format="report")
    assert "<script>alert" not in report.text
    assert "onerror=alert(1)>" not in report.text.replace("\\u003c", "<").split("<body")[0]
    assert report.headers["content-disposition"].startswith("attachment")
    for name in HOSTILE:
        from urllib.parse import quote

        answer = studio.get(f"/api/node/0/candidates/{quote(name, safe='')}")
        assert answer.status_code == 200
        assert answer.json()["column"] == name


def test_a_file_named_as_a_project_that_is_none_is_called_so(studio):
    octets = studio.key | {"content-type": "application/octet-stream"}
    answer = studio.client.put("/api/data?name=x.studio.json", headers=octets, content=b'{"format": 1}')
    assert answer.status_code in (400, 422)
    assert "no project of a studio" in answer.json()["error"]
