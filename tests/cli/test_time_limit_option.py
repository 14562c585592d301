"""Growth that is stopped from the command line: `--time-limit`, and Ctrl-C at any moment."""

import itertools

import pytest

import hornbeam as hb
from hornbeam.cli.terminal import Messages, Progress
from hornbeam.growing import interruption


def test_a_time_limit_keeps_the_tree_so_far_and_says_so(here, monkeypatch):
    seconds = itertools.count()
    monkeypatch.setattr(interruption, "clock", lambda: float(next(seconds)))
    done = here("fit", "demo:tennis", "--recipe", "cart", "--time-limit", "0.5", "-o", "t.tree.json")
    assert done.code == 0, done.err
    assert "time_limit was over before growth was finished" in done.err
    assert "growth was stopped before it was finished" in here("show", "t.tree.json").out
    assert here("fit", "demo:tennis", "--time-limit", "0").code == 2


def test_ctrl_c_while_the_bar_is_drawn_is_an_interrupt():
    tree = hb.Tree.from_nested("a")
    progress = Progress(Messages(), "growing")
    with pytest.raises(KeyboardInterrupt, match="interrupted while growing") as caught, progress:
        raise hb.GrowthInterrupted("stopped", tree)
    assert caught.value.tree == tree


def test_a_long_sentence_is_broken_between_words(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "40")
    Messages().sentence("chosen   ", "information gain, two branches, because it was best on rows held out")
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "chosen   information gain, two branches,"
    assert all(len(line) <= 40 for line in lines)
    assert all(line.startswith(" " * 9) for line in lines[1:])
