"""Tables out of R's packages are listed once, and one that cannot be had is named."""

import json
import sys
from pathlib import Path

from benchmarks.accuracy import r_tables
from benchmarks.accuracy.tables import facts_of

STAND_IN = """#!{python}
import sys
_, _, package, name, path = sys.argv
if package != "carData":
    sys.exit(f"there is no package called {{package}}")
with open(path, "w") as file:
    file.write({text!r})
"""


def test_each_table_has_a_name_of_its_own():
    assert not set(r_tables.CLASSES) & set(r_tables.NUMBERS)
    sources = [entry[:2] for entry in (*r_tables.CLASSES.values(), *r_tables.NUMBERS.values())]
    assert len(set(sources)) == len(sources)


def test_a_package_that_is_missing_is_named_and_the_others_are_written(tmp_path: Path, capsys) -> None:
    targets = [entry[2] for entry in (*r_tables.CLASSES.values(), *r_tables.NUMBERS.values())]
    text = ",".join(["x", *dict.fromkeys(targets)]) + "\n" + "1," + ",".join("2" for _ in set(targets)) + "\n"
    stand_in = tmp_path / "rscript"
    stand_in.write_text(STAND_IN.format(python=sys.executable, text=text), encoding="utf-8")
    stand_in.chmod(0o755)
    out = tmp_path / "tables"
    assert r_tables.main(["--rscript", str(stand_in), "--out", str(out)]) == 0
    told = capsys.readouterr().out
    assert "left out: vowel, mlbench: there is no package called mlbench" in told
    listed = json.loads((out / "tables.json").read_text(encoding="utf-8"))
    assert listed["wells.csv"] == {"target": "switch", "task": "classification", "drop": [], "rows": 1}
    assert f"wrote {len(listed)} tables" in told
    assert set(facts_of(out)) == set(listed)
