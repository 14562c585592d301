"""Tasks in processes of their own take turns; those that fail or take too long are named."""

from __future__ import annotations

import pytest
from benchmarks.apart import Apart, Turns, in_turns

TURNS = Turns(repeats=2, slow_repeats=1, threads=1, patience=20.0)


def run(kinds: dict[str, str], turns: Turns = TURNS) -> tuple[dict, dict, dict]:
    tasks = {
        name: Apart(f"tests.support.benchmark_tasks:{kind}", {"number": 1}) for name, kind in kinds.items()
    }
    reasons: dict[str, str] = {}
    try:
        times, facts = in_turns(tasks, dict.fromkeys(tasks, turns.repeats), turns, reasons.__setitem__)
    finally:
        for task in tasks.values():
            task.close()
    return times, facts, reasons


def test_a_task_keeps_its_state_between_turns_and_may_print():
    times, facts, reasons = run({"a": "Doubling", "b": "Doubling"})
    assert facts == {"a": {"value": 4}, "b": {"value": 4}}
    assert [len(taken) for taken in times.values()] == [2, 2]
    assert reasons == {}


def test_a_task_that_cannot_be_done_is_named_and_the_others_go_on():
    times, facts, reasons = run(
        {"a": "Failing", "b": "Dying", "c": "Refusing", "d": "Missing", "e": "Doubling"}
    )
    assert list(times) == list(facts) == ["e"]
    assert reasons["a"] == "failed: the table is too round"
    assert reasons["b"] == "failed: out of luck"
    assert reasons["c"] == "grows no trees"
    assert reasons["d"].startswith("failed: module 'tests.support.benchmark_tasks' has no attribute")


def test_a_task_that_takes_too_long_is_ended():
    turns = Turns(repeats=1, slow_repeats=1, threads=1, patience=2.0)
    times, _, reasons = run({"a": "Sleeping"}, turns)
    assert times == {}
    assert reasons == {"a": "took longer than 2 seconds"}


def test_only_the_task_that_is_compared_with_is_repeated_once_enough_time_is_spent():
    turns = Turns(repeats=3, slow_repeats=1, threads=1, patience=20.0, enough=0.0)
    times, _, _ = run({"hornbeam": "Doubling", "peer": "Doubling"}, turns)
    assert [len(taken) for taken in times.values()] == [3, 1]


def test_nobody_is_asked_twice_for_what_took_too_long():
    from benchmarks.growth import Growth

    growth = Growth(None, None, [], TURNS, [])  # type: ignore[arg-type]
    growth.late["peer"] = (1, 1000, "took longer than 20 seconds at 1,000 rows, depth 10")
    growth.pace["peer", "d6"] = 0.01
    assert growth.hopeless("peer", 2, 1000) == growth.hopeless("peer", 1, 3000) != None  # noqa: E711
    assert growth.hopeless("peer", 0, 3000) is None
    assert growth.hopeless("other", 2, 1000) is None
    assert growth.foreseen("peer", "d6", 2000) is None
    assert growth.foreseen("peer", "d6", 2001) == "would take more than 20 seconds at 2,001 rows"
    assert growth.foreseen("peer", "d10", 9000) is None


@pytest.mark.parametrize("peer", ["hornbeam", "sklearn"])
@pytest.mark.parametrize(
    "spec",
    [{"classes": 26}, {"cols": 100}, {"kind": "nominal"}, {"task": "regression"}],
    ids=["26 classes", "100 columns", "nominal with gaps", "regression"],
)
def test_every_kind_of_table_is_grown_on(tmp_path, spec, peer):
    from dataclasses import asdict

    from benchmarks.data import DataSpec
    from benchmarks.growth import Fit

    task = Fit(asdict(DataSpec(rows=400, **spec)), 300, str(tmp_path), peer, "full", 2)
    assert task.data.X.shape == (300, spec.get("cols", 20))
    task.warm()
    told = task.tell(task.run())
    assert told["leaves"] >= 2
    assert told["score"] == pytest.approx(1.0)
