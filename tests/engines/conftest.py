"""What the tests of the engines share."""

import pytest
from tests.engines.parts import FEW_ROWS

from hornbeam.engines import far_rows


@pytest.fixture
def few_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let only small nodes be fetched, so that all kinds of questions are asked."""
    limits = far_rows.FarRows._limits
    monkeypatch.setattr(far_rows.FarRows, "_limits", lambda rows: limits(rows) | {"fetch_rows": FEW_ROWS})
