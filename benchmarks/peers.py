"""The table of the learners that are compared.

The one idea: one tree each, no shrinkage, no penalty, no pruning, Gini or squared error where there is a
choice, so that the trees are comparable; where one is peculiar it says so.
"""

from __future__ import annotations

from benchmarks.boosters import CatBoost, CatBoostSymmetric, LightGBM, XGBoost
from benchmarks.peer import Job, Peer
from benchmarks.trees import YDF, Hornbeam, Orange, ScikitLearn, SnapML, SnapMLExact

__all__ = ["PEERS", "Job", "Peer", "choose", "left_out"]

PEERS: dict[str, type[Peer]] = {
    peer.name: peer
    for peer in (
        Hornbeam,
        ScikitLearn,
        SnapMLExact,
        YDF,
        Orange,
        LightGBM,
        XGBoost,
        SnapML,
        CatBoost,
        CatBoostSymmetric,
    )
}


def choose(names: str | None) -> list[type[Peer]]:
    """The peers of a comma-separated list, all of them for None."""
    wanted = list(PEERS) if names is None else [name.strip() for name in names.split(",") if name.strip()]
    unknown = [name for name in wanted if name not in PEERS]
    if unknown:
        raise SystemExit(f"--only names {', '.join(unknown)}; choose from {', '.join(PEERS)}")
    return [PEERS[name] for name in wanted]


def left_out(names: str | None) -> list[dict[str, str]]:
    """The peers that --only leaves out, as the page names them."""
    chosen = choose(names)
    reason = "not asked for (--only)"
    return [
        {"peer": peer.name, "setting": "all", "reason": reason}
        for peer in PEERS.values()
        if peer not in chosen
    ]
