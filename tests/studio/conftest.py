"""A studio on a bundled table, asked without a network."""

import pytest

pytest.importorskip("starlette", reason="the studio needs starlette: pip install 'hornbeam[studio]'")
pytest.importorskip("uvicorn", reason="the studio needs uvicorn: pip install 'hornbeam[studio]'")
pytest.importorskip("httpx", reason="these tests ask the server with httpx")

from tests.studio.asking import Studio


@pytest.fixture
def studio(tmp_path):
    """A studio on the tennis table, in a folder of its own."""
    return Studio("demo:tennis", tmp_path)
