"""Tasks for the tests of `benchmarks.apart`: one that works, and ones that do not."""

from __future__ import annotations

import os
import time
from typing import Any

from benchmarks.apart import Refused


class Doubling:
    """Works, and prints while it does."""

    def __init__(self, number: int) -> None:
        self.number = number

    def warm(self) -> None:
        print("a library says something")

    def run(self) -> int:
        self.number *= 2
        return self.number

    def tell(self, value: Any) -> dict[str, Any]:
        return {"value": value}


class Sleeping(Doubling):
    def run(self) -> int:
        time.sleep(60)
        return 0


class Failing(Doubling):
    def run(self) -> int:
        raise ValueError("the table is too round\nand more")


class Dying(Doubling):
    def run(self) -> int:
        os.write(2, b"out of luck\n")
        os._exit(3)


class Refusing(Doubling):
    def warm(self) -> None:
        raise Refused("grows no trees")
