"""Asking a studio as its page does, without a network."""

import warnings

from hornbeam.studio.launch import make_server


class Studio:
    """A server that is not started, and a client that has its secret."""

    def __init__(self, data, folder, **options):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about which client starlette prefers
            from starlette.testclient import TestClient
        from hornbeam.studio.server import make_app

        self.server = make_server(data, folder=folder, **options)
        self.folder, self.session, self.gate = folder, self.server.session, self.server.gate
        self.app = make_app(self.server.api, options.get("largest_upload", 200 << 20))
        self.origin = f"http://127.0.0.1:{self.server.port}"
        self.server._socket.close()  # nobody comes by the network
        self.client = TestClient(self.app, base_url=self.origin)
        self.key = {"authorization": f"Bearer {self.gate.secret}"}

    def get(self, path, **more):
        return self.client.get(path, headers=self.key, **more)

    def post(self, address, /, **body):
        return self.client.post(address, headers=self.key, json=body)

    def op(self, **operation):
        answer = self.post("/api/op", base=self.session.head, op=operation)
        assert answer.status_code == 200, answer.text
        return answer.json()
