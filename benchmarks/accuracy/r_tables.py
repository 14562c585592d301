"""A folder of tables out of R's packages, which had no part in choosing the rules of `hb.auto`.

    python -m benchmarks.accuracy.r_tables --rscript Rscript --out DIR
    python -m benchmarks.accuracy --data DIR --most-rows 900 --out docs/benchmarks/others.csv

The one idea: data sets that come with packages are there wherever R is; the list below names for each its
package, its target and the columns that give the target away or only name the rows. Debian has the packages
as r-cran-mlbench, -modeldata, -mass, -cardata, -aer, -th.data and -survival; one that is missing is named.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

import pandas as pd

CLASSES = {  # file: package, object, target, columns to drop
    "ionosphere": ("mlbench", "Ionosphere", "Class", ""),
    "breast-wisconsin": ("mlbench", "BreastCancer", "Class", "Id"),
    "vowel": ("mlbench", "Vowel", "Class", ""),
    "attrition": ("modeldata", "attrition", "Attrition", ""),
    "cells": ("modeldata", "cells", "class", "case"),
    "churn": ("modeldata", "mlc_churn", "churn", ""),
    "credit": ("modeldata", "credit_data", "Status", ""),
    "penguins": ("modeldata", "penguins", "species", ""),
    "crabs": ("MASS", "crabs", "sp", "index"),
    "autolander": ("MASS", "shuttle", "use", ""),
    "exercise": ("MASS", "survey", "Exer", ""),
    "votes-britain": ("carData", "BEPS", "vote", ""),
    "votes-chile": ("carData", "Chile", "vote", ""),
    "women-working": ("carData", "Mroz", "lfp", ""),
    "women-canada": ("carData", "Womenlf", "partic", ""),
    "wells": ("carData", "Wells", "switch", ""),
    "bank-jobs": ("AER", "BankWages", "job", ""),
    "credit-card": ("AER", "CreditCard", "card", "expenditure share"),
    "mortgages": ("AER", "HMDA", "deny", ""),
    "women-swiss": ("AER", "SwissLabor", "participation", ""),
    "glaucoma": ("TH.data", "GlaucomaM", "Class", ""),
    "mammography": ("TH.data", "mammoexp", "ME", ""),
    "recurrence": ("TH.data", "wpbc", "status", "time"),
    "liver": ("survival", "pbc", "status", "id time"),
}
NUMBERS = {
    "ozone": ("mlbench", "Ozone", "V4", ""),
    "biomass": ("modeldata", "biomass", "HHV", "sample dataset"),
    "car-prices": ("modeldata", "car_prices", "Price", ""),
    "concrete": ("modeldata", "concrete", "compressive_strength", ""),
    "houses-sacramento": ("modeldata", "Sacramento", "price", "zip"),
    "meats": ("modeldata", "meats", "protein", "water fat"),
    "computers": ("MASS", "cpus", "perf", "name estperf"),
    "birth-weight": ("MASS", "birthwt", "bwt", "low"),
    "schools": ("MASS", "nlschools", "lang", ""),
    "salaries": ("carData", "Salaries", "salary", ""),
    "nations": ("carData", "UN", "infantMortality", ""),
    "interlocks": ("carData", "Ornstein", "interlocks", ""),
    "wages": ("AER", "CPS1985", "wage", ""),
    "houses-windsor": ("AER", "HousePrices", "price", ""),
    "guns": ("AER", "Guns", "violent", "murder robbery"),
    "visits": ("AER", "NMES1988", "visits", "nvisits ovisits novisits"),
    "ratings": ("AER", "TeachingRatings", "eval", "prof"),
    "quakes": ("datasets", "quakes", "stations", ""),
    "solder": ("survival", "solder", "skips", ""),
}

R_SCRIPT = """
a <- commandArgs(TRUE)
e <- new.env()
suppressWarnings(data(list = a[2], package = a[1], envir = e))
write.csv(as.data.frame(get(a[2], e)), a[3], row.names = FALSE, na = "?")
"""


def written(rscript: str, script: Path, package: str, name: str, path: Path) -> str:
    """Write one data set; why it could not be done, or nothing."""
    command = [rscript, str(script), package, name, str(path)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    return "" if done.returncode == 0 else f"{package}: {' '.join(done.stderr.split())[:120]}"


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy.r_tables", description=__doc__)
    parser.add_argument("--rscript", default="Rscript")
    parser.add_argument("--out", type=Path, required=True, help="folder to write; it may exist")
    args = parser.parse_args(argv)
    args.out.mkdir(parents=True, exist_ok=True)
    facts = {}
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "write.R"
        script.write_text(R_SCRIPT, encoding="utf-8")
        for task, listed in (("classification", CLASSES), ("regression", NUMBERS)):
            for name, (package, data, target, drop) in listed.items():
                path = args.out / f"{name}.csv"
                reason = written(args.rscript, script, package, data, path)
                if reason:
                    print(f"left out: {name}, {reason}")
                    continue
                rows = int(pd.read_csv(path, na_values=["?"])[target].notna().sum())
                facts[path.name] = {"target": target, "task": task, "drop": drop.split(), "rows": rows}
    (args.out / "tables.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {len(facts)} tables into {args.out}")
    return 0 if facts else 1


if __name__ == "__main__":
    raise SystemExit(main())
