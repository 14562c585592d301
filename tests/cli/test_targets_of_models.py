"""Models of several targets on the command line: shown, and asked about rows."""

import csv
import io
import json

import hornbeam as hb

ROWS = {"size": [1, 2, 3, 4], "price": [10.0, 12.0, 30.0, 32.0], "sold": ["yes", "yes", "no", "no"]}


def test_every_answer_is_shown_and_predicted(here):
    hb.save(hb.TreeOutputs(max_depth=1).fit(ROWS, y=["price", "sold"]), here.folder / "m.tree.json")
    (here.folder / "rows.csv").write_text("size\n1\n4\n", encoding="utf-8")
    shown = here("show", "m.tree.json")
    assert shown.code == 0, shown.err
    assert "price: 31" in shown.out
    assert "sold: no 100 %" in shown.out
    nodes = json.loads(here("show", "m.tree.json", "--format", "json").out)["nodes"]
    assert [node["answers"] for node in nodes[1:]] == [
        {"price": 11.0, "sold": "yes"},
        {"price": 31.0, "sold": "no"},
    ]
    rows = list(csv.DictReader(io.StringIO(here("predict", "m.tree.json", "rows.csv").out)))
    assert [(float(row["prediction_price"]), row["prediction_sold"], row["leaf"]) for row in rows] == [
        (11.0, "yes", "1"),
        (31.0, "no", "2"),
    ]
    assert float(rows[0]["probability_sold_yes"]) == 1
    only = here("predict", "m.tree.json", "rows.csv", "--only", "prediction").out
    assert only.splitlines()[0] == "prediction_price,prediction_sold"
    drawn = here("draw", "m.tree.json", "-o", "m.svg")
    assert drawn.code != 0
    assert "this tree answers 2 targets" in drawn.err
