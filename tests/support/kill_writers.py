"""Kill processes that write, and look at what they leave behind; the tests run it as a process of its own.

    python -m tests.support.kill_writers FOLDER calls m.tree.json t.names   # a child for each call
    python -m tests.support.kill_writers FOLDER random 500                 # children that save over and over

The parent starts no thread, so that it can fork: what needs some is imported here and used by children only.
"""

import json
import os
import random
import signal
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow.csv
import pyarrow.parquet  # noqa: F401 (once, not in each child)
from tests.support.disk_calls import (
    OLD,
    WRITERS,
    DiskCalls,
    model,
    picture,
    prepared,
    report,
    targets,
    write_old,
)

import hornbeam as hb
from hornbeam._base import atomic


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def at_every_call(folder, names):
    """For each writer: how many kills left the old files, the new ones, or of a pair one of each."""
    model(), picture(), report()  # made once, for all children
    return {name: _kill_at_every_call(folder / name) for name in names}


def _kill_at_every_call(path):
    left = []
    while True:  # until a child comes to its end before the call at which it would be killed
        write_old(path)
        child = os.fork()
        if child == 0:
            atomic.os = DiskCalls(len(left), die)
            WRITERS[path.name](path)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        _remove_temporary(path)
        contents = [target.read_bytes() for target in targets(path)]
        if os.WIFEXITED(status):
            assert status == 0
            break
        left.append(contents)
    for target in targets(path):
        target.unlink()
    words = ["".join(_word(held, new) for held, new in zip(one, contents, strict=True)) for one in left]
    return Counter(words)


def _word(held, new):
    return "o" if held == OLD else "n" if held == new else "?"


def at_random(folder, n):
    """How many of n kills left either of two models, and how many a temporary file; any other is an error."""
    rng = np.random.default_rng(0)
    path, chance = folder / "m.tree.json", random.Random(0)
    small, large = model(), hb.TreeRegressor(n_jobs=1).fit(rng.normal(size=(300, 1)), rng.normal(size=300))
    whole = {hb.save(one, path).read_bytes(): name for one, name in ((small, "small"), (large, "large"))}
    seen = Counter(small=0, large=0, temporary=0)
    for _ in range(n):
        models = chance.sample([small, large], 2)
        child = os.fork()
        while child == 0:
            hb.save(models[0], path)
            hb.save(models[1], path)
        end = time.perf_counter() + chance.uniform(0, 0.03)
        while time.perf_counter() < end:
            assert path.read_bytes() in whole  # whoever reads while others write finds a whole file, too
            time.sleep(0.001)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        seen[whole[path.read_bytes()]] += 1
        seen["temporary"] += _remove_temporary(path)
    return seen


def _remove_temporary(path):
    others = set(path.parent.iterdir()) - set(targets(path))
    for other in others:
        assert other.name.startswith(atomic.TEMPORARY)
        other.unlink()
    return len(others)


if __name__ == "__main__":
    place = prepared(Path(sys.argv[1]))
    result = (
        at_random(place, int(sys.argv[3])) if sys.argv[2] == "random" else at_every_call(place, sys.argv[3:])
    )
    print(json.dumps(result))
