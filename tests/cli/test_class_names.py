"""Classes that are numbers or look like comparisons are never read as counts or comparisons."""

import re

import pytest

import hornbeam as hb

TABLES = {
    "numbers": ("survived", ["0", "1"], "survived = {}"),
    "comparisons": ("num", ["<50", ">50_1"], 'num = "{}"'),
    "ranges": ("age", ["10-20", "20-30"], 'age = "{}"'),
}


def written(here, target, classes):
    rows = [f"{x},{classes[x > 5]}" for x in range(1, 11)]
    here.write("t.csv", f"x,{target}\n" + "\n".join(rows) + "\n")
    done = here("fit", "t.csv", "-t", target, "--task", "classify", "--recipe", "cart", "-o", "t.tree.json")
    assert done.code == 0, done.err
    return done


@pytest.mark.parametrize("case", TABLES)
def test_every_command_names_such_a_class_in_the_same_way(here, case):
    target, classes, form = TABLES[case]
    fitted = written(here, target, classes)
    named = [form.format(one) for one in classes]
    said = [fitted.out]
    for arguments in (
        ["show", "t.tree.json"],
        ["show", "t.tree.json", "--rules"],
        ["explain", "t.tree.json", "x=2"],
        ["key", "t.tree.json", "--answer", "2"],
    ):
        done = here(*arguments)
        assert done.code == 0, done.err
        said.append(done.out)
    for text in said:
        assert named[0] in text
        bare = "|".join(map(re.escape, classes))
        assert not re.search(rf"(→|THEN|%|^) *({bare})(?![\d.])", text, re.M), text


def test_without_a_name_of_the_target_they_are_called_classes():
    X, y = {"x": [1, 2, 3, 4]}, ["<50", "<50", ">50", ">50"]
    model = hb.cart(min_samples_split=2, min_samples_leaf=1).fit(X, y)
    texts = [hb.show(model), str(hb.rules(model)), str(hb.explain(model, {"x": 1})), hb.draw(model).svg]
    for text in texts:
        assert 'class "<50"' in text or "class &quot;&lt;50&quot;" in text or 'class "&lt;50"' in text
    assert "counts are of classes <50:>50" in texts[0]
    assert str(hb.rules(model, target="num")[0]) == 'IF x <= 2.5 or missing THEN num = "<50" (2 rows, 100 %)'


def test_sets_of_values_go_on_in_the_next_line_or_are_whole_on_demand(here, monkeypatch):
    values = [f"value {k:02d}" for k in range(40)]
    rows = [f"{value},{'yes' if k % 2 else 'no'}" for k, value in enumerate(values) for _ in range(4)]
    here.write("t.csv", "v,y\n" + "\n".join(rows) + "\n")
    assert here("fit", "t.csv", "-t", "y", "--recipe", "cart", "-o", "t.tree.json").code == 0
    odd = [f"value {k:02d}" for k in range(1, 40, 2)]
    monkeypatch.setenv("COLUMNS", "80")
    narrow = here("show", "t.tree.json").out
    assert max(map(len, narrow.splitlines())) <= 80
    assert " ".join(narrow.replace("│", " ").split()).count(", ".join(odd)) == 1
    whole = here("show", "t.tree.json", "--full").out
    assert ", ".join(odd) in whole
    brief = here("explain", "t.tree.json", "v=value 00").out
    assert "… (20 values)" in " ".join(brief.split())
    assert ", ".join(odd) in " ".join(here("explain", "t.tree.json", "v=value 00", "--full").out.split())
