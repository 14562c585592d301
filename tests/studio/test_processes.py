"""A studio as a process of its own: its address, events, many requests at once, kill -9, its end."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from tests.support.selection import some

from hornbeam.cli import main
from hornbeam.studio.jobs import Job
from hornbeam.studio.launch import make_server, studio
from hornbeam.studio.opening import open_what
from hornbeam.studio.session import Session

SECONDS = 60  # a busy machine is no fault of the code


@contextlib.contextmanager
def started(*words, folder, **environment):
    command = [sys.executable, "-m", "hornbeam", "studio", "--no-browser", *words]
    process = subprocess.Popen(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | environment,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def entered(address):
    """A client that came in by the printed address."""
    root, token = re.fullmatch(r"(http://[^/]+)/#t=(.+)", address.strip()).groups()
    client = httpx.Client(base_url=root, headers={"origin": root}, timeout=SECONDS)
    assert client.post("/api/enter", json={"token": token}).status_code == 200
    return client


OPERATIONS = (
    {"op": "split", "node": 0, "on": "Wind"},
    {"op": "note", "node": 0, "text": "windy"},
    {"op": "settings", "criterion": "gini"},
    {"op": "grow"},
    {"op": "prune", "leaves": 3},
)


@pytest.mark.parametrize("done", some(range(len(OPERATIONS)), of=[3]))
def test_killed_between_any_two_operations_nothing_is_lost(tmp_path, done):
    with started("demo:tennis", folder=tmp_path) as process:
        client = entered(process.stdout.readline())
        for k, operation in enumerate(OPERATIONS[:done]):
            answer = client.post("/api/op", json={"base": k, "op": operation})
            assert answer.status_code == 200
        threading.Thread(target=lambda: os.kill(process.pid, signal.SIGKILL)).start()
        with contextlib.suppress(httpx.HTTPError):
            client.post("/api/op", json={"base": done, "op": OPERATIONS[done]})
        process.wait(SECONDS)
    if not done and not list(tmp_path.glob("*.studio.json~")):
        return  # nothing was done that could be lost
    session = Session()
    open_what(session, str(tmp_path / "tennis.studio.json~"), {})
    kept = [one.operation for one in session.revisions[1:]]
    assert kept in (list(OPERATIONS[:done]), list(OPERATIONS[: done + 1])), "at most the one under way"


def test_a_thousand_requests_at_once(tmp_path):
    server = make_server("demo:tennis", folder=tmp_path, keep_alive=True)
    server.start()
    try:
        limits = httpx.Limits(max_connections=200)
        key = {"authorization": f"Bearer {server.gate.secret}"}
        root = f"http://127.0.0.1:{server.port}"
        with httpx.Client(base_url=root, headers=key, limits=limits, timeout=SECONDS) as client:

            def ask(k):
                if k % 10:
                    return client.get(
                        ("/api/session", "/api/document", "/api/node/0/candidates", "/")[k % 4]
                    ).status_code
                return client.post("/api/op", json={"base": 0, "op": {"op": "grow"}}).status_code

            with ThreadPoolExecutor(100) as pool:
                statuses = list(pool.map(ask, range(1000)))
        changes = [status for k, status in enumerate(statuses) if k % 10 == 0]
        assert sorted(set(changes)) == [200, 409]
        assert changes.count(200) == 1
        assert {status for k, status in enumerate(statuses) if k % 10 and k % 4 != 3} == {200}
        assert server.session.head == 1
    finally:
        server.close()
        server.join(SECONDS)


def test_growth_reports_progress_and_is_stopped(tmp_path, monkeypatch):
    asked_to_stop = threading.Event()

    def progress(job, share):
        asked_to_stop.wait(SECONDS)
        return told(job, share)

    told = Job.progress
    monkeypatch.setattr(Job, "progress", progress)
    server = make_server("demo:tennis", folder=tmp_path)
    server.start()
    try:
        key = {"authorization": f"Bearer {server.gate.secret}"}
        with httpx.Client(base_url=f"http://127.0.0.1:{server.port}", headers=key, timeout=SECONDS) as client:
            with client.stream("GET", "/api/events") as stream:
                lines = stream.iter_lines()
                assert next(lines) == ": listening"
                job = client.post("/api/grow", json={"base": 0, "op": {"op": "grow"}}).json()["job"]
                busy = client.post("/api/op", json={"base": 0, "op": {"op": "step"}})
                assert busy.status_code == 409
                assert "growing" in busy.json()["error"]
                assert client.get("/api/session").json()["job"]["job"] == job  # reads do not wait
                assert client.post("/api/job/99/cancel", json={}).status_code == 404
                assert client.post(f"/api/job/{job}/cancel", json={}).status_code == 200
                asked_to_stop.set()
                heard = list(lines_until(lines, "event: finished"))
            assert "event: progress" in heard
            assert "event: finished" in heard
            session = client.get("/api/session").json()
            assert session["job"] is None
            assert session["revision"] == 1
            assert "stopped" in session["revisions"][1]["say"]
            undone = client.post("/api/undo", json={"document": False})
            assert undone.json()["revision"] == 0
    finally:
        server.close()
        server.join(SECONDS)


def lines_until(lines, last):
    for line in lines:
        yield line
        if line == last:
            return


def test_it_ends_when_asked_and_when_left(tmp_path, monkeypatch):
    with started("demo:tennis", folder=tmp_path) as process:
        client = entered(process.stdout.readline())
        assert client.post("/api/quit", json={}).json() == {"quit": True}
        assert process.wait(SECONDS) == 0
    from hornbeam.studio import server as module

    monkeypatch.setattr(module, "LEFT_FOR", 0.2)
    monkeypatch.setattr(module, "_CHECK", 0.05)
    left = make_server("demo:tennis", folder=tmp_path)
    left.start()
    left.join(SECONDS)
    assert not left._thread.is_alive()
    kept = make_server("demo:tennis", folder=tmp_path, keep_alive=True)
    kept.start()
    time.sleep(1)
    assert kept._thread.is_alive()
    kept.close()
    kept.join(SECONDS)


def test_from_python_it_prints_its_address_and_hands_over_the_draft(tmp_path, capsys):
    with studio("demo:tennis", folder=tmp_path, browser=False) as opened:
        printed = re.fullmatch(
            r"the studio is at (http://127\.0\.0\.1:\d+/#t=.+)\n", capsys.readouterr().out
        )[1]
        client = entered(printed)
        client.post("/api/op", json={"base": 0, "op": {"op": "grow"}})
        assert opened.draft.tree.n_leaves == 5
        assert opened.model.tree_ == opened.draft.tree
        second = entered(opened.url)
        assert second.get("/api/session").status_code == 200
    with pytest.raises(httpx.HTTPError):
        client.get("/api/session")


def run_studio(*words, folder, **environment):
    command = [sys.executable, "-m", "hornbeam", "studio", "--no-browser", *words]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=SECONDS, env=os.environ | environment
    )


def test_other_machines_are_let_in_only_if_that_is_said(tmp_path, capsys):
    assert main(["studio", "--no-browser", "demo:tennis", "--host", "0.0.0.0"]) == 2
    assert "--allow-remote" in capsys.readouterr().err
    with started("demo:tennis", "--host", "0.0.0.0", "--allow-remote", folder=tmp_path) as process:
        client = entered(process.stdout.readline())
        assert client.get("/api/session").status_code == 200
        assert client.get("/api/session", headers={"host": "evil.example"}).status_code == 403
        assert (
            client.get(
                "/api/session", headers={"host": "10.0.0.7:80", "origin": "http://10.0.0.7:80"}
            ).status_code
            == 200
        )


def test_without_the_extra_one_sentence_says_what_to_install(tmp_path):
    (tmp_path / "starlette.py").write_text("raise ImportError('no', name='starlette')")
    ended = run_studio("demo:tennis", folder=tmp_path, PYTHONPATH=str(tmp_path))
    assert ended.returncode == 2
    assert "pip install 'hornbeam[studio]'" in ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_port_in_use_gets_a_sentence(tmp_path, capsys):
    first = make_server("demo:tennis", folder=tmp_path)
    assert main(["studio", "--no-browser", "--port", str(first.port)]) == 1
    first._socket.close()
    assert "choose another --port" in capsys.readouterr().err


def test_the_address_is_json_for_programs(tmp_path):
    with started("--format", "json", folder=tmp_path) as process:
        told = json.loads(process.stdout.readline())
        client = entered(told["url"])
        facts = client.get("/api/session").json()
        assert facts["data"] is None
        assert facts["demos"]


def test_small_answers_do_not_wait_for_others(tmp_path):
    server = make_server("demo:tennis", folder=tmp_path)
    assert server._socket.proto == socket.IPPROTO_TCP, "asyncio sets TCP_NODELAY for these alone"
    server._socket.close()
